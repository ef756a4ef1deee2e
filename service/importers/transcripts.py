"""Where the conversations of a file are: a list of messages, rows that hold one each, or a single object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from service.importers.conversations import Draft, ImportedConversation, digest
from service.importers.cursor import Cursor

MESSAGE_LISTS = ("traj", "messages", "conversation")


@dataclass(frozen=True, slots=True)
class Transcript:
    """One conversation as its file has it. `row` is the object around the messages, where there is one."""

    at: Cursor
    messages: list[Cursor]
    row: Cursor | None = None

    def text_of(self, name: str) -> str | None:
        """A text beside the messages."""
        return self.row.text_of(name) if self.row else None

    def draft(self, user_id: str | None) -> Draft:
        """An empty conversation under this transcript's id."""
        person = user_id or self.text_of("user_id")
        return Draft(self.at, self._conversation_id(), user_id=person, title=self.text_of("title"))

    def _conversation_id(self) -> str:
        """The file's own id; where that is only a number or nothing, with a hash of the messages."""
        for name in ("conversation_id", "id"):
            if self.row and isinstance(own := self.row.value.get(name), str) and own:
                return own
        content = digest([message.value for message in self.messages])
        if self.row and self.row.has("task_id"):
            task, trial = self.row.value["task_id"], self.row.value.get("trial", 0)
            if isinstance(task, (int, str)) and isinstance(trial, int):
                return f"task-{task}-trial-{trial}-{content}"
        return f"chat-{content}"


def transcripts(rows: list[Cursor]) -> Iterator[Transcript]:
    """The conversations of a file, in its order."""
    if rows[0].has("role"):
        yield Transcript(rows[0], rows)
        return
    for row in rows:
        if isinstance(row.value, list):
            yield Transcript(row, row.as_list())
            continue
        name = next((name for name in MESSAGE_LISTS if row.as_object().value.get(name)), "messages")
        yield Transcript(row, row[name].as_list(), row)


def once(found: Iterable[tuple[Transcript, ImportedConversation]]) -> list[ImportedConversation]:
    """Each conversation once: a repeated row counts as skipped, another row under the same id is refused."""
    kept: dict[str, ImportedConversation] = {}
    for transcript, conversation in found:
        earlier = kept.setdefault(conversation.conversation_id, conversation)
        if earlier is conversation:
            continue
        if earlier.batches != conversation.batches:
            raise transcript.at.refuse("has the id of another conversation of this file")
        earlier.skipped["repeated conversations"] = earlier.skipped.get("repeated conversations", 0) + 1
    return list(kept.values())
