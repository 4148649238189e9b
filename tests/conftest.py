"""Settings that every test shares."""

from hypothesis import settings

# A first call may compile a kernel, which says nothing about the example it happened on.
settings.register_profile("meldlab", deadline=None)
settings.load_profile("meldlab")
