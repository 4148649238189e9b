"""Analysis of RECYCLE games: movement of cards, heuristics of played games, and comparison of games."""
