"""Figures with the numbers that they show, pages in one file, and CSV."""

from meldlab.reports.plot import Data, blank, save

__all__ = ["Data", "blank", "save"]
