"""Options that the gin verbs share."""

from typing import Annotated, Any

from meldlab.cli.options import rules_option

RulesOption = Annotated[Any, rules_option("eaai", "pagat", "oklahoma", "openspiel", room="gin")]
