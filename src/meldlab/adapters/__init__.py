"""Our games as the tools of the field want them: vector environments, and adapters to the programs of others."""
