"""Our games in the words of other libraries: PettingZoo, Gymnasium, OpenSpiel, PufferLib; and many tables at once."""
