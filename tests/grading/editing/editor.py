"""A page of the editor as a browser has it."""

from typing import Any

from django.http import HttpResponse
from django.test import Client

from apps.grading import queries
from apps.grading.models import GradingContract
from apps.grading.spec import ContractSpec

LIST = "/w/demo/contracts/"


class Editor:
    """A page of the editor, and what a browser would send of it when a button is pressed."""

    def __init__(self, client: Client, contract: GradingContract) -> None:
        self._client = client
        self.address = f"{LIST}{contract.pk}/edit/"
        self._read(client.get(self.address))

    def press(self, action: str, *, htmx: bool = True, **filled: Any) -> HttpResponse:
        """Send the form with what was filled in; as htmx does, unless a whole page is wanted."""
        headers = {"HX-Request": "true", "HX-Target": "editor"} if htmx else {}
        body = {**self.fields, **filled, "action": action}
        answer = self._client.post(self.address, body, headers=headers)
        if answer.status_code == 200:
            self._read(answer)
        return answer

    @property
    def names(self) -> list[str]:
        return [card.name for card in self.desk.cards]

    def _read(self, answer: Any) -> None:
        self.html = answer.content.decode()
        self.desk = answer.context["desk"]
        self.fields = {
            "text": self.desk.text,
            "shown": self.desk.view,
            "removed": self.desk.removed,
            "based_on": answer.context["based_on"],
        }
        if self.desk.view == "rules":
            self._read_form(self.desk.settings)
        if self.desk.rule_form:
            self.fields["open_type"] = self.desk.rule_form.rule_type
            place = self.desk.open_place
            self.fields["open_place"] = "" if place is None else str(place)
            self._read_form(self.desk.rule_form)

    def _read_form(self, form: Any) -> None:
        for field in form:
            if field.value() not in (None, False):
                self.fields[field.html_name] = "on" if field.value() is True else field.value()


def saved(contract: GradingContract) -> ContractSpec:
    return queries.latest_version(contract).parsed
