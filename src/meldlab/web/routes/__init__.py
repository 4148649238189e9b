"""HTTP routes: the API and the pages, one module per tool."""
