"""Training of networks by play on the vector environment; needs PyTorch (extra ``train``)."""
