"""Every relationship type with its ends and its properties, in one total table."""

from __future__ import annotations

from dataclasses import dataclass

from service.model.vocabulary import Label, Relationship


@dataclass(frozen=True, slots=True)
class Edge:
    """What a relationship says, between which labels, with which properties."""

    start: Label
    end: Label
    means: str
    properties: tuple[str, ...] = ()


EDGES: dict[Relationship, Edge] = {
    Relationship.INHERITS: Edge(
        Label.BRANCH, Label.BRANCH, "The branch reads its parent up to the cut-off.", ("cutoff",)
    ),
    Relationship.DERIVED_FROM: Edge(
        Label.TOOL_MEMORY, Label.TOOL_ARTIFACT, "The memory was distilled from the artifact."
    ),
    Relationship.SUPERSEDES: Edge(
        Label.TOOL_MEMORY, Label.TOOL_MEMORY, "The newer memory stands for the older one."
    ),
    Relationship.PRODUCED: Edge(Label.MODEL_RUN, Label.MESSAGE, "The run wrote the message."),
    Relationship.REQUESTED: Edge(Label.MODEL_RUN, Label.TOOL_CALL, "The run asked for the tool."),
    Relationship.RESULTED_IN: Edge(Label.TOOL_CALL, Label.TOOL_ARTIFACT, "The call became this."),
    Relationship.INCLUDED: Edge(
        Label.CONTEXT_ASSEMBLY,
        Label.TOOL_MEMORY,
        "The memory went into the context.",
        ("rank", "tokens", "record_indexes"),
    ),
    Relationship.DECIDED_BY: Edge(
        Label.CONTEXT_ASSEMBLY, Label.POLICY_DECISION, "The policy decided what stayed out."
    ),
    Relationship.USED: Edge(Label.MODEL_RUN, Label.CONTEXT_ASSEMBLY, "The run was given this context."),
    Relationship.HAS_PAYLOAD: Edge(Label.EVENT, Label.PAYLOAD, "The envelope's payload, while it exists."),
}
