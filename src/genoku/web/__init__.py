"""The web app: watch evolution happen, in a browser, served from this machine.

The server itself only listens and passes on. Live runs and races take turns in worker processes of
their own (`live/`); questions that are answered once, such as how many solutions a puzzle has,
go to *clerks* (`clerks.py`, what they do is in `handlers/`); studies have a driver process each.
"""
