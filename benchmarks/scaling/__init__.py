"""What `benchmarks/scale.py` is made of: generated files, measurements, and the page that shows them."""
