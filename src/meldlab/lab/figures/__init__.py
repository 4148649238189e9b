"""Pictures of results, each saved with the numbers it shows beside it."""

from meldlab.lab.figures.sheet import Data, blank, save

__all__ = ["Data", "blank", "save"]
