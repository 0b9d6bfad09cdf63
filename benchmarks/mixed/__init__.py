"""The parts of benchmarks/kinds.py, and the peers they are measured beside."""
