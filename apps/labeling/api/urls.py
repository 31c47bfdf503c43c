"""Where the API of labelling is, below /api/v1/."""

from django.urls import path

from . import agreement, campaigns, exports, reviews

urlpatterns = [
    path("reviews", reviews.ReviewsView.as_view(), name="reviews"),
    path("reviews/<str:review_id>", reviews.ReviewView.as_view(), name="review"),
    path(
        "reviews/<str:review_id>/answer", reviews.ReviewAnswerView.as_view(), name="review-answer"
    ),
    path(
        "reviews/<str:review_id>/settle", reviews.ReviewSettleView.as_view(), name="review-settle"
    ),
    path("campaigns", campaigns.CampaignsView.as_view(), name="campaigns"),
    path("campaigns/<str:campaign_id>", campaigns.CampaignView.as_view(), name="campaign"),
    path("campaigns/<str:campaign_id>/close", campaigns.CloseView.as_view(), name="campaign-close"),
    path("campaigns/<str:campaign_id>/sync", campaigns.SyncView.as_view(), name="campaign-sync"),
    path(
        "campaigns/<str:campaign_id>/agreement",
        agreement.AgreementView.as_view(),
        name="campaign-agreement",
    ),
    path(
        "campaigns/<str:campaign_id>/exports",
        exports.LabelExportsView.as_view(),
        name="campaign-exports",
    ),
    path(
        "campaigns/<str:campaign_id>/exports/<str:export_id>",
        exports.LabelExportView.as_view(),
        name="campaign-export",
    ),
    path(
        "campaigns/<str:campaign_id>/exports/<str:export_id>/files/<str:name>",
        exports.LabelExportFileView.as_view(),
        name="campaign-export-file",
    ),
]
