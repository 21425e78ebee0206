"""Scenes that teach, as plain data for the web app and the documentation."""
