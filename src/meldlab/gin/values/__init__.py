"""The values of all hands of gin: odds, recursion, tallies, and the folder they are kept in."""
