"""The whole choice of an assembly in one pure step: rank, merge, fill the budget."""

from __future__ import annotations

from collections.abc import Sequence

from service.model.candidates import Focus, MemoryCandidate, MessageCandidate
from service.model.vocabulary import Section
from service.policies.packing import Item, Packing, PackingProfile, Queue, Required, pack
from service.policies.ranking import rank_messages, rank_records

MESSAGE_FRAME_TOKENS = 6
"""What a message costs beside its text, as a real message or as a recalled line, whichever is more."""


def select(
    memories: Sequence[MemoryCandidate],
    messages: Sequence[MessageCandidate],
    required: Required,
    focus: Focus,
    budget_tokens: int,
    profile: PackingProfile,
    headings: dict[Section, int],
) -> Packing:
    """Choose among what every gate has passed, superseded memories left out.

    `messages` are those before the newest user message or after it that are no part of `required`, of any
    order. `headings` are the tokens of the fence and its section headings, by section. Raises BudgetTooSmall.
    """
    records = tuple(
        Item(
            Section.TOOL_MEMORIES,
            ranked.memory.uid,
            ranked.memory.record_tokens[ranked.record] if ranked.record >= 0 else 0,
            ranked.record,
            ranked.memory.headline_tokens,
        )
        for ranked in rank_records(memories, focus)
    )
    recalled = tuple(_message(Section.RECALLED_MESSAGES, m, profile) for m in rank_messages(messages, focus))
    newest = sorted(messages, key=lambda message: message.place, reverse=True)
    window = tuple(_message(Section.RECENT_WINDOW, m, profile) for m in newest)
    queues = (
        _queue(Section.TOOL_MEMORIES, profile.records_share, headings, records),
        _queue(Section.RECALLED_MESSAGES, profile.recalled_share, headings, recalled),
        _queue(Section.RECENT_WINDOW, profile.window_share, headings, window),
    )
    return pack(required, queues, budget_tokens, profile)


def _queue(section: Section, share: float, headings: dict[Section, int], items: tuple[Item, ...]) -> Queue:
    return Queue(section, share, headings.get(section, 0), items)


def _message(section: Section, message: MessageCandidate, profile: PackingProfile) -> Item:
    return Item(section, message.uid, min(message.tokens, profile.message_tokens_max) + MESSAGE_FRAME_TOKENS)
