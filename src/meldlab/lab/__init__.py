"""The laboratory: arena, statistics, figures."""
