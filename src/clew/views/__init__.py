"""The source documents' own interfaces over Clew's model.

They are `hsca` and `claims`, `hce`, `sigma`, `trivector` and `virtual_context`. Start at `hsca.HSCAEngine`.
"""
