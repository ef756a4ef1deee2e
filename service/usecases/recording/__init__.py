"""What appending a batch consists of: references, projection, sealing, opening and forking."""
