"""Where the pages of labelling are."""

from django.urls import path

from .views import (
    agreed,
    agreement,
    annotations,
    campaign_control,
    campaigns,
    desk,
    exports,
    labels,
    mine,
    review,
    reviews,
    webhook,
)

app_name = "labeling"

_ALL = "w/<slug:slug>/labeling/"
_CAMPAIGN = f"{_ALL}<slug:campaign_id>/"  # whatever else lies below comes before it

urlpatterns = [
    path(f"{_ALL}mine/", mine.mine, name="mine"),
    path(f"{_ALL}enter/", mine.enter, name="enter"),
    path(f"{_ALL}account/", mine.account, name="account"),
    path("w/<slug:slug>/desk/", desk.desk, name="desk"),
    path("desk/webhook", webhook.webhook, name="webhook"),
    path(_ALL, campaigns.campaigns, name="campaigns"),
    path(f"{_ALL}new/", campaigns.new, name="new"),
    path(_CAMPAIGN, campaigns.campaign, name="campaign"),
    path(f"{_CAMPAIGN}labels/", labels.labels, name="labels"),
    path(f"{_CAMPAIGN}reviews/", reviews.reviews, name="reviews"),
    path(
        f"{_CAMPAIGN}reviews/<int:item_id>-<int:question_id>/",
        review.review,
        name="review",
    ),
    path(f"{_CAMPAIGN}agreed/", agreed.agreed, name="agreed"),
    path(f"{_CAMPAIGN}people/", campaign_control.people, name="people"),
    path(f"{_CAMPAIGN}close/", campaign_control.close, name="close"),
    path(f"{_CAMPAIGN}reopen/", campaign_control.reopen, name="reopen"),
    path(f"{_CAMPAIGN}retry/", campaign_control.retry, name="retry"),
    path(f"{_CAMPAIGN}sync/", campaign_control.sync, name="sync"),
    path(f"{_CAMPAIGN}archive/", campaign_control.archive, name="archive"),
    path(f"{_CAMPAIGN}restore/", campaign_control.restore, name="restore"),
    path(f"{_CAMPAIGN}exports/", exports.exports, name="exports"),
    path(f"{_CAMPAIGN}exports/<slug:export_id>.zip", exports.export_zip, name="export-zip"),
    path(f"{_CAMPAIGN}exports/<slug:export_id>/verify/", exports.verify, name="export-verify"),
    path(f"{_CAMPAIGN}exports/<slug:export_id>/cancel/", exports.cancel, name="export-cancel"),
    path(
        f"{_CAMPAIGN}exports/<slug:export_id>/<str:name>", exports.export_file, name="export-file"
    ),
    path(
        "w/<slug:slug>/datasets/versions/<slug:version_id>/annotations/",
        annotations.annotations,
        name="annotations",
    ),
    path(
        "w/<slug:slug>/labeling/<slug:campaign_id>/agreement/",
        agreement.agreement,
        name="agreement",
    ),
]
