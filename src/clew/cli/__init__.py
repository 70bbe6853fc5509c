"""The command line: one module for each group of commands. Start at `main.main`."""
