"""From a file to its rows: bytes, gzip, UTF-8, JSON or JSON lines."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any, NoReturn

from service.importers.cursor import Cursor
from service.importers.errors import TranscriptError

FILE_BYTES_MAX = 1 << 30
"""Of a file, unpacked."""
_GZIP_MAGIC = b"\x1f\x8b"


def read_rows(path: Path) -> list[Cursor]:
    """The rows of a file: its lines, the items of its list, or the one object that it is.

    Raises `TranscriptError` for a file that is missing, empty, too big, not text, or not JSON.
    """
    text = _text(path)
    if not text.strip():
        raise TranscriptError(path, "is empty")
    try:
        value = _parse(text)
    except json.JSONDecodeError as error:
        if not _is_lines(text):
            raise TranscriptError(path, f"is not JSON: {error.msg}", line=error.lineno) from None
        return _lines(path, text)
    except (ValueError, RecursionError) as error:
        raise TranscriptError(path, _why(error)) from None
    if isinstance(value, list) and value:
        return Cursor(value, path).as_list()
    if value == []:
        raise TranscriptError(path, "holds an empty list")
    return [Cursor(value, path, line=None if "\n" in text.strip() else 1).as_object()]


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            packed = file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
        with gzip.open(path) if packed else path.open("rb") as file:
            raw = file.read(FILE_BYTES_MAX + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise TranscriptError(path, "is a damaged gzip file") from None
    except OSError as error:
        raise TranscriptError(path, f"cannot be read: {error.strerror or type(error).__name__}") from None
    if len(raw) > FILE_BYTES_MAX:
        raise TranscriptError(path, f"is larger than {FILE_BYTES_MAX >> 20} MiB")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise TranscriptError(path, f"is not UTF-8 text (byte {error.start})", line=line) from None
    if "\x00" in text:
        line = text.count("\n", 0, text.index("\x00")) + 1
        raise TranscriptError(path, "holds a NUL byte: this is not a text file", line=line)
    return text


def _is_lines(text: str) -> bool:
    """Whether a text that is no JSON document is meant as JSON lines: one of its first two is a row itself.

    The second counts so that a damaged first line is named as such; in a printed list it ends with a comma.
    """
    for line in list(filter(str.strip, text.split("\n", maxsplit=2)))[:2]:
        try:
            if isinstance(_parse(line), (dict, list)):
                return True
        except (ValueError, RecursionError):
            continue
    return False


def _lines(path: Path, text: str) -> list[Cursor]:
    rows = []
    # Not splitlines(): JSON text may hold U+2028 and its kin unescaped.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            rows.append(Cursor(_parse(line), path, number))
        except json.JSONDecodeError as error:
            reason = f"is not JSON: {error.msg} (character {error.pos + 1})"
            raise TranscriptError(path, reason, line=number) from None
        except (ValueError, RecursionError) as error:
            raise TranscriptError(path, _why(error), line=number) from None
    return rows


def _parse(text: str) -> Any:
    return json.loads(text, parse_constant=_not_a_number)


def _not_a_number(name: str) -> NoReturn:
    raise ValueError(f"holds {name}, which is not JSON")


def _why(error: Exception) -> str:
    return "is nested too deeply" if isinstance(error, RecursionError) else str(error)
