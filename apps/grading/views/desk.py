"""The editor's desk: the draft that a page sent, what was pressed, and what lies there then.

Nothing is kept between two requests: the draft travels in the page, as its text.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from django.http import QueryDict

from apps.grading.catalog import RulePage, rule_page
from apps.grading.documents import write_yaml
from apps.grading.editing import drafts
from apps.grading.editing.cards import Card, cards_of, general_problems
from apps.grading.forms import ContractForm, RuleForm
from apps.grading.reading.texts import SpecError, read_value
from apps.grading.rules import RULE_OF_TYPE
from apps.grading.services import MAX_NAME
from apps.grading.spec import ContractSpec

LEAVING = frozenset({"save", "try", "yaml"})
"""What is only done once everything on the page is right."""
ADDING = frozenset({"catalog", "choose", "copy", "undo"})
"""What is only done where there is room for a further rule."""


@dataclass
class Desk:
    """`document` is None where the text is no draft; then only its text is shown.

    `open_place` is the rule under the form, None for a new one. `focus` names what has the focus.
    """

    text: str
    document: drafts.Document | None = None
    view: Literal["rules", "yaml"] = "rules"
    contract_form: ContractForm | None = None
    rule_form: RuleForm | None = None
    open_place: int | None = None
    choosing: bool = False
    removed: str = ""
    done: str = ""
    focus: str = ""
    problems: list[str] = field(default_factory=list)
    _drawn: tuple[drafts.Document, tuple[Card, ...]] | None = field(default=None, init=False)

    @classmethod
    def opened(cls, spec: ContractSpec) -> "Desk":
        """As the editor begins."""
        text = write_yaml(spec)
        return cls(text=text, document=drafts.read_draft(text))

    @classmethod
    def sent(cls, post: QueryDict, *, name: str) -> "Desk":
        """As a page sent it, with what was filled in; `name` is the contract's."""
        desk = cls(text=post.get("text", "").replace("\r\n", "\n"), removed=post.get("removed", ""))
        desk.view = "yaml" if post.get("shown") == "yaml" else "rules"
        try:
            desk.document = _own_document(desk.text, name)
        except SpecError as error:
            desk.view, desk.problems = "yaml", list(error.problems)
            return desk
        if post.get("shown") == "rules":
            desk._take_contract(post)
            desk._take_rule(post)
        return desk

    def press(self, action: str) -> bool:
        """Do what a button says, as `edit:2`; False where something has to be corrected first."""
        if self.document is None:
            return False
        verb, _, argument = action.partition(":")
        if verb == "close":
            self._close()
            return True
        if not self._settled(leaving=verb in LEAVING):
            return False
        if verb in ADDING and not self._has_room():
            return False
        removed, self.removed = self.removed, ""
        if verb == "undo":
            self._undo(removed)
        elif verb in self._verbs:
            self._verbs[verb](argument)
        self.text = self.text if self.view == "yaml" and verb != "yaml" else self._written()
        return True

    def spec(self) -> ContractSpec | None:
        """The contract of the draft; None, with the problems, where it is none yet."""
        if self.document is None:
            return None
        spec = drafts.spec_of(self.document)
        if spec is None:
            self.problems += self._all_problems()
        return spec

    @property
    def cards(self) -> tuple[Card, ...]:
        """Made once of each document, since a page asks for them more than once."""
        if self.document is None:
            return ()
        if self._drawn is None or self._drawn[0] is not self.document:
            self._drawn = self.document, cards_of(self.document)
        return self._drawn[1]

    @property
    def rule_page(self) -> RulePage | None:
        """What there is to say of the type of rule that is open."""
        return rule_page(self.rule_form.rule_type) if self.rule_form else None

    @property
    def settings(self) -> ContractForm:
        """What the contract says beside its rules: as it was sent if it is wrong, else anew."""
        if self.contract_form is not None and self.contract_form.errors:
            return self.contract_form
        return ContractForm(self.document or {})

    @property
    def _verbs(self) -> dict[str, Callable[[str], None]]:
        return {
            "catalog": self._catalog,
            "choose": self._choose,
            "edit": self._edit,
            "up": lambda place: self._move(place, -1),
            "down": lambda place: self._move(place, 1),
            "copy": self._copy,
            "remove": self._remove,
            "yaml": self._show_yaml,
            "rules": self._show_rules,
        }

    # -- what was sent ----------------------------------------------------------------------

    def _take_contract(self, post: QueryDict) -> None:
        form = ContractForm(self._draft, post)
        form.is_valid()
        self.contract_form = form
        self.document = drafts.with_settings(self._draft, form.said, form.limits)

    def _take_rule(self, post: QueryDict) -> None:
        rule_type = post.get("open_type", "")
        if rule_type in RULE_OF_TYPE:
            self.open_place = self._place(post.get("open_place", ""))
            self.rule_form = self._form(rule_type, post)

    def _form(self, rule_type: str, post: QueryDict | None = None, **said: Any) -> RuleForm:
        rules = self._draft["rules"]
        others = [rule for place, rule in enumerate(rules) if place != self.open_place]
        known = said or (rules[self.open_place] if self.open_place is not None else {})
        return RuleForm(rule_type, known if isinstance(known, Mapping) else {}, post, others=others)

    def _settled(self, *, leaving: bool) -> bool:
        """Whether what is open is right; an open rule is put in its place."""
        if leaving and self.contract_form is not None and self.contract_form.errors:
            self.focus = "problems"
            return False
        if self.rule_form is None:
            return True
        if not self.rule_form.is_valid():
            self.focus = "problems"
            return False
        if self.open_place is None and not self._has_room():
            return False
        self._put(self.rule_form.entry)
        return True

    def _has_room(self) -> bool:
        if not drafts.is_full(self._draft):
            return True
        self.problems.append(f"{drafts.FULL}: take one out first.")
        self.focus = "problems"
        return False

    # -- what is pressed --------------------------------------------------------------------

    def _put(self, entry: drafts.Document) -> None:
        place = len(self._draft["rules"]) if self.open_place is None else self.open_place
        self.document = drafts.put(self._draft, place, entry)
        self.done = f"{entry['name']} is in the draft."
        self._close()
        self.focus = f"rule-{place}"

    def _close(self) -> None:
        self.focus = "add" if self.open_place is None else f"rule-{self.open_place}"
        self.rule_form, self.open_place, self.choosing = None, None, False

    def _catalog(self, _: str) -> None:
        self.choosing, self.focus = True, "search"

    def _choose(self, rule_type: str) -> None:
        if rule_type in RULE_OF_TYPE:
            name = drafts.new_name(self._draft, rule_type)
            self.rule_form = self._form(rule_type, name=name)
            self.focus = "form"

    def _edit(self, argument: str) -> None:
        place = self._place(argument)
        if place is None:
            return
        card = self.cards[place]
        if not card.has_form:
            self._show_yaml("")
            self.problems.append(f"{card.name} has no form: change it here.")
            return
        self.open_place, self.focus = place, "form"
        self.rule_form = self._form(card.type)

    def _move(self, argument: str, by: int) -> None:
        place, count = self._place(argument), len(self._draft["rules"])
        if place is None or not 0 <= place + by < count:
            return
        name = self.cards[place].name
        self.document = drafts.moved(self._draft, place, place + by)
        self.done = f"{name} is now rule {place + by + 1} of {count}."
        at_end = place + by in (0, count - 1)
        self.focus = f"{'up' if by < 0 else 'down'}-{place + by}"
        if at_end:  # its button is gone: the other way is still there
            self.focus = f"{'down' if by < 0 else 'up'}-{place + by}"

    def _copy(self, argument: str) -> None:
        place = self._place(argument)
        if place is not None:
            self.document = drafts.copied(self._draft, place)
            self.done = f"{self.cards[place + 1].name} is a copy of {self.cards[place].name}."
            self.focus = f"rule-{place + 1}"

    def _remove(self, argument: str) -> None:
        place = self._place(argument)
        if place is None:
            return
        entry = self._draft["rules"][place]
        self.removed = json.dumps({"place": place, "entry": entry})
        self.done = f"{self.cards[place].name} is taken out."
        self.document = drafts.removed(self._draft, place)
        self.focus = "undo"

    def _undo(self, removed: str) -> None:
        """What was taken out is put back; what is no such note changes nothing."""
        try:
            note = read_value(removed)
            place, entry = int(note["place"]), note["entry"]
        except (SpecError, ValueError, KeyError, TypeError):
            return
        place = min(max(place, 0), len(self._draft["rules"]))
        self.document = drafts.inserted(self._draft, place, entry)
        self.done = f"{self.cards[place].name} is back."
        self.focus = f"rule-{place}"

    def _show_yaml(self, _: str) -> None:
        self.text, self.view, self.focus = self._written(), "yaml", "id_text"

    def _show_rules(self, _: str) -> None:
        self.view, self.focus = "rules", "add"

    # -- what lies there --------------------------------------------------------------------

    @property
    def _draft(self) -> drafts.Document:
        assert self.document is not None
        return self.document

    def _written(self) -> str:
        return drafts.write_draft(self._draft)

    def _place(self, argument: str) -> int | None:
        """The number of a rule that there is."""
        if not argument.isdecimal() or len(argument) > 4:
            return None
        place = int(argument)
        return place if place < len(self._draft["rules"]) else None

    def _all_problems(self) -> list[str]:
        if self.view == "yaml":
            return drafts.explained(self._draft)
        of_rules = [
            f"Rule {card.number} ({card.name}): {problem}"
            for card in self.cards
            for problem in card.problems
        ]
        return [*general_problems(self._draft), *of_rules]


def _own_document(text: str, name: str) -> drafts.Document:
    """The draft without the name that an export writes; SpecError for another contract's."""
    document = drafts.read_draft(text)
    said = document.pop("name", name)
    if said == name:
        return document
    if not isinstance(said, str) or len(said) > MAX_NAME:
        raise SpecError(f"name: must be a text of at most {MAX_NAME} characters.")
    raise SpecError(
        f"This is the text of the contract “{said}”: import it as such, or take the line with the "
        "name out."
    )
