"""The tuning lab: the paper's experiments, racing over the same grids, and CMA-ES over everything at once."""
