"""Putting right what is wrong of a person: what corrections may say, what follows from them, the run."""
