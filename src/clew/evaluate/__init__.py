"""Measures recall within token budgets (`recall.run_recall`), speed (`speed.suite.run_speed`) and HSCA (`hsca`).

Start at `recall.run_recall`.
"""
