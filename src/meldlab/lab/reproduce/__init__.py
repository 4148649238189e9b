"""The five publications, claim by claim: what they say, what comes out here, and whether it is the same."""
