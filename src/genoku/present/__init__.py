"""How things are shown to people: scenes that teach."""
