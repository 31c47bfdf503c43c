"""`evalhub agreement`: figures of any file of labels, without a database."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands import evalhub, evalhub_in
from tests.datasets.pairs import real
from tests.metrics.labellers import (
    Distance,
    by_item,
    nominal,
    of_rows,
    ordinal,
    slow_ac1,
    slow_alpha,
    slow_percent,
)

TWO_CRITERIA = """\
item_id,annotator_id,criterion,label
a,bob,clear,yes
a,charlie,clear,yes
b,bob,clear,yes
b,charlie,clear,no
c,bob,clear,no
c,charlie,clear,no
d,bob,clear,no
a,bob,grade,3
a,charlie,grade,4
b,bob,grade,1
b,charlie,grade,2
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "labels.csv"
    path.write_text(TWO_CRITERIA)
    return path


def measured(*words: object) -> dict[str, Any]:
    ended = evalhub("agreement", *map(str, words), "--json")
    assert ended.status == 0, ended.err or ended.out
    facts = ended.facts
    return {**facts, "questions": {each["question"]: each for each in facts["questions"]}}


def test_every_criterion_has_its_figures(file: Path) -> None:
    found = measured(file)

    assert {name: found[name] for name in ("rows", "labels", "discarded", "items", "people")} == {
        "rows": 11, "labels": 11, "discarded": 0, "items": 4, "people": 2,
    }  # fmt: skip
    clear = found["questions"]["clear"]["agreement"]
    assert (clear["items"], clear["alone"], clear["raters"], clear["pairs"]) == (3, 1, 2, 3)
    assert clear["marginals"] == [{"label": "false", "count": 4}, {"label": "true", "count": 3}]
    assert clear["percent"]["point"] == pytest.approx(2 / 3)
    assert clear["alpha"]["point"] == pytest.approx(4 / 9)
    assert clear["level"] == "nominal"


@pytest.mark.parametrize(
    "heading",
    [
        "item,annotator,criterion,label",
        "id,annotator_id,question,value",
        "item_id,annotator,question,label",
    ],
)
def test_columns_go_by_their_common_names(file: Path, heading: str) -> None:
    expected = measured(file)["questions"]

    file.write_text(TWO_CRITERIA.replace("item_id,annotator_id,criterion,label", heading))

    assert measured(file)["questions"] == expected


def test_columns_of_any_name_are_mapped_in_file_and_gold(file: Path, tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text("row,who,about,said\na,alice,clear,yes\n")
    file.write_text(
        TWO_CRITERIA.replace("item_id,annotator_id,criterion,label", "row,who,about,said")
    )
    names = ("id=row", "annotator_id=who", "criterion=about", "label=said")

    found = measured(file, "--gold", gold, *(word for name in names for word in ("--map", name)))

    assert found["questions"]["clear"]["agreement"]["items"] == 3
    assert found["questions"]["clear"]["people"][0]["gold"]["n"] == 1


def test_a_file_of_one_question_need_not_name_it(file: Path) -> None:
    file.write_text("item,annotator,label\na,bob,yes\na,charlie,no\nb,bob,3\n")

    (found,) = measured(file)["questions"].values()

    assert (found["question"], found["agreement"]["items"]) == ("label", 1)


def test_pairs_and_people_are_told(file: Path) -> None:
    clear = measured(file)["questions"]["clear"]

    (pair,) = clear["pairs"]["listed"]
    assert (pair["first"], pair["second"], pair["items"]) == ("bob", "charlie", 3)
    assert pair["kappa"]["point"] == pytest.approx(0.4)
    assert [each["annotator"] for each in clear["people"]] == ["bob", "charlie"]
    assert clear["people"][0]["alone"] == 1
    assert clear["people"][0]["consensus"]["n"] == 3


def test_the_level_is_chosen_and_refused_where_labels_are_no_numbers(file: Path) -> None:
    found = measured(file, "--level", "ordinal")["questions"]

    assert found["clear"]["agreement"]["alpha"]["point"] is None
    assert found["clear"]["agreement"]["alpha"]["reason"] == "ordinal needs labels that are numbers"
    assert found["grade"]["agreement"]["alpha"]["point"] is not None
    assert found["grade"]["agreement"]["percent"]["point"] == 0


def test_known_labels_come_from_a_second_file(file: Path, tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text(
        "item_id,annotator_id,criterion,label\n"
        "a,alice,clear,yes\nb,alice,clear,no\nc,alice,clear,yes\nc,ada,clear,no\n"
    )

    bob, charlie = measured(file, "--gold", gold)["questions"]["clear"]["people"]

    assert (bob["gold"]["point"], bob["gold"]["n"]) == (0.5, 2)
    assert (charlie["gold"]["point"], charlie["gold"]["n"]) == (1, 2)


def test_another_seed_gives_other_bounds(file: Path) -> None:
    rows = "".join(
        f"i{i},{who},x,{'yes' if (i * step) % 5 > i % 3 else 'no'}\n"
        for i in range(40)
        for who, step in (("bob", 1), ("charlie", 7), ("ada", i))
    )
    file.write_text("item_id,annotator_id,criterion,label\n" + rows)

    first, again, other = (measured(file, "--seed", seed) for seed in (1, 1, 2))

    assert first == again
    bounds = (each["questions"]["x"]["agreement"]["ac1"] for each in (first, other))
    assert len({(each["low"], each["high"]) for each in bounds}) == 2


def test_tasks_chunks_and_discards_of_the_annotation_format_are_read(file: Path) -> None:
    file.write_text(
        "id,task_type,label,annotator_id,annotated_at,chunk_id,discard_reason\n"
        "p1,retrieval,true,bob,,c1,\np1,retrieval,false,bob,,c2,\n"
        "p1,retrieval,true,charlie,,c1,\np1,retrieval,,charlie,,c2,unclear\n"
    )

    (found,) = measured(file)["questions"].values()

    assert (found["question"], found["discarded"]) == ("retrieval", 1)
    assert (found["agreement"]["items"], found["agreement"]["alone"]) == (1, 1)


def test_people_read_a_table(file: Path) -> None:
    out = evalhub("agreement", str(file)).out

    assert "11 labels of 2 people on 4 items, 0 discarded; alpha is nominal" in out
    assert "clear: 3 items with 3 pairs of labels, 1 with one label, 2 people" in out
    assert "  labels   false 4, true 3\n" in out
    assert "  percent  0.667  0.000 to 1.000\n" in out
    assert "    bob, charlie  3      0.667" in out
    assert "(no item has a known answer)" in out


def test_names_cannot_move_the_cursor(file: Path) -> None:
    file.write_text(
        'item_id,annotator_id,criterion,label\na,"b\x1b[2J",c,"x\x1b[2J"\na,bob,c,"x\x1b[2J"\n'
    )

    assert "\x1b" not in evalhub("agreement", str(file)).out


ONE_BAD = "id,task_type,label,annotator_id\np1,grounding,true,bob\np2,grounding,perhaps,bob\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (ONE_BAD, "line 3, label: invalid_label: label must be true or false."),
        ("id,label\np1,true\n", "annotator_id"),
        (
            "item,annotator,criterion,label\na,bob,clear,yes\nb,bob,,yes\n",
            "criterion must not be empty.",
        ),
        (TWO_CRITERIA + "d,bob,clear,yes\n", "line 13, id: duplicate_annotation"),
        ("", "The file is empty"),
        ("item_id,annotator_id,criterion,label\n", "The file has no rows"),
    ],
    ids=["bad label", "missing columns", "no criterion", "twice", "empty", "no rows"],
)
def test_errors_are_told_with_line_and_code(file: Path, content: str, words: str) -> None:
    file.write_text(content)

    told, answered = (evalhub("agreement", str(file), *more) for more in ((), ("--json",)))

    assert told.status == answered.status == 2
    assert words in told.out
    assert answered.facts["error"]["code"]
    assert answered.facts["file"] == str(file)


def test_an_error_in_the_gold_names_its_file(file: Path, tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text(ONE_BAD)

    ended = evalhub("agreement", str(file), "--gold", str(gold))

    assert ended.status == 2
    assert ended.out.startswith(f"{gold}:")


def test_no_database_is_made(file: Path, tmp_path: Path) -> None:
    ended = evalhub_in(tmp_path / "data", "agreement", str(file), "--json")

    assert ended.status == 0, ended.err
    assert ended.facts["rows"] == 11
    assert not list((tmp_path / "data").glob("*.sqlite3"))


def test_a_file_that_is_not_there_is_told() -> None:
    ended = evalhub("agreement", "nowhere.csv")

    assert (ended.status, ended.err) == (2, "nowhere.csv: No such file or directory.")


# -- real labels, held against the slow way -------------------------------------------------


@pytest.mark.parametrize(
    ("name", "level", "distance"),
    [
        ("xsum_factuality.csv", "nominal", nominal),
        ("ambient_linguists.csv", "nominal", nominal),
        ("ambient_crowd.csv", "nominal", nominal),
        ("mtrag_ratings.csv", "nominal", nominal),
        ("mtrag_ratings.csv", "ordinal", ordinal),
    ],
)
def test_real_labels_have_the_figures_of_the_slow_way(
    name: str, level: str, distance: Distance
) -> None:
    file = real(f"annotators/{name}")
    criteria: dict[str, list[tuple[str, str, str]]] = {}
    with file.open(newline="") as lines:
        for row in csv.DictReader(lines):
            said = (row["item_id"], row["annotator_id"], row["label"])
            criteria.setdefault(row["criterion"], []).append(said)

    found = measured(file, "--level", level)

    assert set(found["questions"]) == set(criteria)
    assert found["labels"] == sum(map(len, criteria.values()))
    for criterion, rows in criteria.items():
        agreement = found["questions"][criterion]["agreement"]
        items = by_item(of_rows(rows))
        paired = [labels for labels in items if len(labels) > 1]
        assert (agreement["items"], agreement["alone"]) == (len(paired), len(items) - len(paired))
        assert agreement["labels"] == len(rows) == sum(m["count"] for m in agreement["marginals"])
        assert agreement["percent"]["point"] == pytest.approx(slow_percent(items))
        assert agreement["alpha"]["point"] == pytest.approx(slow_alpha(paired, distance))
        labels = sorted({label for *_, label in rows})
        assert agreement["ac1"]["point"] == pytest.approx(slow_ac1(items, labels))
        for measure in ("percent", "alpha", "ac1"):
            assert agreement[measure]["low"] < agreement[measure]["point"]
            assert agreement[measure]["point"] < agreement[measure]["high"]


def test_the_seeds_labels_have_figures_by_task() -> None:
    found = measured(real("rag/mtrag_labels.csv"))

    assert list(found["questions"]) == ["grounding", "relevance"]
    assert found["labels"] == 1_883
    assert json.dumps(found)
