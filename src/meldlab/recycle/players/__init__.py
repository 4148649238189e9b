"""Players of described games."""
