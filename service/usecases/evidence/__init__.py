"""What tracing a claim consists of: the chain as the log has it, and how each of its links stands."""
