"""Every relationship type with its ends and its properties, in one total table."""

from __future__ import annotations

from dataclasses import dataclass

from service.model.vocabulary import Label, Relationship


@dataclass(frozen=True, slots=True)
class Edge:
    """What a relationship says, from which labels to which, with which properties."""

    starts: tuple[Label, ...]
    ends: tuple[Label, ...]
    means: str
    properties: tuple[str, ...] = ()


_WEIGHTED = ("initial_weight", "weight", "strengthened_at", "weighed_at", "recorded_at")
_NAMED = (Label.PRODUCT, Label.DOCUMENT, Label.BOOKING, Label.COMPETITOR_PRICE)

EDGES: dict[Relationship, Edge] = {
    Relationship.INHERITS: Edge(
        (Label.BRANCH,), (Label.BRANCH,), "The branch reads its parent up to the cutoff.", ("cutoff",)
    ),
    Relationship.MERGES: Edge(
        (Label.BRANCH,),
        (Label.BRANCH,),
        "From that seq on, the branch shows what the other one had up to the cutoff.",
        ("seq", "cutoff"),
    ),
    Relationship.DERIVED_FROM: Edge(
        (
            Label.TOOL_MEMORY,
            Label.USER_MEMORY,
            Label.KNOWLEDGE_DOCUMENT,
            Label.QUERY,
            Label.RESPONSE,
            Label.INSIGHT,
        ),
        (Label.TOOL_ARTIFACT, Label.MESSAGE, Label.LEARNING_CANDIDATE, Label.QUERY, Label.PRODUCT),
        "The tool memory was distilled from the artifact; what the user memory says was said in the message; "
        "the document was made of the candidate and its messages; the query or response was learned from the "
        "message; the insight was drawn from the query or product.",
    ),
    Relationship.ABOUT: Edge((Label.USER_MEMORY,), (Label.USER,), "The memory is about that person."),
    Relationship.SUBJECT_OF: Edge(
        (Label.USER,), (Label.CONVERSATION,), "Some event of the conversation holds data of the person."
    ),
    Relationship.SAME_AS: Edge(
        (Label.USER,), (Label.USER,), "It is the same person as that one.", ("recorded_at", "recorded_by")
    ),
    Relationship.ASKS_FOR: Edge((Label.PRIVACY_REQUEST,), (Label.USER,), "The request is that person's."),
    Relationship.HOLDS: Edge((Label.LEGAL_HOLD,), (Label.USER,), "What is held of the person must be kept."),
    Relationship.TELLS_OF: Edge((Label.NOTICE,), (Label.PRIVACY_REQUEST,), "It tells what became of that."),
    Relationship.SUPERSEDES: Edge(
        (Label.USER_MEMORY,), (Label.USER_MEMORY,), "From when it takes effect, it stands for the other one."
    ),
    Relationship.CONFLICTS_WITH: Edge(
        (Label.USER_MEMORY,), (Label.USER_MEMORY,), "They say two things of one, and no rule orders them."
    ),
    Relationship.JUDGES: Edge((Label.JUDGEMENT,), (Label.MESSAGE,), "The judgement is of this answer."),
    Relationship.CONCERNS: Edge(
        (Label.LEARNING_CANDIDATE,), (Label.MESSAGE,), "It is the candidate's question, or its answer."
    ),
    Relationship.HAS_PASSAGE: Edge(
        (Label.KNOWLEDGE_DOCUMENT,), (Label.KNOWLEDGE_PASSAGE,), "The passage is a piece of its text."
    ),
    Relationship.PRODUCED: Edge(
        (Label.MODEL_RUN,), (Label.MESSAGE, Label.CLAIM), "The run wrote the message, or made the claim."
    ),
    Relationship.RESTS_ON: Edge(
        (Label.CLAIM,),
        (Label.TOOL_ARTIFACT, Label.MESSAGE, Label.MODEL_RUN, Label.CLAIM),
        "The claim rests on it; a document that the platform keeps has no node.",
        ("role", "part"),
    ),
    Relationship.REPLACES: Edge(
        (Label.CLAIM, Label.KNOWLEDGE_DOCUMENT),
        (Label.CLAIM, Label.KNOWLEDGE_DOCUMENT),
        "The claim corrects that one; the version stands for that one.",
    ),
    Relationship.REQUESTED: Edge((Label.MODEL_RUN,), (Label.TOOL_CALL,), "The run asked for the tool."),
    Relationship.RESULTED_IN: Edge((Label.TOOL_CALL,), (Label.TOOL_ARTIFACT,), "The call became this."),
    Relationship.INCLUDED: Edge(
        (Label.CONTEXT_ASSEMBLY,),
        (Label.TOOL_MEMORY, Label.USER_MEMORY, Label.KNOWLEDGE_PASSAGE),
        "The memory, or the passage, went into the context.",
        ("rank", "tokens", "record_indexes"),
    ),
    Relationship.REHYDRATED: Edge(
        (Label.CONTEXT_ASSEMBLY,), (Label.TOOL_ARTIFACT,), "The artifact's exact bytes went into the context."
    ),
    Relationship.BUILT_ON: Edge(
        (Label.CONTEXT_ASSEMBLY,),
        (Label.COMPACTION,),
        "The context saw older turns as this compaction has them.",
    ),
    Relationship.HAS_LINE: Edge((Label.COMPACTION,), (Label.SUMMARY_LINE,), "The line is of its summary."),
    Relationship.SUMMARISES: Edge(
        (Label.SUMMARY_LINE,), (Label.MESSAGE, Label.TOOL_MEMORY), "The line stands for it."
    ),
    Relationship.FOLDS: Edge(
        (Label.SUMMARY_LINE,), (Label.SUMMARY_LINE,), "The line stands for all that the earlier one did."
    ),
    Relationship.PINS: Edge((Label.PIN,), (Label.MESSAGE,), "The pin keeps the message in every context."),
    Relationship.SHARED_WITH: Edge(
        (Label.MESSAGE, Label.TOOL_MEMORY),
        (Label.PARTICIPANT,),
        "A release lets the participant see it, from that place on.",
        ("branch_ref", "seq"),
    ),
    Relationship.SEARCHED_FOR: Edge(
        (Label.QUERY,), (Label.PRODUCT,), "The question names the product.", _WEIGHTED
    ),
    Relationship.ASKED_ABOUT: Edge(
        (Label.QUERY,),
        (Label.DOCUMENT, Label.BOOKING, Label.COMPETITOR_PRICE),
        "The question names it.",
        _WEIGHTED,
    ),
    Relationship.ANSWERED_BY: Edge(
        (Label.QUERY,),
        (Label.RESPONSE,),
        "The question got this answer; ratings strengthen or weaken it.",
        _WEIGHTED,
    ),
    Relationship.CITED: Edge(
        (Label.RESPONSE,), (Label.DOCUMENT,), "The answer names the document.", _WEIGHTED
    ),
    Relationship.USED_TOOL: Edge(
        (Label.RESPONSE,), (Label.TOOL_CALL,), "The tool was called between question and answer."
    ),
    Relationship.BOOKED: Edge(
        (Label.USER, Label.BOOKING),
        (Label.PRODUCT,),
        "The user, or the booking, took the product.",
        _WEIGHTED,
    ),
    Relationship.VIEWED: Edge((Label.USER,), (Label.PRODUCT,), "The user looked at the product.", _WEIGHTED),
    Relationship.SIMILAR_TO: Edge(
        (Label.PRODUCT,), (Label.PRODUCT,), "The platform holds it for similar.", ("recorded_at",)
    ),
    Relationship.PRICED_AGAINST: Edge(
        (Label.PRODUCT,), (Label.COMPETITOR_PRICE,), "The product competes with this price.", ("recorded_at",)
    ),
    Relationship.NAMES: Edge((Label.ENTITY_NAME,), _NAMED, "It is called so."),
    Relationship.RATED: Edge(
        (Label.USER,), (Label.MESSAGE,), "The user's opinion of the answer.", ("rating", "recorded_at")
    ),
    Relationship.DECIDED_BY: Edge(
        (Label.CONTEXT_ASSEMBLY, Label.LEARNING_CANDIDATE, Label.KNOWLEDGE_DOCUMENT),
        (Label.POLICY_DECISION, Label.REVIEW_DECISION),
        "The policy decided what stayed out; the reviewer decided on it.",
    ),
    Relationship.RESUMED_FROM: Edge(
        (Label.MODEL_RUN,), (Label.CONTINUATION_CHECKPOINT,), "The run took the checkpoint up."
    ),
    Relationship.USED: Edge((Label.MODEL_RUN,), (Label.CONTEXT_ASSEMBLY,), "The run was given this context."),
    Relationship.REDACTS: Edge((Label.EVENT,), (Label.EVENT,), "The event gives the other one other words."),
    Relationship.HAS_PAYLOAD: Edge(
        (Label.EVENT,), (Label.PAYLOAD,), "The envelope's payload, while it exists."
    ),
}
