"""`genoku bench`: what is measured, beside peers in an environment of their own, and its table."""
