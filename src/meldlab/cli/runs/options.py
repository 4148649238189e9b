"""What the verbs about runs share: which run."""

from typing import Annotated

import typer

__all__ = ["RunArgument"]

RunArgument = Annotated[int, typer.Argument(help="The number of the run, as 'meldlab runs list' shows it.")]
