"""Long work that is kept: the store, work in shards, a cluster, how a run stands."""
