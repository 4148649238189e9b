"""Figures with their numbers, self-contained pages, and CSV."""

from meldlab.reports.plot import Data, new_figure, save

__all__ = ["Data", "new_figure", "save"]
