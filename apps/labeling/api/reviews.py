"""Deciding what people could not agree on over the API: blind first, as on the page."""

from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.api import WorkspaceAPIView
from apps.accounts.permissions import Permission
from apps.datasets.sight import Sight
from apps.labeling.models import Campaign, Review
from apps.labeling.models.campaigns import CampaignQuerySet
from apps.labeling.queries import key_in
from apps.labeling.settling import review_queue, reviewing
from apps.labeling.settling.review_facts import facts_of
from apps.labeling.settling.review_form import ReviewForm
from apps.labeling.settling.seats import Seat, revealed_to, reviews_for, seat_of, settled_by
from apps.web.errors import Problem
from apps.web.openapi import CURSOR, SIZE, chosen, errors, page_of
from apps.web.paging import keyset

from .review_shapes import (
    AnswerSerializer,
    ReviewRowSerializer,
    ReviewSerializer,
    SettlementSerializer,
)

STATES = (*Review.State.values, "any")


class ReviewsView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.SETTLE_LABELS}
    serializer_class = ReviewRowSerializer

    @extend_schema(
        operation_id="reviews_list",
        summary="What waits for a decision, or was decided",
        description="Of the campaigns whose reviews the caller decides, in the order of the page.",
        parameters=[
            OpenApiParameter("campaign", str, description="Its id; else all of them."),
            OpenApiParameter("state", str, enum=STATES, description="Else `open`."),
            CURSOR,
        ],
        responses={200: page_of(ReviewRowSerializer), **errors()},
    )
    def get(self, request: Request) -> Response:
        campaigns = list(self._campaigns())
        wanted = review_queue.ReviewFilter(state=chosen(request, "state", STATES) or "open")
        leads = self.request.membership.allows(Permission.MANAGE_CAMPAIGNS)
        every = reviews_for(self.request.user, campaigns, is_lead=leads)
        rows = review_queue.listed(review_queue.found(every, wanted))
        page = keyset(rows, review_queue.ORDER, request.query_params.get("cursor"), SIZE)
        told = {
            "sight": Sight(self.request.workspace),
            "is_lead": leads,
            "revealed": revealed_to(self.request.user, page.items, is_lead=leads),
        }
        results = ReviewRowSerializer(page.items, many=True, context=told).data
        return Response({"results": results, "next": page.older, "previous": page.newer})

    def _campaigns(self) -> CampaignQuerySet:
        every = _campaigns(self)
        if named := self.request.query_params.get("campaign"):
            campaign = get_object_or_404(every, pk=named)
            seat_of(campaign, self.request.membership)
            return every.filter(pk=campaign.pk)
        return settled_by(self.request.membership, every)


class ReviewView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.SETTLE_LABELS}
    serializer_class = ReviewSerializer

    @extend_schema(
        operation_id="reviews_get",
        summary="One review: its texts, and once it is answered what the others said",
        responses={200: ReviewSerializer, **errors()},
    )
    def get(self, request: Request, review_id: str) -> Response:
        return _told(self, *_review(self, review_id))


class ReviewAnswerView(WorkspaceAPIView):
    permissions: ClassVar = {"POST": Permission.SETTLE_LABELS}
    serializer_class = ReviewSerializer

    @extend_schema(
        operation_id="reviews_answer",
        summary="Give an answer of one's own, before anybody else's is told",
        description="The answer shows what others said. A second answer changes nothing: after "
        "the first comes `settle`.",
        request=AnswerSerializer,
        responses={200: ReviewSerializer, **errors(409, 415)},
    )
    def post(self, request: Request, review_id: str) -> Response:
        given = _given(AnswerSerializer, request)
        review, _seat = _review(self, review_id)
        label = _verdict(review, given["labels"], blind=True).label
        try:
            reviewing.answer_blind(
                review,
                label,
                by=self.request.user,
                now=timezone.now(),
                via="api",
                request_id=self.request.request_id,
            )
        except reviewing.Overtaken as error:
            raise Problem(error.messages[0], status_code=409) from None
        return _told(self, *_review(self, review_id))


class ReviewSettleView(WorkspaceAPIView):
    permissions: ClassVar = {"POST": Permission.SETTLE_LABELS}
    serializer_class = ReviewSerializer

    @extend_schema(
        operation_id="reviews_settle",
        summary="Decide a review, after an answer of one's own",
        description="What is settled is authoritative. A lead, or whoever settled it, settles it "
        "otherwise by naming the moment of the settlement that they saw.",
        request=SettlementSerializer,
        responses={200: ReviewSerializer, **errors(409, 415)},
    )
    def post(self, request: Request, review_id: str) -> Response:
        given = _given(SettlementSerializer, request)
        review, _seat = _review(self, review_id)
        verdict = _verdict(review, given["labels"], comment=given["comment"])
        who: dict[str, Any] = {
            "by": self.request.user, "now": timezone.now(), "via": "api",
            "request_id": self.request.request_id,
        }  # fmt: skip
        settled = review.state == Review.State.SETTLED
        try:
            if given["seen"] is None:
                reviewing.settle(review, verdict, **who)
            elif not settled or reviewing.may_change(self.request.membership, review):
                reviewing.change_mind(review, verdict, seen=given["seen"], **who)
            else:
                raise Problem(reviewing.NOT_YOURS, status_code=403)
        except reviewing.Overtaken as error:
            raise Problem(error.messages[0], status_code=409) from None
        return _told(self, *_review(self, review_id))


def _given(shape: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    given = shape(data=request.data)
    given.is_valid(raise_exception=True)
    return dict(given.validated_data)


def _verdict(review: Review, labels: list[str], **said: Any) -> reviewing.Verdict:
    form = ReviewForm.answering(review.question, labels, **said)
    if not form.is_valid():
        known = {"answer": "labels", "other": "labels"}
        raise ValidationError(
            {known.get(name, name): list(found) for name, found in form.errors.items()}
        )
    return form.verdict


def _told(view: WorkspaceAPIView, review: Review, seat: Seat) -> Response:
    facts = facts_of(review, seat, view.request.user, Sight(view.request.workspace))
    return Response(ReviewSerializer(facts).data)


def _review(view: WorkspaceAPIView, review_id: str) -> tuple[Review, Seat]:
    """404 for what is not there, 403 for whoever settles nothing."""
    item, _, question = review_id.partition("-")
    there: QuerySet[Campaign] = _campaigns(view).filter(questions=key_in(question))
    campaign = there.first()
    if campaign is None:
        raise Http404
    seat = seat_of(campaign, view.request.membership)
    rows = seat.every.select_related(
        "question__campaign__workspace",
        "item__result__record",
        "item__result__run__workspace",
        "settled_by",
    )
    return get_object_or_404(rows, item=key_in(item), question=key_in(question)), seat


def _campaigns(view: WorkspaceAPIView) -> CampaignQuerySet:
    every: CampaignQuerySet = Campaign.objects.visible_to(view.request.user)
    return every.filter(workspace=view.request.workspace)
