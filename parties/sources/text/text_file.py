"""Text files as bytes of UTF-8, unpacked and recoded as stated; other files are refused by kind.

Only what is stated is undone: the ending .gz says that a file is packed by gzip, and `encoding`
says how its letters are written. A text in UTF-16 begins with its byte order mark.
"""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ppaurora.parties.errors import ConfigurationError, DataError

ENCODINGS = ("utf-8", "utf-16", "latin-1")

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

SAVE_AS_UTF8 = "Save it as CSV in UTF-8 (spreadsheets call it “CSV UTF-8”)."

EXPORT = "Export the list as CSV in UTF-8, or as Parquet."

STATE_UTF16 = f"State it with --encoding utf-16. Or: {SAVE_AS_UTF8}"

UNPACK_GZIP = "Give it a name that ends in .gz, such as list.csv.gz, or unpack it first."

UNPACK = "Unpack it first, or write the list as Parquet, which is compressed by itself."

SIGNATURES = (
    (b"\xff\xfe\0\0", "a text in UTF-32", SAVE_AS_UTF8),
    (b"\0\0\xfe\xff", "a text in UTF-32", SAVE_AS_UTF8),
    (b"\xff\xfe", "a text in UTF-16", STATE_UTF16),
    (b"\xfe\xff", "a text in UTF-16", STATE_UTF16),
    (b"\x1f\x8b", "compressed (gzip)", UNPACK_GZIP),
    (b"\x28\xb5\x2f\xfd", "compressed (zstd)", UNPACK),
    (b"\xfd7zXZ\0", "compressed (xz)", UNPACK),
    (b"BZh91AY&SY", "compressed (bzip2)", UNPACK),
    (b"PK\x03\x04", "a zip archive or a spreadsheet", EXPORT),
    (b"\xd0\xcf\x11\xe0", "a spreadsheet of an old kind", EXPORT),
    (b"PAR1\x15", "a Parquet file", "Give it a name that ends in .parquet."),
)


def check_file(path: Path) -> None:
    """Refuse what is no file that can be opened and read twice."""
    if path.is_dir():
        raise DataError(f"{path} is a folder", advice="Give the file that holds your list.")
    if not path.exists():
        raise DataError(
            f"There is no file {path}", advice="Check the path, and that you may read it."
        )
    if not path.is_file():
        raise DataError(
            f"{path} is no regular file", advice="Save the list as a file, and give that."
        )
    try:
        with path.open("rb") as file:
            file.read(1)
    except OSError:
        raise DataError(f"{path} cannot be read", advice="Check its permissions.") from None


def check_start(source: str, start: bytes) -> None:
    """Refuse a file that begins as no text in UTF-8 does."""
    if not start.removeprefix(BYTE_ORDER_MARK).strip():
        raise DataError(f"{source} is empty", advice="Give the file that holds your list.")
    for signature, what, advice in SIGNATURES:
        if start.startswith(signature):
            raise DataError(f"{source} is {what}", advice=advice)


def check_bytes(source: str, text: bytes, line_of: Callable[[int], int]) -> None:
    """Refuse NUL bytes and what is not UTF-8, with the line."""
    if (place := text.find(b"\0")) >= 0:
        raise DataError(
            f"{source} holds a NUL byte in line {line_of(place)}, so it is no text in UTF-8",
            advice="It may be a text in UTF-16, which --encoding utf-16 states, or damaged. "
            f"{SAVE_AS_UTF8}",
        )
    if text.isascii():
        return
    try:
        text.decode()
    except UnicodeDecodeError as error:
        raise DataError(
            f"{source} is no text in UTF-8: line {line_of(error.start)} holds another encoding",
            advice=f"If it is in Latin-1, state --encoding latin-1. Or: {SAVE_AS_UTF8}",
        ) from None


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
        """Return whether the name says that the file is packed."""
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
        part_read, self._left = self._left[: len(buffer)], self._left[len(buffer) :]
        buffer[: len(part_read)] = part_read
        return len(part_read)
