"""The laboratory: arena, store, tuning, figures."""
