"""runtime-graph: record what agents do, assemble what their models may see, explain every choice."""
