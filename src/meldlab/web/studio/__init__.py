"""The RECYCLE studio: descriptions of games are written, checked, run, played, analysed and compared."""
