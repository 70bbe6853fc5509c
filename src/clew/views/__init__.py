"""The classes and rules of the source documents under their own names (`hsca`, `hce`, `sigma`, `claims`).

Start at `hsca.HSCAEngine`.
"""
