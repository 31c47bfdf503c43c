from tests.model_server.handle import model_server, shared_model_server

__all__ = ["model_server", "shared_model_server"]
