"""What a RECYCLE game is like: movement of cards, heuristics of played games, and comparison of games."""
