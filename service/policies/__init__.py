"""See docs/house.md for what belongs in this room."""
