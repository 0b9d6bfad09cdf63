"""Experiments of the papers, as anyone can run them: ``graphoid reproduce NAME``."""
