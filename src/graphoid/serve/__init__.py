"""A live view in the browser of this machine: ``graphoid serve``."""
