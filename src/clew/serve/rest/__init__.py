"""The REST API below /clew/api: its endpoints, what they take and give, and the document that describes them.

Start at `endpoints.ENDPOINTS`, the one list; `page.RestPage` checks a request against it, `openapi.document` prints it.
"""
