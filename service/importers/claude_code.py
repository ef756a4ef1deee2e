"""Claude Code session files: one line per message, tool result, note of the program, or piece of bookkeeping.

The format has no specification and grows: a line of an unknown type is counted, never silently dropped. Lines
of `user` and `assistant` are what was said, and those must be whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from service.importers.blocks import Blocks, read_blocks
from service.importers.conversations import (
    ASSISTANT,
    USER,
    Draft,
    ImportedConversation,
    Seat,
    digest,
    joined_id,
    text_part,
)
from service.importers.cursor import Cursor
from service.model.vocabulary import ParticipantKind, Role, RunStatus, RuntimeKind, Visibility

SPOKEN = ("user", "assistant")
TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle", "summary": "summary"}
"""Lines that name a session, most telling first. A summary's leaf says whose title it is."""
PROVIDER = "anthropic"
PROGRAM = Seat("claude-code", ParticipantKind.SYSTEM)
PROGRAM_NOTES = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")
"""Marks of `user` lines that the program wrote: caveats, and summaries after a compaction."""
USAGE_NAMES = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def is_own(row: Cursor) -> bool:
    """Whether this looks like a line of a session."""
    kind = row.value.get("type") if isinstance(row.value, dict) else None
    return kind in SPOKEN and row.has("message") and (row.has("sessionId", "uuid", "timestamp"))


@dataclass(slots=True)
class Session:
    """The lines of one session id, spoken ones apart."""

    lines: list[Cursor] = field(default_factory=list)
    titles: list[Cursor] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


def read(rows: list[Cursor], user_id: str | None = None) -> list[ImportedConversation]:
    """One conversation per session id, in order of appearance. Raises `TranscriptError`."""
    sessions: dict[str | None, Session] = {}
    stray = Session()  # bookkeeping without a session id goes to the first session
    for row in _unwrapped(rows):
        kind = row.value.get("type") if isinstance(row.value, dict) else None
        own_id = row.text_of("sessionId") if isinstance(row.value, dict) else None
        spoken = kind in SPOKEN or (kind == "system" and bool(row.text_of("content")))
        session = sessions.setdefault(own_id, Session()) if spoken else sessions.get(own_id, stray)
        if spoken:
            session.lines.append(row)
        elif kind in TITLES:
            session.titles.append(row)
        else:
            session.skipped.append(f"{kind} lines" if isinstance(kind, str) else "lines of no type")
    if not sessions:
        raise rows[0].refuse("and all that follow hold nothing that was said")
    first = next(iter(sessions.values()))
    first.titles += stray.titles
    first.skipped += stray.skipped
    return [_conversation(own_id, session, user_id) for own_id, session in sessions.items()]


def _unwrapped(rows: list[Cursor]) -> Iterator[Cursor]:
    """The lines themselves; an exported session holds them as `loglines`."""
    for row in rows:
        if row.has("loglines"):
            yield from row["loglines"].as_list()
        else:
            yield row


def _conversation(own_id: str | None, session: Session, user_id: str | None) -> ImportedConversation:
    lines = session.lines
    agents = {_flag(line, "isSidechain") and line.text_of("agentId") for line in lines}
    agent = agents.pop() if len(agents) == 1 else None
    named = own_id or f"session-{digest([line.value for line in lines])}"
    own = {line.text_of("uuid") for line in lines}
    titles = [t for t in session.titles if t.value["type"] != "summary" or t.text_of("leafUuid") in own]
    draft = Draft(
        lines[0],
        joined_id(named, agent) if agent else named,
        user_id=user_id,
        title=_title(titles),
        runtime_kind=RuntimeKind.SUBAGENT if agent else None,
    )
    draft.skip("titles of other sessions", len(session.titles) - len(titles))
    draft.sit(lines[0], USER)
    draft.sit(lines[0], ASSISTANT)
    for what in session.skipped:
        draft.skip(what)
    _Reader(draft, lines).read()
    return draft.finish()


def _title(titles: list[Cursor]) -> str | None:
    """The newest name of the best kind."""
    for kind, name in TITLES.items():
        for row in reversed(titles):
            if row.value["type"] == kind:
                return row.text_of(name)
    return None


class _Reader:
    """Walks the spoken lines of one session in the order of the file."""

    def __init__(self, draft: Draft, lines: list[Cursor]) -> None:
        self._draft = draft
        self._lines = lines
        self._usage = _usage(lines)
        self._runs: dict[str, str] = {}
        self._seats: dict[str, Seat] = {}
        self._seen: dict[str, Any] = {}

    def read(self) -> None:
        abandoned = _abandoned(self._lines)
        for at, line in enumerate(self._lines):
            uuid = line.text_of("uuid")
            if uuid and uuid in self._seen:
                if self._seen[uuid] != line.value:
                    raise line["uuid"].refuse("was used before, for another line")
                self._draft.skip("repeated lines")
                continue
            if uuid:
                self._seen[uuid] = line.value
            if uuid in abandoned:
                self._draft.skip("lines left behind by a rewind")
                continue
            self._line(line, uuid or f"line-{at}")

    def _line(self, line: Cursor, name: str) -> None:
        at = {"occurred_at": _time(line)}
        if line.value["type"] == "system":
            self._draft.say(line, PROGRAM, Role.SYSTEM, name, [text_part(line["content"].as_text())], **at)
            return
        blocks = read_blocks(line["message"]["content"])
        if line.value["type"] == "assistant":
            self._answer(line, name, blocks, at)
            return
        seat = self._seat(line, USER)
        self._results(blocks, at)
        if any(_flag(line, mark) for mark in PROGRAM_NOTES):
            self._draft.say(line, PROGRAM, Role.SYSTEM, name, blocks.parts, **at)
        elif blocks.parts or not blocks.results:
            self._draft.say(line, seat, Role.USER, name, blocks.parts, **at)

    def _results(self, blocks: Blocks, at: dict[str, Any]) -> None:
        for answered in blocks.results:
            self._draft.result(answered.at, answered.given_id, answered.result, failed=answered.failed, **at)

    def _answer(self, line: Cursor, name: str, blocks: Blocks, at: dict[str, Any]) -> None:
        message, seat = line["message"], self._seat(line, ASSISTANT)
        # One answer is written as one line per block, with results between them: the first opens its run.
        answer_id = message.text_of("id") or name
        failed = _flag(line, "isApiErrorMessage")
        said = [part["content"] for part in blocks.parts if part["type"] == "text"]
        if answer_id not in self._runs:
            self._runs[answer_id] = self._draft.run(
                line,
                seat,
                joined_id("run", answer_id),
                provider=PROVIDER,
                model=message.text_of("model"),
                run_status=RunStatus.FAILED if failed else None,
                error="\n".join(said) if failed else None,
                **self._usage.get(answer_id, {}),
                **at,
            )
        if failed:
            return
        self._draft.answer(line, seat, name, self._runs[answer_id], blocks.parts, blocks.calls, **at)
        self._results(blocks, at)

    def _seat(self, line: Cursor, main: Seat) -> Seat:
        """Whose line this is: a side chain is a subagent's own, seen by nobody else."""
        if not _flag(line, "isSidechain"):
            return main
        uuid, parent = line.text_of("uuid") or "", line.text_of("parentUuid")
        seat = self._seats.get(parent or "")
        if named := line.text_of("agentId"):
            seat = _subagent(named)
        elif seat is None:
            seat = _subagent(uuid or "unnamed")
        self._seats[uuid] = seat
        return seat


def _subagent(name: str) -> Seat:
    return Seat(
        joined_id("subagent", name),
        ParticipantKind.SUBAGENT,
        parent=ASSISTANT.participant_id,
        visibility=Visibility.PARTICIPANT,
        runtime_kind=RuntimeKind.SUBAGENT,
    )


def _time(line: Cursor) -> datetime | None:
    if not (text := line.text_of("timestamp")):
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None:
        raise line["timestamp"].refuse("should be a time with its offset")
    return at


def _flag(line: Cursor, name: str) -> bool:
    return line.value.get(name) is True


def _is_prompt(line: Cursor) -> bool:
    """Whether a person typed this line, as far as the file says."""
    if line.value["type"] != "user" or any(_flag(line, mark) for mark in (*PROGRAM_NOTES, "isSidechain")):
        return False
    message = line.value.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return not isinstance(content, list) or not any(
        isinstance(block, dict) and block.get("type") == "tool_result" for block in content
    )


def _abandoned(lines: list[Cursor]) -> set[str]:
    """The uuids of what a rewind left behind: a prompt whose parent got another later, and what came of it.

    Only prompts count: the results of parallel calls also make several children of one line.
    """
    newest: dict[str, str] = {}
    left: set[str] = set()
    for line in lines:
        uuid, parent = line.text_of("uuid"), line.text_of("parentUuid")
        if uuid and parent and _is_prompt(line):
            if (earlier := newest.get(parent)) and earlier != uuid:
                left.add(earlier)
            newest[parent] = uuid
    for line in lines:
        uuid = line.text_of("uuid")
        if uuid and line.text_of("parentUuid") in left:
            left.add(uuid)
    return left


def _usage(lines: list[Cursor]) -> dict[str, dict[str, int]]:
    """Tokens per answer id, from its last line: earlier ones are written while the answer still grows."""
    found = {}
    for line in lines:
        message = line.value.get("message")
        if not isinstance(message, dict) or not isinstance(usage := message.get("usage"), dict):
            continue
        answer_id = message.get("id") or line.value.get("uuid")
        sums = [usage[name] for name in USAGE_NAMES if isinstance(usage.get(name), int)]
        counted = {"input_tokens": sum(sums)} if sums else {}
        if isinstance(usage.get("output_tokens"), int):
            counted["output_tokens"] = usage["output_tokens"]
        if isinstance(answer_id, str):
            found[answer_id] = counted
    return found
