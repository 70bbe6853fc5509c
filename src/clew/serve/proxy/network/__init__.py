"""The connections to the providers: requests sent, answers handed on as they arrive, connections opened early and kept.

Start at `forward.Forwarder`. Knows no memory and no wire format.
"""
