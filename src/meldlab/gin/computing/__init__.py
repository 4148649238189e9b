"""The computed player: the values of all hands at all turns by recursion, on the cores or on a GPU."""
