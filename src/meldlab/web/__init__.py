"""The web app: pages for people, and a typed API under ``/api`` that does everything the pages do.

Requests are untrusted. The server itself only parses, checks, stores and renders; what may take long or crash runs in
worker processes that can be killed. Games and jobs are in the store, so that the server may be killed at any moment.
"""
