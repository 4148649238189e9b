"""Contests between players of any game: seatings, games by kernel or at tables, ratings."""
