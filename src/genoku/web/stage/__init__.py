"""The stage: processes in which live runs and races take fair turns.

`client.py` is the server's side; the others are the stage's own. A session is an *act* (`acts.py`):
a live run (`runs.py`) or a live race (`races.py`) with its pace, pictures and checkpoints.
"""
