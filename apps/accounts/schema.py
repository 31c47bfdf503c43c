"""How the OpenAPI schema describes our tokens, and what it leaves out."""

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.plumbing import get_lib_doc_excludes

from .authentication import TokenAuthentication


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = TokenAuthentication
    name = ["bearerToken", "apiKey"]

    def get_security_definition(self, auto_schema: object) -> list[dict[str, str]]:
        return [
            {"type": "http", "scheme": "bearer"},
            {"type": "apiKey", "in": "header", "name": "x-api-key"},
        ]

    def get_security_requirement(self, auto_schema: object) -> list[dict[str, list[str]]]:
        """Either header will do."""
        return [{name: []} for name in self.name]


def silent_bases() -> list[type]:
    """The bases whose docstrings speak to whoever writes a view, not to whoever calls it."""
    from .api import WorkspaceAPIView

    return [*get_lib_doc_excludes(), WorkspaceAPIView]  # type: ignore[no-untyped-call]
