"""What people fill in to decide: an answer of the question's own kind, and why."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError

from apps.labeling.models import Question

from .choices import UNDECIDED, Choices
from .reviewing import LONGEST_COMMENT, Verdict

LONGEST_LABEL = 1_000
ONE_ONLY = "This question takes one label."
OTHER, NOBODY = "other", "undecided"
_MARK = "="
"""Before the value of an option, so that none is taken for the two words above."""


class ReviewForm(forms.Form):
    """`verdict` holds the decision once the form is valid; a blind answer has no comment.

    `why` says for what a comment is needed whatever is decided: it is asked for in the browser, and
    checked where it is settled, for somebody may have been faster.
    """

    answer = forms.ChoiceField(
        error_messages={"required": "Choose an answer, or say that it cannot be decided."}
    )
    other = forms.CharField(
        required=False, max_length=LONGEST_LABEL, widget=forms.Textarea(attrs={"rows": 2})
    )
    comment = forms.CharField(
        required=False,
        max_length=LONGEST_COMMENT,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="For those who read it later; needed where you overrule most people, change your "
        "own answer, or are of the tie.",
    )

    def __init__(
        self, question: Question, *args: Any, blind: bool = False, why: str = "", **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.choices, self.why = Choices(question), why
        self.fields["answer"] = self._answer_field(question)
        self.fields["other"].label = "In your words" if not self.choices.options else "Which?"
        if not self.choices.is_free:
            del self.fields["other"]
        if blind:
            del self.fields["comment"]
        elif why:
            self.fields["comment"].help_text = why
            self.fields["comment"].widget.attrs["required"] = True

    @classmethod
    def standing_on(cls, question: Question, label: str, *, why: str = "") -> "ReviewForm":
        """Filled in with an answer that was given before."""
        choices = Choices(question)
        known = {each.value for each in choices.options}
        if label and not set(choices.parts(label)) <= known:
            return cls(question, initial={"answer": OTHER, "other": label}, why=why)
        marked = [_MARK + part for part in choices.parts(label)] if label else [NOBODY]
        answer = marked if choices.several else marked[0]
        return cls(question, initial={"answer": answer}, why=why)

    @classmethod
    def answering(
        cls, question: Question, labels: Sequence[str], comment: str = "", *, blind: bool = False
    ) -> "ReviewForm":
        """Filled in and sent with labels as they are kept; none is that nobody can decide.

        Raises ValidationError where there are several and the question takes one.
        """
        choices = Choices(question)
        if len(labels) > 1 and not choices.several:
            raise ValidationError({"labels": ONE_ONLY})
        known = {each.value for each in choices.options}
        if labels and not set(labels) <= known and choices.is_free:
            said: dict[str, Any] = {"answer": OTHER, "other": labels[0]}
        else:
            marked = [_MARK + label for label in labels] or [NOBODY]
            said = {"answer": marked if choices.several else marked[0]}
        return cls(question, {**said, "comment": comment}, blind=blind)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if "answer" in cleaned:
            try:
                cleaned["label"] = self._label(cleaned)
            except ValidationError as error:
                self.add_error("answer", error)
        return cleaned

    @property
    def verdict(self) -> Verdict:
        cleaned = self.cleaned_data
        return Verdict(label=cleaned["label"], comment=cleaned.get("comment", "").strip())

    def _answer_field(self, question: Question) -> forms.ChoiceField:
        offered = [(_MARK + each.value, each.title) for each in self.choices.options]
        if self.choices.is_free:
            offered.append((OTHER, "Another answer" if offered else "An answer in words"))
        offered.append((NOBODY, UNDECIDED))
        kind = forms.MultipleChoiceField if self.choices.several else forms.ChoiceField
        widget = forms.CheckboxSelectMultiple if self.choices.several else forms.RadioSelect
        first = self.base_fields["answer"]
        return kind(
            label=question.title or str(question),
            choices=offered,
            widget=widget,
            error_messages={"required": first.error_messages["required"]},
        )

    def _label(self, cleaned: dict[str, Any]) -> str:
        """Empty where nobody can decide."""
        if self.choices.several:
            return self._several(cast(list[str], cleaned["answer"]))
        if cleaned["answer"] == NOBODY:
            return ""
        if cleaned["answer"] == OTHER:
            return self._other(cleaned.get("other", "").strip())
        return str(cleaned["answer"]).removeprefix(_MARK)

    def _several(self, chosen: list[str]) -> str:
        if NOBODY in chosen and len(chosen) > 1:
            raise ValidationError("Choose answers, or that it cannot be decided: not both.")
        return self.choices.joined([each.removeprefix(_MARK) for each in chosen if each != NOBODY])

    def _other(self, text: str) -> str:
        if not text:
            raise ValidationError("Write the answer that you mean.")
        if self.choices.is_number and not _is_number(text):
            raise ValidationError(f"The answers to this are numbers; {text[:40]} is none.")
        return text


def _is_number(text: str) -> bool:
    try:
        return abs(float(text)) < float("inf")
    except ValueError:
        return False
