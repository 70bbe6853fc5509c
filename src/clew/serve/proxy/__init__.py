"""Stands between a client and its provider: remembers what passes, and adds what is remembered.

Start at `handle.Proxy`, which takes one request from the client to the upstream and back.
"""
