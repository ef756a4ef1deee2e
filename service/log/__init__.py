"""Proofs about the log: hash chains, Merkle trees, signed tree heads. Pure; reads no graph and no clock."""
