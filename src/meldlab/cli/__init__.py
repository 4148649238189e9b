"""The command ``meldlab``: one module per command or group. No other package imports it."""
