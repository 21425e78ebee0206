"""Users' own parts: functions of one board as operators, and errors in users' code."""
