"""Measures recall within token budgets (`recall.run_recall`), speed (`speed.suite.run_speed`) and HSCA (`hsca`)."""
