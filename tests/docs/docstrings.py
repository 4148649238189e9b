"""How the site reads docstrings: examples become blocks of Python, which Markdown would take for quotations (an extension of Griffe)."""

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)


class Examples(griffe.Extension):
    """Puts fences around the examples of every docstring."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Change the docstring of what was just read."""
        if obj.docstring is not None:
            obj.docstring.value = EXAMPLE.sub(lambda example: f"\n```python\n{example[0]}\n```\n", obj.docstring.value)
