"""The tools that a model may call, whether MCP serves them or the proxy offers them in a chat.

Start at `tools.Tools`, which asks the memory; `answers` makes text of what it returns. `toolbox.Toolbox` answers the
calls of a chat.
"""
