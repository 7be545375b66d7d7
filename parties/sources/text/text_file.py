"""A text file as bytes of UTF-8, whatever it is stated to be: packed, or encoded otherwise.

Only what is stated is undone: the ending .gz says that a file is packed by gzip, and `encoding`
how its letters are written. A text in UTF-16 begins with its byte order mark.
"""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ppaurora.parties.errors import ConfigurationError, DataError
from ppaurora.parties.sources.text.encoding import ENCODINGS

__all__ = ["PACKED", "TextFile"]

PACKED = ".gz"
PART = 1 << 20


@dataclass(frozen=True, slots=True)
class TextFile:
    """The file at `path`; its name in messages is the path."""

    path: Path
    encoding: str = ENCODINGS[0]

    def __post_init__(self) -> None:
        if self.encoding not in ENCODINGS:
            raise ConfigurationError(
                "--encoding names none of the known encodings",
                advice=f"Say {' or '.join(ENCODINGS)}.",
            )

    def __str__(self) -> str:
        return str(self.path)

    @property
    def packed(self) -> bool:
        """Whether the name says that the file is packed."""
        return self.path.name.lower().endswith(PACKED)

    @contextlib.contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The text, unpacked and in UTF-8, from its beginning."""
        try:
            with contextlib.ExitStack() as stack:
                file: BinaryIO = stack.enter_context(self.path.open("rb"))
                if self.packed:
                    file = stack.enter_context(io.BufferedReader(gzip.GzipFile(fileobj=file)))
                if self.encoding != ENCODINGS[0]:
                    recoded = _InUtf8(file, self.encoding)
                    file = stack.enter_context(io.BufferedReader(recoded, PART))
                yield file
        except (gzip.BadGzipFile, EOFError, zlib.error):
            raise DataError(
                f"{self} is not what its ending {PACKED} says, or it is damaged or cut short",
                advice="Check it with `gzip --test`, and copy it again.",
            ) from None
        except UnicodeError:
            raise DataError(
                f"{self} is no text in {self.encoding.upper()}, as was stated",
                advice=f"State its encoding with --encoding: {' or '.join(ENCODINGS)}.",
            ) from None


class _InUtf8(io.RawIOBase):
    """Bytes of UTF-8 out of a file in another encoding."""

    def __init__(self, file: BinaryIO, encoding: str) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._left = b""
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not (self._left or self._ended):
            part = self._file.read(PART)
            self._ended = not part
            self._left = self._decoder.decode(part, final=self._ended).encode()
        taken, self._left = self._left[: len(buffer)], self._left[len(buffer) :]
        buffer[: len(taken)] = taken
        return len(taken)
