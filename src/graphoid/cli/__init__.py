"""The ``graphoid`` command."""
