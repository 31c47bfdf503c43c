"""The store: whole files under the name of their content, or none."""

import hashlib
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from apps.artifacts import store
from apps.artifacts.models import Blob

from .conftest import age, stored_files, waiting_files

pytestmark = pytest.mark.django_db

HELLO = hashlib.sha256(b"hello").hexdigest()


def test_a_file_is_found_by_the_hash_of_its_content() -> None:
    blob = store.put([b"hel", b"lo"])

    assert (blob.sha256, blob.size) == (HELLO, 5)
    assert store.exists(HELLO)
    assert b"".join(store.read(HELLO)) == b"hello"
    with store.open(HELLO) as file:
        assert file.read() == b"hello"


def test_a_stored_file_lies_two_folders_deep_and_is_read_only(files: Path) -> None:
    store.put([b"hello"])

    assert store.path(HELLO) == files / HELLO[:2] / HELLO[2:4] / HELLO
    assert stat.S_IMODE(store.path(HELLO).stat().st_mode) == 0o440


def test_the_same_bytes_twice_are_one_file_and_one_row(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"hello")

    blobs = {store.put([b"hello"]).pk, store.put_file(source).pk}

    assert blobs == {HELLO}
    assert Blob.objects.count() == 1
    assert [file.name for file in stored_files()] == [HELLO]
    assert waiting_files() == []


def test_storing_the_bytes_again_heals_a_damaged_file() -> None:
    store.put([b"hello"])
    store.path(HELLO).chmod(0o640)
    store.path(HELLO).write_bytes(b"jello")

    store.put([b"hello"])

    assert store.sha256_of(store.path(HELLO)) == HELLO


def test_a_file_over_the_limit_is_refused_and_leaves_nothing() -> None:
    with pytest.raises(store.FileTooLarge, match=r"larger than 4 bytes"):
        store.put([b"hel", b"lo"], limit=4)

    assert Blob.objects.count() == 0
    assert stored_files() == waiting_files() == []


def test_a_file_of_exactly_the_limit_is_taken() -> None:
    assert store.put([b"hello"], limit=5).size == 5


def test_a_writer_that_fails_half_way_leaves_nothing() -> None:
    def chunks() -> Iterator[bytes]:
        yield b"hel"
        raise ConnectionError

    with pytest.raises(ConnectionError):
        store.put(chunks())

    assert stored_files() == waiting_files() == []


@pytest.mark.parametrize("name", ["../../etc/passwd", HELLO.upper(), HELLO[:-1], ""])
def test_only_a_hash_leads_to_a_file(name: str) -> None:
    with pytest.raises(ValueError, match="sha256"):
        store.path(name)


def test_sweeping_removes_what_has_been_idle_for_an_hour_only() -> None:
    with store.staged([b"in the making"]) as fresh:
        orphan = fresh.file.with_name("left-behind")
        orphan.write_bytes(b"half")
        age(orphan)

        swept = store.sweep()

        assert swept == 1
        assert waiting_files() == [fresh.file]


def test_a_file_at_rest_is_removed() -> None:
    store.put([b"hello"])
    age(store.path(HELLO))

    assert store.remove(HELLO) is True

    assert stored_files() == waiting_files() == []


def test_a_file_that_was_just_stored_again_is_not_removed() -> None:
    store.put([b"hello"])
    age(store.path(HELLO))
    store.put([b"hello"])

    assert store.remove(HELLO) is False

    assert store.exists(HELLO)
    assert waiting_files() == []


def test_removing_what_is_not_there_is_no_error() -> None:
    assert store.remove(HELLO) is True

    assert waiting_files() == []


WRITER = """
import sys, time
import django
django.setup()
from django.conf import settings
from apps.artifacts import store
settings.FILES_DIR = sys.argv[1]

def chunks():
    yield b"x" * 3_000_000
    if sys.argv[2] == "while writing":
        wait()

def wait():
    print("ready", flush=True)
    time.sleep(60)

with store.staged(chunks()) as staged:
    wait()
"""


@pytest.mark.kill
@pytest.mark.parametrize("moment", ["while writing", "before the rename"])
def test_a_killed_writer_leaves_no_half_file_under_a_final_name(
    moment: str, files: Path, tmp_path: Path
) -> None:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "evalhub.settings",
        "EVALHUB_DATA_DIR": str(tmp_path / "data"),
    }
    command = [sys.executable, "-c", WRITER, str(files), moment]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"

        writer.send_signal(signal.SIGKILL)
        writer.wait(10)

    assert stored_files() == []
    (orphan,) = waiting_files()
    age(orphan)
    assert store.sweep() == 1
    assert waiting_files() == []
