"""Training of gin networks in PyTorch: policies by PPO, values by TD(lambda)."""
