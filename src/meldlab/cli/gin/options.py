"""Options that the gin verbs share."""

from typing import Annotated

import typer

__all__ = ["RulesOption"]

RulesOption = Annotated[str, typer.Option("--rules", help="eaai, pagat, oklahoma or openspiel.")]
