"""The web app: a small server, the API, and a page without a build step.

The server process computes nothing itself. Live runs and races are executed by live workers
(`live/`), single requests by the workers of the job pool (`job_pool.py`, `handlers/`), and every
study by a process of its own (`study_processes.py`).
"""
