"""Agreement over time and by slice."""

from datetime import timedelta

from apps.accounts.models import Workspace
from apps.labeling.models import Annotation
from tests.datasets.pairs import a_pair, csv_of, pairs_version
from tests.labeling.analysing.reports import found, labelled
from tests.labeling.labelled import START, a_campaign, analysed, items_of


def test_enough_items_a_day_are_shown_by_day(workspace: Workspace) -> None:
    campaign = a_campaign(workspace, 50)
    question = labelled(campaign, bob=["true"] * 50, dora=["true"] * 25 + ["false"] * 25)
    later = Annotation.objects.filter(item__result__ordinal__gte=25)
    later.update(annotated_at=START + timedelta(days=1))

    analysed(campaign)

    over_time = found(campaign).over_time
    assert over_time.by == "day"
    assert [part.figures.items for part in over_time.parts] == [25, 25]
    shares = [part.figures.percent for part in over_time.parts]
    assert [each.point for each in shares if each] == [1.0, 0.0]
    assert question.level == "nominal"


def test_days_with_too_few_items_become_parts_of_equal_size(workspace: Workspace) -> None:
    campaign = a_campaign(workspace, 90)
    labelled(campaign, bob=["true"] * 90, dora=["true"] * 90)
    first = Annotation.objects.filter(item__result__ordinal__lt=3)
    first.update(annotated_at=START - timedelta(days=2))

    analysed(campaign)

    over_time = found(campaign).over_time
    assert over_time.by == "part"
    assert [part.figures.items for part in over_time.parts] == [23, 23, 22, 22]


def test_too_few_items_and_items_without_a_time_are_said(workspace: Workspace) -> None:
    campaign = a_campaign(workspace, 30)
    labelled(campaign, bob=["true"] * 30, dora=["true"] * 30)
    Annotation.objects.filter(item__result__ordinal__lt=4).update(annotated_at=None)

    analysed(campaign)

    over_time = found(campaign).over_time
    assert (over_time.by, over_time.undated) == ("none", 4)
    assert over_time.why.startswith("26 items")


def test_slices_with_fewer_than_twenty_items_have_no_figures(workspace: Workspace) -> None:
    rows = [a_pair(n, source="mail" if n < 25 else "chat") for n in range(30)]
    columns = ("id", "query", "response", "context", "source")
    version = pairs_version(workspace, csv_of(columns, rows))
    campaign = a_campaign(workspace, version=version)
    labelled(campaign, bob=["true"] * 30, dora=["true"] * 30)

    analysed(campaign)

    families = {each.family: each for each in found(campaign).families}
    mail, chat = families["source"].slices
    assert (mail.value, mail.figures.items) == ("mail", 25)
    assert mail.figures.percent is not None
    assert (chat.value, chat.figures.items, chat.figures.percent) == ("chat", 5, None)


def test_hidden_gold_of_another_run_is_in_no_slice_of_this_one(workspace: Workspace) -> None:
    columns = ("id", "query", "response", "context", "source")
    rows = [a_pair(n, source="mail") for n in range(25)]
    campaign = a_campaign(workspace, version=pairs_version(workspace, csv_of(columns, rows)))
    other = a_campaign(workspace, version=pairs_version(workspace, name="other"), name="other")
    for item in items_of(other):
        campaign.items.create(result=item.result)
    question = campaign.questions.get()
    for item in campaign.items.all():
        for name in ("bob", "dora"):
            Annotation.objects.create(item=item, question=question, annotator=name, label="true")

    analysed(campaign)

    families = {each.family: each for each in found(campaign).families}
    assert found(campaign).agreement.items == 28
    assert [each.figures.items for each in families["source"].slices] == [25]
