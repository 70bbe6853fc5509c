"""What a request costs, with Clew and without: prices, a model of the providers' prompt caches, the choice, the ledger.

Start at `decide.decide`.
"""
