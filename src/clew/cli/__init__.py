"""The command line: one module a command group, `main` finds them."""
