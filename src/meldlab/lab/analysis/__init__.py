"""What a described game is like: its picture, its heuristics, and games side by side."""
