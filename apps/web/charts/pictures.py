"""A picture of numbers: the drawing, what it says in words, and the numbers themselves."""

import base64

from apps.contract import Contract
from apps.web.csv import csv_stream

Cell = str | int | float | None


class Picture(Contract):
    """`svg` is whole and escaped; `alt` says the numbers that matter; `rows` are all of them."""

    name: str
    svg: str
    alt: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @property
    def csv(self) -> str:
        """The numbers for a spreadsheet, which runs nothing in them."""
        return "".join(csv_stream(self.columns, self.rows))

    @property
    def csv_address(self) -> str:
        """Where a link downloads them from: the page itself."""
        coded = base64.b64encode(self.csv.encode()).decode()
        return f"data:text/csv;charset=utf-8;base64,{coded}"

    @property
    def filename(self) -> str:
        words = "".join(each if each.isalnum() else " " for each in self.name.lower()).split()
        return f"{'-'.join(words) or 'picture'}.csv"
