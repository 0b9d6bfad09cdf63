"""Questions of independence answered: tests are pure functions of counts, sources join them to data."""
