"""Search for better variants of a RECYCLE game, over the numbers that it declares."""
