"""Long work that is saved and resumed: the store, tasks, worker processes and clusters, leaderboards."""
