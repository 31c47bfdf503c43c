from apps.datasets.uploading.slicing import MOST_METADATA_KEYS, MOST_VALUES, Slices


def gathered(*facets: tuple[str, str]) -> Slices:
    slices = Slices()
    for ordinal, facet in enumerate(facets):
        slices.add(ordinal, [facet])
    return slices


def test_records_are_grouped_by_family_and_value() -> None:
    slices = Slices()

    slices.add(0, [("tag", "ml"), ("length", "1-20")])
    slices.add(7, [("tag", "ml")])

    assert list(slices.kept()) == [("tag", "ml", [0, 7]), ("length", "1-20", [0])]
    assert slices.warnings == []


def test_a_metadata_key_with_many_values_is_no_slice() -> None:
    slices = gathered(*[("metadata.id", str(number)) for number in range(MOST_VALUES + 1)])

    slices.add(999, [("metadata.id", "0")])

    assert list(slices.kept()) == []
    assert slices.warnings == ["metadata.id has more than 200 values, so it is no slice."]


def test_the_most_frequent_tags_are_slices() -> None:
    rare = [("tag", f"rare-{number:03d}") for number in range(MOST_VALUES)]

    slices = gathered(*rare, ("tag", "common"), ("tag", "common"))

    values = [value for _, value, _ in slices.kept()]
    assert len(values) == MOST_VALUES
    assert values[0] == "common"
    assert "rare-199" not in values
    assert slices.warnings == ["tag has more than 200 values: the most frequent are slices."]


def test_metadata_keys_past_the_fiftieth_are_no_slices() -> None:
    keys = [(f"metadata.k{number}", "x") for number in range(MOST_METADATA_KEYS + 5)]

    slices = gathered(*keys, ("tag", "ml"))

    families = [family for family, _, _ in slices.kept()]
    assert len(families) == MOST_METADATA_KEYS + 1
    assert "tag" in families
    assert slices.warnings == ["Only the first 50 metadata keys are slices."]


def test_where_many_records_have_many_keys_the_last_keys_are_left_out() -> None:
    slices = Slices()
    facets = [*[(f"metadata.k{number:02d}", "x") for number in range(30)], ("length", "1-20")]
    for ordinal in range(40_000):
        slices.add(ordinal, facets)

    families = {family for family, _, _ in slices.kept()}

    assert len(families) == 25
    assert {"length", "metadata.k00", "metadata.k23"} <= families
    assert slices.warnings == [
        "There was no room for slices by "
        + ", ".join(f"metadata.k{number}" for number in range(24, 30))
        + "."
    ]
