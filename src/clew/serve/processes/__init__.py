"""The processes of the server: the one that serves, several on one address, and one behind a program of the user.

Start at `run_server.run_server`.
"""
