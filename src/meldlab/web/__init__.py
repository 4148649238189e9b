"""The laboratory in a browser: pages for people, and a typed API under ``/api`` that does everything the pages do.

Who asks is a stranger. The server only reads, checks, keeps and draws; whatever can take long or crash runs in worker processes that can
be killed. Games and long work live in the store, so that the server may die at any moment.
"""
