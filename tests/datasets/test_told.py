import io

from apps.datasets import told


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_drawn_on_a_terminal_and_wiped_at_the_end() -> None:
    terminal = Terminal()

    draw = told.progress_on(terminal)
    assert draw is not None
    draw(25, 100, 50)
    draw(100, 100, 200)
    told.end_progress(terminal)

    assert "Reading  25%: 50 records, " in terminal.getvalue()
    assert terminal.getvalue().endswith("Storing…\r\x1b[K")


def test_where_nobody_looks_nothing_is_drawn() -> None:
    pipe = io.StringIO()

    assert told.progress_on(pipe) is None
    told.end_progress(pipe)

    assert pipe.getvalue() == ""


def test_a_text_from_a_file_cannot_move_the_cursor_or_fill_the_terminal() -> None:
    assert (
        told.printable("a\x1b[2Jb\n") == "a\N{REPLACEMENT CHARACTER}[2Jb\N{REPLACEMENT CHARACTER}"
    )
    assert len(told.printable("x" * 10_000)) == 160


def test_a_refusal_names_its_code_and_details() -> None:
    error = {"code": "conflict", "message": "It is there.", "details": {"dataset_id": "qa"}}

    assert list(told.lines({"error": error})) == [
        "Rejected (conflict): It is there.",
        "  dataset_id: qa",
    ]
