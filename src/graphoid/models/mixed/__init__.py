"""Models of tables with numbers: continuous columns and counts beside columns of states."""
