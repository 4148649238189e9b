"""The designer's bench: variants of a described game over the numbers that it declares, and the best of them."""
