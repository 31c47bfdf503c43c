"""Redaction: what must go goes, what looks alike stays."""

from typing import Any

import pytest

from apps.artifacts.redaction import KINDS, Redactor
from tests.bounds import bounded

# Put together here, so that no scanner takes this file for a leak.
OPENAI = "sk-" + "proj-a1B2c3D4e5F6g7H8i9J0k1L2m3N4"
ANTHROPIC = "sk-" + "ant-api03-AbCdEf0123456789abcdEFGH-xyz_0"
AWS = "AKIA" + "IOSFODNN7EXAMPLE"
GITHUB = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
GITHUB_FINE = "github_pat_" + "11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz"
GITLAB = "glpat-" + "a1b2c3d4e5f6g7h8i9j0"
SLACK = "xoxb-" + "123456789012-abcdefghijkl"
GOOGLE = "AIza" + "SyA1234567890abcdefghijklmnopqrstuv"
STRIPE = "sk_" + "live_4eC39HqLyjWDarjtT1zdp7dc"
JWT = "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl"
PEM = (
    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n"
    "MIIEpAIBAAKCAQEAabcdefgh\nabcdefghij==\n-----END RSA PRIVATE KEY-----"
)

SECRETS = [
    ("api_key", f"the key {OPENAI} works", OPENAI),
    ("api_key", f"({ANTHROPIC})", ANTHROPIC),
    ("api_key", f"id={AWS}", AWS),
    ("api_key", f"clone https://{GITHUB}@host/x", GITHUB),
    ("api_key", GITHUB_FINE, GITHUB_FINE),
    ("api_key", GITLAB, GITLAB),
    ("api_key", f"'{SLACK}'", SLACK),
    ("api_key", f"key={GOOGLE}&q=1", GOOGLE),
    ("api_key", f"{STRIPE}, please", STRIPE),
    ("api_key", f"first line\\n{OPENAI}\\n", OPENAI),
    ("jwt", f"cookie {JWT}; path=/", JWT),
    ("private_key", f"Here:\n{PEM}\nDone", "MIIEpAIBAAKCAQEAabcdefgh"),
    ("private_key", PEM.replace("\n", "\\n"), "MIIEpAIBAAKCAQEAabcdefgh"),
    ("private_key", PEM[:80] + " and it broke off", "AAKCAQEA"),
    ("authorization", "Authorization: Bearer abcdef0123456789abcdef", "abcdef0123456789abcdef"),
    ("authorization", "authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "QWxhZGRpbjpvcGVu"),
    ("password", "postgres://bob:hunter2x@db.internal/x", "hunter2x"),
    ("password", "https://bob:p@ss-word@host/x", "ss-word"),
    ("password", "password=Secret!", "Secret!"),
    ("password", "The password is hunter22.", "hunter22"),
    ("password", '{"password": "correct-horse"}', "correct-horse"),
    ("secret", "api_key=9f8a7b6c5d4e3f2a1b0c", "9f8a7b6c5d4e3f2a1b0c"),
    ("secret", "x-api-key: 9f8a7b6c5d4e3f2a1b0c", "9f8a7b6c5d4e3f2a1b0c"),
    ("secret", 'AWS_SECRET_ACCESS_KEY="wJalrXUtnFEMI/K7MDENG/bPxRfiCY"', "wJalrXUtnFEMI"),
    ("secret", "client_secret => 'a1b2c3d4e5f6g7h8'", "a1b2c3d4e5f6g7h8"),
]

PERSONAL = [
    ("email", "write to alice.b+x@mail.example.org.", "alice.b+x@mail.example.org"),
    ("email", "müller@bücher.de", "müller@bücher.de"),
    ("email", "联系alice@example.org吗", "alice@example.org"),
    ("phone", "call +44 20 7946 0958 now", "7946"),
    ("phone", "(202) 555-0123", "555"),
    ("phone", "202.555.0123 or 020 7946 0958", "0958"),
    ("phone", "+4915112345678", "15112345678"),
    ("iban", "IBAN DE89 3704 0044 0532 0130 00 AND", "3704"),
    ("iban", "NL91ABNA0417164300 BANK", "0417164300"),
    ("iban", "BE68 5390 0754 7034 BE68 5390 0754 7034", "5390"),
    ("card", "4111 1111 1111 1111, 12/26", "1111"),
    ("card", "card 4111111111111111 123", "411111"),
    ("card", "5500-0000-0000-0004", "0004"),
    ("card", "amex 3782 822463 10005", "822463"),
    ("ssn", "SSN 123-45-6789.", "6789"),
    ("ip_address", "from 203.0.113.7.", "203.0"),
    ("ip_address", "2001:db8::ff00:42:8329: unreachable", "8329"),
    ("ip_address", "[2a00::1]:443", "2a00"),
]

ORDINARY = [
    "In 2024 about 35% of teams reported it; from 1999-2003 it was 1,234,567.89.",
    "id 2f77668a9dfbf8d5848b9eeb4a7145ca94c6ed9236e4a773f6dcafa5132b2f91",
    "run_01J8Q4ER9Z7Y5V5K6F4A1P2M3N and 8ce7e5f9-7a47-49fd-bb9f-7d0ddc49e1e0",
    "commit 3ba36c5f0c7e1d2b3a4958677685940312ab34cd, order 2025550123, sku 10-000-000-000",
    "2024-01-15 10:30:45, 2024-01-15T10:05:12Z, 12/05/2024, 20240115103000, 1700000000000",
    "£10 000 000, $415 555 2671, 3.14159265358979, 0.4242424242424242, 2147483647",
    "ISBN 978-3-16-148410-0 and 0-306-40615-2; doi 10.1000/182",
    "version 1.2.3.4, v10.20.30.40, 127.0.0.1, 0.0.0.0, mask 255.255.255.0",
    "std::vector<int> abc::def fe80::1 aa:bb:cc:dd:ee:ff 12:30:45",
    "logo@2x.png, @decorator, user@host, pkg@1.2.3, a @ b",
    "123-45-6789-01, 000-12-3456, 4111 1111 1111 1112, 1234567890123456",
    "max_tokens: 512, total_tokens=1024, token: internationalization, key: value",
    "password: required; passwords are hashed; api_key = os.environ['API_KEY']",
    "postgres://$USER:$PASSWORD@host, password=<your password>, token=${TOKEN}",
    "Basic understanding-of-something-long; the bearer of-responsibilities",
    ".sk-loading-spinner-container-large-2024 { color: red } task-abcdefghijklmnopqrst",
    "A file that starts with -----BEGIN PRIVATE KEY----- is a private key.",
    "https://example.com:8080/a@b/c and mailto: nobody",
    "Überanpassung heißt: das Modell lernt die Trainingsdaten auswendig.",
    "Le surapprentissage survient lorsque le modèle mémorise; voilà, c'est tout.",
    "Переобучение — это когда модель запоминает обучающие данные.",
    "过拟合是指模型过度学习训练数据,在2024年很常见。",
    "オーバーフィッティングとは、モデルが訓練データを覚えることです。",
    "الإفراط في التخصيص يعني أن النموذج يحفظ البيانات",
    "",
    "🙂" * 50,
]


@pytest.mark.parametrize(("kind", "text", "planted"), SECRETS)
def test_a_secret_goes(kind: str, text: str, planted: str) -> None:
    redactor = Redactor()

    redacted = redactor.text(text)

    assert planted not in redacted
    assert f"[REDACTED:{kind}]" in redacted
    assert redactor.counts[kind] >= 1


@pytest.mark.parametrize(("kind", "text", "planted"), PERSONAL)
def test_personal_data_goes_when_asked(kind: str, text: str, planted: str) -> None:
    redactor = Redactor(personal=True)

    redacted = redactor.text(text)

    assert planted not in redacted
    assert f"[REDACTED:{kind}]" in redacted


@pytest.mark.parametrize(("kind", "text", "planted"), PERSONAL)
def test_personal_data_stays_when_only_secrets_are_asked_for(
    kind: str, text: str, planted: str
) -> None:
    assert Redactor().text(text) == text


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_is_untouched(text: str) -> None:
    redactor = Redactor(personal=True)

    assert redactor.text(text) == text
    assert not redactor.counts


def test_only_the_secret_part_of_a_text_goes() -> None:
    redacted = Redactor(personal=True).text("Mail alice@example.org, then log in as bob:x.")

    assert redacted == "Mail [REDACTED:email], then log in as bob:x."


def test_the_password_of_a_url_goes_and_the_host_stays() -> None:
    redacted = Redactor().text("postgres://bob:hunter2x@db.example.org/x")

    assert redacted == "postgres://bob:[REDACTED:password]@db.example.org/x"


def test_what_two_detectors_claim_goes_as_one_and_by_the_graver_name() -> None:
    redacted = Redactor(personal=True).text("postgres://bob:hunter2x@db.example.org/x")

    assert redacted == "postgres://bob:[REDACTED:password]/x"


@pytest.mark.parametrize(
    "written",
    ['in "quoted\\"secret" it', "in%20%22quoted%22", 'plain quoted"secret here'],
)
def test_a_secret_in_use_goes_however_it_is_written(written: str) -> None:
    redactor = Redactor(known=['quoted"secret', ' "quoted"'])

    redacted = redactor.text(written)

    assert "quoted" not in redacted
    assert redactor.counts["known_secret"] == 1


def test_a_secret_in_use_goes_even_where_it_looks_like_a_word() -> None:
    assert Redactor(known=["swordfish"]).text("xswordfishy") == "x[REDACTED:known_secret]y"


def test_a_very_short_secret_in_use_does_not_shred_words() -> None:
    assert Redactor(known=["a", ""]).text("a banana") == "a banana"


def test_a_secret_in_use_that_a_marker_contains_leaves_markers_whole() -> None:
    redactor = Redactor(personal=True, known=["REDACTED"])

    once = redactor.text("REDACTED and alice@example.org")

    assert once == "[REDACTED:known_secret] and [REDACTED:email]"
    assert redactor.text(once) == once


def test_counts_add_up_by_kind_over_texts_until_cleared() -> None:
    redactor = Redactor(personal=True)
    redactor.text("alice@example.org, bob@example.org")
    redactor.text("charlie@example.org and 203.0.113.7")

    assert redactor.counts == {"email": 3, "ip_address": 1}

    redactor.counts.clear()
    assert not redactor.counts


def test_every_kind_is_named() -> None:
    kinds = {kind for kind, _, _ in (*SECRETS, *PERSONAL)} | {"known_secret"}

    assert kinds == set(KINDS)


def test_a_value_is_redacted_in_every_text_and_key_and_keeps_its_shape() -> None:
    value: dict[str, Any] = {
        "answer": "write to alice@example.org",
        "n": 3,
        "score": 0.5,
        "none": None,
        "yes": True,
        "turns": [{"content": f"key {OPENAI}"}, ["alice@example.org"]],
        "bob@example.org": 1,
        "charlie@example.org": 2,
    }

    redacted = Redactor(personal=True).value(value)

    assert redacted == {
        "answer": "write to [REDACTED:email]",
        "n": 3,
        "score": 0.5,
        "none": None,
        "yes": True,
        "turns": [{"content": "key [REDACTED:api_key]"}, ["[REDACTED:email]"]],
        "[REDACTED:email]": 1,
        "[REDACTED:email] (2)": 2,
    }
    assert list(redacted) == [*list(value)[:6], "[REDACTED:email]", "[REDACTED:email] (2)"]


@pytest.mark.parametrize(
    ("key", "text", "goes"),
    [
        ("password", "correct-horse", True),
        ("db_password", "Sommer", True),
        ("api_key", "9f8a7b6c5d4e3f2a1b0c", True),
        ("password", "The password must have eight letters.", False),
        ("password", "your-password", False),
        ("token", " internationalization", False),
        ("token", "the", False),
        ("session_id", "sess_9f8a7b6c5d4e3f2a1b0c", False),
        (
            "record_sha256",
            "2f77668a9dfbf8d5848b9eeb4a7145ca94c6ed9236e4a773f6dcafa5132b2f91",
            False,
        ),
    ],
)
def test_a_key_may_say_that_its_value_is_a_secret(key: str, text: str, goes: bool) -> None:
    redacted = Redactor().value({key: text})

    assert redacted == {key: "[REDACTED:secret]" if goes else text}


def test_the_original_value_is_left_alone() -> None:
    value = {"turns": ["alice@example.org"]}

    Redactor(personal=True).value(value)

    assert value == {"turns": ["alice@example.org"]}


def test_nesting_of_any_depth_is_read() -> None:
    value: Any = "alice@example.org"
    for _ in range(50_000):
        value = [value]

    redacted = Redactor(personal=True).value(value)

    while isinstance(redacted, list):
        redacted = redacted[0]
    assert redacted == "[REDACTED:email]"


def test_an_unpaired_surrogate_is_no_way_around() -> None:
    redacted = Redactor(personal=True).text("\ud800 alice@example.org \udfff")

    assert redacted == "\ud800 [REDACTED:email] \udfff"


def test_an_unpaired_surrogate_in_a_key_a_keyed_value_or_a_secret_is_read_too() -> None:
    redactor = Redactor(known=["sword\udc80fish"])

    redacted = redactor.value({"\ud800": "x", "password": "a1b2c3\ud800", "a": "sword\udc80fish"})

    assert redacted == {
        "\ud800": "x",
        "password": "[REDACTED:secret]",
        "a": "[REDACTED:known_secret]",
    }


NUMBERS = [
    *("1 ", "1.22.1.1.", "DE89 3704 0044 0532 0130 01 "),
    *("210 555 1234 5 ", "4111 ", "202-555-0123 "),
]
OTHERS = [
    *("1", "a@b.", "a://b:c@", "eyJaaaaaaaaaaaaa.", "a:b:", "password="),
    *("-----BEGIN PRIVATE KEY-----", "sk-", "bearer ", "[REDACTED:email]"),
]


@pytest.mark.parametrize(
    ("piece", "length"),
    [*((each, 80_000) for each in NUMBERS), *((each, 500_000) for each in OTHERS)],
)
def test_a_hostile_text_is_read_without_exploding(piece: str, length: int) -> None:
    """A pattern that begins again at each of so many places takes minutes."""
    text = (piece * (length // len(piece) + 1))[:length]

    with bounded(12):
        Redactor(personal=True).text(text)
