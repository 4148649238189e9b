"""Waiting times: pick a hand, see how long it takes and what to do with every card that may come."""
