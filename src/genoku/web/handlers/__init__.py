"""Functions that job workers call for routes; the server does not import them: they load much."""
