"""``python -m meldlab``."""

from meldlab.cli.app import main

main()
