"""What workers do for the routes. The server imports none of these modules, which may be heavy."""
