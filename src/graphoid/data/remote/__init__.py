"""Sources whose rows stay where they are."""
