"""Measures compactions: how small a prompt gets, and what of it is still there when it is needed again.

Start at `suite.run_condense`.
"""
