"""Scenes that teach: boards, bars and curves as plain data, made by the engine's own operators from
a seed. The web app plays them, the documentation draws them.
"""
