"""The stopping game: play it with cards, see what every position is worth, and many automatic games."""
