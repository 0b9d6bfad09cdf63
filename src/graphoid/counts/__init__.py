"""The only room that touches rows. One verb: count these variables in this context, many at a time."""
