"""How well and how fast Clew does its work: evidence found within budgets, and speed against plain references."""
