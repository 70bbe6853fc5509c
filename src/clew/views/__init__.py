"""The source documents' own interfaces over Clew's model: `hsca`, `hce`, `sigma`, `claims`, `virtual_context`.

Start at `hsca.HSCAEngine`.
"""
