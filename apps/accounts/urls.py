"""Where the doors of people, members, tokens and the audit log are."""

from django.urls import path

from . import views
from .doors import public, signed_in

app_name = "accounts"

urlpatterns = [
    path("sign-in/", public(views.SignIn.as_view()), name="sign-in"),
    path("sign-out/", public(views.SignOut.as_view()), name="sign-out"),
    path("password/forgotten/", public(views.ForgotPassword.as_view()), name="password-reset"),
    path("password/mailed/", public(views.password_mailed), name="password-mailed"),
    path(
        "password/choose/<uidb64>/<token>/",
        public(views.ChooseNewPassword.as_view()),
        name="password-choose",
    ),
    path("password/chosen/", public(views.password_chosen), name="password-chosen"),
    path("password/change/", signed_in(views.ChangePassword.as_view()), name="password-change"),
    path("profile/", views.profile, name="profile"),
    path("invitations/<str:secret>/", views.invitation, name="invitation"),
    path("w/<slug:slug>/members/", views.members, name="members"),
    path(
        "w/<slug:slug>/members/<int:membership_id>/role/",
        views.change_member_role,
        name="member-role",
    ),
    path("w/<slug:slug>/members/<int:membership_id>/remove/", views.remove, name="member-remove"),
    path(
        "w/<slug:slug>/invitations/<int:invitation_id>/revoke/",
        views.revoke_member_invitation,
        name="invitation-revoke",
    ),
    path("w/<slug:slug>/tokens/", views.tokens, name="tokens"),
    path("w/<slug:slug>/tokens/<int:token_id>/revoke/", views.revoke, name="token-revoke"),
    path("w/<slug:slug>/audit/", views.audit, name="audit"),
]
