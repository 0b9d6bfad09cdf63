"""Files and tables in memory, each kind as a source of columns."""
