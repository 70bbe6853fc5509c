"""The source documents' own interfaces over Clew's model: `hsca`, `hce`, `sigma` and `claims`.

Start at `hsca.HSCAEngine`.
"""
