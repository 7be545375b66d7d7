"""One patient has one text, whatever a program holds identifiers in; what may differ is refused."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pytest

from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.columns.objects import identifier_texts

DAY = datetime(1967, 3, 9)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (" 00123", " 00123"),
        (123, "123"),
        (np.int64(123), "123"),
        (10**30, "1" + 30 * "0"),
        (Decimal(123), "123"),
        (date(1967, 3, 9), "1967-03-09"),
        (date(967, 3, 9), "0967-03-09"),
        (DAY, "1967-03-09"),
        (pd.Timestamp(DAY), "1967-03-09"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (None, ""),
        (pd.NA, ""),
        (pd.NaT, ""),
    ],
)
def test_texts_whole_numbers_and_days_are_identifiers(value: object, text: str) -> None:
    assert identifier_texts([value], "the list", "patient") == [text]


@pytest.mark.parametrize(
    "value",
    [
        123.0,
        np.float32(123),
        Decimal("123.0"),
        Decimal("1E+2"),
        Decimal("NaN"),
        True,
        np.bool_(True),
        b"123",
        DAY + timedelta(seconds=1),
        DAY.replace(tzinfo=UTC),
        ["123"],
    ],
)
def test_what_has_several_texts_is_refused_and_not_repeated(value: Any) -> None:
    with pytest.raises(DataError, match='the list, column "patient"') as caught:
        identifier_texts(["A", value], "the list", "patient")
    assert "are no identifiers" in str(caught.value)
    assert "123" not in str(caught.value)
    assert "1967" not in str(caught.value)
