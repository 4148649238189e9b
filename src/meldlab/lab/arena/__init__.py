"""Games between players, counted: gin by kernel, any game at the table, described games by kernel."""
