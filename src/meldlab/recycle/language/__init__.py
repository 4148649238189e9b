"""The language RECYCLE: words, grammar, tree, checker, linter, printer, variants."""
