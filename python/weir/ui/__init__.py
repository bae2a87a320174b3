"""The page of ``weir ui``: a session that runs a virtual network, and the server of the page."""
