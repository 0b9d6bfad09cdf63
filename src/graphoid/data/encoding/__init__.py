"""From columns of any type to states and codes."""
