"""Games between players of any game, counted: seatings, contests by kernel or at tables, ratings, shards."""
