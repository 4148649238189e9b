"""Reproduction of the five publications, claim by claim, with a verdict for each claim."""
