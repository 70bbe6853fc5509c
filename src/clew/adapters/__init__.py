"""Clew behind the memory interfaces of other libraries; each module needs the library that it is named after.

Start at `langgraph.ClewStore`, `openai_agents.ClewSession`, `anthropic_memory.ClewMemoryTool` or
`llama_index.ClewMemory`. Nothing of Clew imports them.
"""
