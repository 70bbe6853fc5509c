"""A scripted upstream: plays the vendors' four chat APIs strictly, for tests, the demo and the benchmark.

Start at `server.ScriptedUpstream`.
"""
