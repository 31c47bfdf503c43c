"""`evalhub calibrate`: judges of a file of scores against a file of labels, without a database."""

import csv
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from apps.metrics.intervals import rate
from tests.commands import evalhub
from tests.datasets.pairs import LABEL_COLUMNS, SCORE_COLUMNS, csv_of, real


class Files(NamedTuple):
    labels: Path
    scores: Path

    def write(self, labels: list[tuple[Any, ...]], scores: list[tuple[Any, ...]]) -> None:
        full = [(*row, "") for row in labels]
        self.labels.write_bytes(csv_of(LABEL_COLUMNS, full))
        self.scores.write_bytes(csv_of(SCORE_COLUMNS, scores))


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path / "labels.csv", tmp_path / "scores.csv")


def judged(files: Files, *words: object) -> list[dict[str, Any]]:
    named = ("--labels", str(files.labels), "--scores", str(files.scores))
    ended = evalhub("calibrate", *named, *map(str, words), "--json")
    assert ended.status == 0, ended.err or ended.out
    judges: list[dict[str, Any]] = ended.facts["judges"]
    return judges


def a_study(files: Files, *, labelled: int = 60, scored: int = 300) -> None:
    """Two thirds are good; the judge errs one time in five, as far as people looked."""
    good = [i % 3 > 0 for i in range(scored)]
    files.write(
        [(f"p{i}", "grounding", good[i], "bob") for i in range(labelled)],
        [
            (f"p{i}", "grounding", 0.9 if good[i] == (i % 5 > 0) else 0.1, "model_based")
            for i in range(scored)
        ],
    )


def test_each_task_and_method_has_its_matrix(files: Files) -> None:
    files.write(
        [
            ("p1", "grounding", "true", "bob"), ("p1", "grounding", "true", "charlie"),
            ("p2", "grounding", "false", "bob"), ("p3", "grounding", "true", "bob"),
            ("p4", "grounding", "false", "bob"), ("p1", "relevance", "false", "bob"),
        ],
        [
            ("p1", "grounding", 0.9, "model_based"), ("p2", "grounding", 0.8, "model_based"),
            ("p3", "grounding", 0.4, "model_based"), ("p4", "grounding", 0.1, "model_based"),
            ("p1", "grounding", 0.1, "reference_based"), ("p1", "relevance", 0.5, "model_based"),
        ],
    )  # fmt: skip

    found = judged(files)

    assert [(each["judge"]["task"], each["judge"]["method"]) for each in found] == [
        ("grounding", "model_based"),
        ("grounding", "reference_based"),
        ("relevance", "model_based"),
    ]
    assert found[0]["calibration"]["confusion"] == {
        "true_pass": 1, "false_pass": 1, "false_fail": 1, "true_fail": 1,
    }  # fmt: skip
    assert found[1]["calibration"]["left_out"] == [
        {"side": "judge", "reason": "the judge said nothing", "count": 3}
    ]
    # A score at the threshold passes.
    assert found[2]["calibration"]["confusion"]["false_pass"] == 1


def test_people_who_are_tied_or_discard_or_label_chunks_decide_nothing(files: Files) -> None:
    files.labels.write_text(
        "id,task_type,label,annotator_id,annotated_at,chunk_id,discard_reason\n"
        "p1,retrieval,true,bob,,,\np1,retrieval,false,charlie,,,\n"
        "p2,retrieval,,bob,,,unclear\np3,retrieval,true,bob,,c1,\np4,retrieval,true,bob,,,\n"
    )
    rows = [(f"p{i}", "retrieval", 1.0, "model_based") for i in range(1, 6)]
    files.scores.write_bytes(csv_of(SCORE_COLUMNS, rows))

    (found,) = judged(files)

    left_out = {each["reason"]: each["count"] for each in found["calibration"]["left_out"]}
    assert left_out == {
        "people are tied": 1,
        "everybody discarded it": 1,
        "its labels are of single chunks": 1,
        "nobody labelled it": 1,
    }
    assert found["calibration"]["confusion"]["true_pass"] == 1


def test_a_score_that_is_missing_says_why(files: Files) -> None:
    files.write([("p1", "grounding", "true", "bob")], [])
    files.scores.write_text(
        "id,metric_family,score,method,reason\np1,grounding,,model_based,rate limited\n"
    )

    (found,) = judged(files)

    assert found["calibration"]["left_out"] == [
        {"side": "judge", "reason": "rate limited", "count": 1}
    ]


def test_the_threshold_says_what_passes(files: Files) -> None:
    a_study(files)

    low, high = (judged(files, "--threshold", each)[0] for each in (0.05, 0.95))

    assert low["calibration"]["raw"]["point"] == 1
    assert high["calibration"]["raw"]["point"] == 0


def test_a_random_sample_corrects_the_rate(files: Files) -> None:
    a_study(files)

    (found,) = judged(files, "--sample", "random")

    calibration = found["calibration"]
    assert (calibration["method"], calibration["corrected"]["n"]) == ("ppi++", 60)
    assert calibration["corrected"]["point"] == pytest.approx(2 / 3, abs=0.02)
    assert calibration["raw"]["n"] == 300


def test_a_separate_set_corrects_the_others(files: Files) -> None:
    a_study(files)

    calibration = judged(files, "--sample", "separate")[0]["calibration"]

    assert calibration["method"] == "rogan-gladen"
    assert calibration["raw"]["n"] == calibration["corrected"]["n"] == 240
    assert calibration["corrected"]["point"] == pytest.approx(2 / 3, abs=0.02)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--sample", "chosen"), "chosen because they are interesting"),
        ((), "nobody has said how the labelled units were drawn"),
    ],
)
def test_no_rate_is_corrected_by_labels_that_nobody_drew(
    files: Files, words: tuple[str, ...], why: str
) -> None:
    a_study(files)

    (found,) = judged(files, *words)

    assert found["calibration"]["corrected"]["point"] is None
    assert why in found["calibration"]["why"]


def test_a_judge_that_nobody_looked_at_is_uncalibrated(files: Files) -> None:
    files.write(
        [("p1", "relevance", "true", "bob")], [("p1", "grounding", 1.0, "model_based")]
    )  # fmt: skip

    (found,) = judged(files)

    assert "it is uncalibrated" in found["calibration"]["why"]
    assert found["calibration"]["raw"]["point"] == 1


def test_people_read_a_table(files: Files) -> None:
    a_study(files)
    named = ("--labels", str(files.labels), "--scores", str(files.scores))

    out = evalhub("calibrate", *named, "--sample", "random").out

    assert "grounding · model_based: pass from 0.5\n" in out
    assert "300 units: 60 with both, 300 judged, 60 labelled" in out
    assert "left out: 240, nobody labelled it" in out
    assert "                  people pass  people fail\n" in out
    assert "  ppi++: people labelled 60 of 300 judged units drawn at random" in out


@pytest.mark.parametrize(
    ("broken", "row", "words"),
    [
        ("labels", ("p9", "grounding", "perhaps", "bob", ""), "label: invalid_label"),
        ("labels", ("p0", "grounding", "true", "bob", ""), "id: duplicate_annotation"),
        ("scores", ("p9", "grounding", 7, "model_based"), "score: value_out_of_range"),
    ],
)
def test_errors_are_told_with_line_and_code(
    files: Files, broken: str, row: tuple[Any, ...], words: str
) -> None:
    a_study(files, labelled=2, scored=2)
    file: Path = getattr(files, broken)
    file.write_text(file.read_text() + ",".join(map(str, row)) + "\n")
    named = ("--labels", str(files.labels), "--scores", str(files.scores))

    told, answered = (evalhub("calibrate", *named, *more) for more in ((), ("--json",)))

    assert told.status == answered.status == 2
    assert told.out.startswith(f"{file}:")
    assert f"line 4, {words}" in told.out
    assert answered.facts["record_errors"][0]["line"] == 4


@pytest.mark.parametrize("threshold", ["half", "1.5", "-1", "nan"])
def test_a_threshold_that_no_score_has_is_refused(files: Files, threshold: str) -> None:
    named = ("--labels", str(files.labels), "--scores", str(files.scores))

    ended = evalhub("calibrate", *named, f"--threshold={threshold}")

    assert ended.status != 0
    assert "--threshold" in ended.err


# -- real labels and scores, held against counting by hand ----------------------------------


def by_hand(labels: Path, scores: Path, task: str, method: str) -> Counter[tuple[bool, bool]]:
    votes: dict[str, list[bool]] = defaultdict(list)
    with labels.open(newline="") as lines:
        for row in csv.DictReader(lines):
            if row["task_type"] == task:
                votes[row["id"]].append(row["label"] == "true")
    found: Counter[tuple[bool, bool]] = Counter()
    with scores.open(newline="") as lines:
        for row in csv.DictReader(lines):
            said = votes.get(row["id"], [])
            asked = (row["metric_family"], row["method"]) == (task, method)
            if asked and 2 * sum(said) != len(said):
                found[float(row["score"]) >= 0.5, 2 * sum(said) > len(said)] += 1
    return found


@pytest.mark.parametrize(
    ("task", "method"),
    [
        ("grounding", "model_based"),
        ("relevance", "model_based"),
        ("relevance", "reference_based"),
    ],
)
def test_real_judges_have_the_matrix_that_counting_gives(task: str, method: str) -> None:
    files = Files(real("rag/mtrag_labels.csv"), real("rag/mtrag_judge_scores.csv"))
    counted = by_hand(*files, task, method)

    found = next(
        each["calibration"]
        for each in judged(files)
        if (each["judge"]["task"], each["judge"]["method"]) == (task, method)
    )

    assert found["confusion"] == {
        "true_pass": counted[True, True],
        "false_pass": counted[True, False],
        "false_fail": counted[False, True],
        "true_fail": counted[False, False],
    }
    n = counted.total()
    assert n + sum(each["count"] for each in found["left_out"]) == found["units"] == 318
    passed = counted[True, True] + counted[False, True]
    assert found["sensitivity"] == rate(counted[True, True], passed).model_dump()
    assert found["specificity"] == rate(counted[False, False], n - passed).model_dump()
    assert found["raw"]["n"] == 318
    assert found["method"] == "ppi++"
    assert found["corrected"]["point"] == pytest.approx(passed / n, abs=0.002)


def test_half_of_the_real_labels_correct_towards_what_all_of_them_say(files: Files) -> None:
    labels, scores = real("rag/mtrag_labels.csv"), real("rag/mtrag_judge_scores.csv")
    rows = list(csv.DictReader(labels.open(newline="")))
    pairs = sorted({row["id"] for row in rows})
    drawn = set(np.random.default_rng(3).choice(pairs, len(pairs) // 2, replace=False))
    files.labels.write_bytes(csv_of(LABEL_COLUMNS, [row for row in rows if row["id"] in drawn]))

    found = judged(Files(files.labels, scores), "--sample", "random")[0]["calibration"]

    everything = by_hand(labels, scores, "grounding", "model_based")
    passed = everything[True, True] + everything[False, True]
    corrected = found["corrected"]
    assert found["method"] == "ppi++"
    assert corrected["low"] < passed / everything.total() < corrected["high"]
    assert corrected["high"] - corrected["low"] < found["human"]["high"] - found["human"]["low"]
