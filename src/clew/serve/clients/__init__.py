"""The settings of the programs that use the memory: where they are, and how an entry gets in and out.

Start at `install.plan_install`.
"""
