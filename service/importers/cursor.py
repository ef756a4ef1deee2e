"""A place in a parsed file: reads what should be there, and names the place when it is not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service.importers.errors import TranscriptError


@dataclass(frozen=True, slots=True)
class Cursor:
    """A value with its address in the file."""

    value: Any
    file: Path
    line: int | None = None
    field: str = ""

    def refuse(self, reason: str) -> TranscriptError:
        """The error to raise about this place. `reason` never quotes the value."""
        return TranscriptError(self.file, reason, line=self.line, field=self.field)

    def __getitem__(self, name: str) -> Cursor:
        """The member of an object; raises `TranscriptError` where it is missing."""
        if name not in self.as_object().value:
            raise self._child(name, None).refuse("is missing")
        return self._child(name, self.value[name])

    def get(self, name: str) -> Cursor | None:
        """The member of an object, or None where it is missing or null."""
        value = self.as_object().value.get(name)
        return None if value is None else self._child(name, value)

    def as_object(self) -> Cursor:
        """This place, which must hold an object."""
        if not isinstance(self.value, dict):
            raise self.refuse("should be an object")
        return self

    def as_list(self) -> list[Cursor]:
        """The places of a list."""
        if not isinstance(self.value, list):
            raise self.refuse("should be a list")
        items = enumerate(self.value)
        return [Cursor(item, self.file, self.line, f"{self.field}[{at}]") for at, item in items]

    def as_text(self) -> str:
        """The string that must be here."""
        if not isinstance(self.value, str):
            raise self.refuse("should be text")
        return self.value

    def as_filled(self) -> str:
        """The string that must be here and not be empty."""
        if not self.as_text():
            raise self.refuse("is empty")
        return self.as_text()

    def text_of(self, name: str) -> str | None:
        """The text of a member, or None where it is missing, null or empty."""
        member = self.get(name)
        return (member.as_text() or None) if member else None

    def has(self, *names: str) -> bool:
        """Whether this is an object with one of these members."""
        return isinstance(self.value, dict) and any(name in self.value for name in names)

    def _child(self, name: str, value: Any) -> Cursor:
        return Cursor(value, self.file, self.line, f"{self.field}.{name}" if self.field else name)
