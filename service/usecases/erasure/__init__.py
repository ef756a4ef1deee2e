"""Erasing a person: who that is, what would go, the cascade, what is derived again, the run and its proof."""
