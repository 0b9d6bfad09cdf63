"""Every source becomes a :class:`~graphoid.data.table.Table`: variables with states, and codes."""
