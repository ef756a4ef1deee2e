"""Models of language that an operator configures: the one way to them, and nothing of ours."""
