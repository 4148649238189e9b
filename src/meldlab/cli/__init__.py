"""The command ``meldlab``: one file per door. Nothing imports this room."""
