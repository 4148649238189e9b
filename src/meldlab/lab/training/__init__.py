"""Networks that are taught by play: on the vector environment, millions of tables in lock step, needs PyTorch (extra ``train``)."""
