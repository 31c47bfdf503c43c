import csv
import io

import pytest

from apps.web.csv import csv_stream, safe_cell


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_a_text_that_a_spreadsheet_would_run_is_guarded(start: str) -> None:
    assert safe_cell(f"{start}1+1") == f"'{start}1+1"


@pytest.mark.parametrize("value", ["plain", "a=b", -5, 0.5, "", True])
def test_everything_else_stays_as_it_is(value: object) -> None:
    assert safe_cell(value) == value


def test_nothing_is_an_empty_cell() -> None:
    assert safe_cell(None) == ""


def test_a_heading_is_guarded_too() -> None:
    assert "".join(csv_stream(["=1+1", "n"], [])) == "'=1+1,n\r\n"


def test_a_table_is_read_back_as_it_was() -> None:
    rows = [[number, f'with "quotes", commas\nand lines {number}'] for number in range(1000)]

    pieces = list(csv_stream(["n", "text"], iter(rows)))

    read = list(csv.reader(io.StringIO("".join(pieces), newline="")))
    assert read[0] == ["n", "text"]
    assert [[int(n), text] for n, text in read[1:]] == rows
    assert len(pieces) > 1
