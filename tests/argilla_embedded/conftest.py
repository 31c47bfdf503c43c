"""One server for the tests of a file."""

from collections.abc import Iterator

import pytest

from tests.desk import Desk, running_desk


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with running_desk(tmp_path_factory.mktemp("desk")) as desk:
        yield desk
