"""The tools that a model may call, whether MCP serves them or the proxy offers them in a chat.

Start at `tools.Tools`; `toolbox.Toolbox` answers the calls of a chat.
"""
