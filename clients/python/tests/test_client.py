"""Decisions over HTTP, against a running Atrium and against servers that answer for it."""

import json
import threading
import time
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, HTTPServer

import anyio
import pytest
from conftest import Atrium

from atrium_client import AsyncTrustClient, Decision, Found, Interaction, Invalid, NotFound, Question, TrustClient, Unverified
from atrium_client.client import _date
from atrium_client.decision import parse_decision
from atrium_client.target import fault_of, subject_of

GOOD, BAD, UNKNOWN = "good-place.com", "bad-place.com", "unknown-place.com"
PATIENT = 60.0
WRONG = {
    "garbage": "not_understood",
    "sixth action": "not_understood",
    "fault": "failed",
    "too many": "rate_limited",
    "redirect": "failed",
    "cut off": "unreachable",
    "endless": "not_understood",
}


def client_of(atrium: Atrium, **options: object) -> TrustClient:
    return TrustClient(atrium.url, atrium.api_key, **{"timeout_seconds": PATIENT, **options})


def run_async(call, atrium: Atrium, **options):
    async def go():
        async with AsyncTrustClient(atrium.url, atrium.api_key, **{"timeout_seconds": PATIENT, **options}) as client:
            return await call(client)

    return anyio.run(go)


def test_decides_about_a_host_and_a_url(atrium: Atrium) -> None:
    with client_of(atrium) as client:
        decision = client.decide(
            Question(f"https://u:secret@{BAD}/page?token=secret#secret", Interaction("submit_credentials"), "strict")
        )
        assert isinstance(decision, Decision)
        assert (decision.action, decision.host) == ("deny", BAD)
        assert "A threat feed lists the target." in decision.reasons
        assert 0 < decision.confidence <= 1 and 0 < decision.fresh_seconds <= 86_400
        assert client.decide(GOOD).action == "proceed"
        [first, _] = atrium.requests
        assert "secret" not in first["body"]
        assert '"kind": "submit_credentials"' in first["body"] or '"kind":"submit_credentials"' in first["body"]
        assert '"strict"' in first["body"]


def test_sends_the_path_only_when_that_is_wanted(atrium: Atrium) -> None:
    with client_of(atrium, send_path=True) as client:
        client.decide(f"https://u:secret@{GOOD}/page?q=1#secret")
    [request] = atrium.requests
    assert f"https://u@{GOOD}/page?q=1" in request["body"] and "secret" not in request["body"]


def test_a_target_that_is_no_host_is_invalid(atrium: Atrium) -> None:
    with client_of(atrium) as client:
        assert isinstance(client.decide("not a host"), Invalid)
        outcomes = client.decide_all([GOOD, "not a host", BAD])
    assert [outcome.kind for outcome in outcomes] == ["decided", "invalid", "decided"]


def test_a_batch_keeps_its_order_and_its_limit(atrium: Atrium) -> None:
    with client_of(atrium) as client:
        outcomes = client.decide_all([UNKNOWN, GOOD, BAD])
        assert [outcome.action for outcome in outcomes] == ["sandbox", "proceed", "deny"]
        assert client.decide_all([]) == []
        assert [each["path"] for each in atrium.requests] == ["/v1/decide/batch"]
        with pytest.raises(ValueError, match="at most 100"):
            client.decide_all([GOOD] * 101)


def test_explains_a_decision(atrium: Atrium) -> None:
    with client_of(atrium) as client:
        decision = client.decide(BAD)
        explanation = client.explain(decision.request_id)
        assert isinstance(explanation, Found) and explanation.record["recommended_action"] == "deny"
        for unknown in ["dec_nobody", "../../v1/usage", "..", ""]:
            assert isinstance(client.explain(unknown), (NotFound, Unverified))
        assert all(each["path"].startswith("/v1/decisions/") for each in atrium.requests[1:])


def test_async_gives_the_same(atrium: Atrium) -> None:
    async def calls(client: AsyncTrustClient):
        one = await client.decide(BAD)
        return one, await client.decide_all([UNKNOWN, "not a host"]), await client.explain(one.request_id)

    one, many, explanation = run_async(calls, atrium)
    assert one.action == "deny"
    assert [outcome.kind for outcome in many] == ["decided", "invalid"]
    assert isinstance(explanation, Found)


@pytest.mark.parametrize(("mood", "reason"), WRONG.items())
def test_a_failure_is_an_outcome(atrium: Atrium, mood: str, reason: str) -> None:
    atrium.be(mood)
    with client_of(atrium) as client:
        for outcome in [client.decide(GOOD), *client.decide_all([GOOD, BAD]), client.explain("dec_1")]:
            assert isinstance(outcome, Unverified) and outcome.reason == reason, outcome
            assert outcome.retry_after_seconds == (77 if mood == "too many" else None)
            assert atrium.api_key not in outcome.message
    assert run_async(lambda client: client.decide(GOOD), atrium).reason == reason


def test_an_answer_that_does_not_come_in_time(atrium: Atrium) -> None:
    atrium.be("slow")
    with client_of(atrium, timeout_seconds=0.2) as client:
        assert client.decide(GOOD).reason == "timeout"
    assert run_async(lambda client: client.decide(GOOD), atrium, timeout_seconds=0.2).reason == "timeout"


def test_nobody_listens(atrium: Atrium) -> None:
    nowhere = Atrium("http://127.0.0.1:9", atrium.api_key)
    with client_of(nowhere) as client:
        assert client.decide(GOOD).reason == "unreachable"
    assert run_async(lambda client: client.decide(GOOD), nowhere).reason == "unreachable"


def test_the_timeout_bounds_an_answer_that_comes_in_drops(atrium: Atrium) -> None:
    class Drops(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.end_headers()
            try:
                while not ended.is_set():
                    self.wfile.write(b" ")
                    time.sleep(0.02)
            except OSError:
                pass

        def log_message(self, *_: object) -> None:
            pass

    ended = threading.Event()
    server = HTTPServer(("127.0.0.1", 0), Drops)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        dripping = Atrium(f"http://127.0.0.1:{server.server_port}", atrium.api_key)
        with client_of(dripping, timeout_seconds=0.5) as client:
            assert client.decide(GOOD).reason == "timeout"
    finally:
        ended.set()
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_wrong_key(atrium: Atrium) -> None:
    with TrustClient(atrium.url, "sk_wrong", timeout_seconds=PATIENT) as client:
        outcome = client.decide(GOOD)
    assert isinstance(outcome, Unverified) and outcome.reason == "unauthorized"


@pytest.mark.parametrize(
    "options",
    [
        {"base_url": "ftp://x"},
        {"base_url": "nowhere"},
        {"base_url": "https://"},
        {"api_key": ""},
        {"api_key": "a b"},
        {"api_key": "sk_\n"},
        {"timeout_seconds": 0},
        {"timeout_seconds": float("nan")},
    ],
)
def test_options_that_cannot_work_are_refused(options: dict) -> None:
    with pytest.raises(ValueError, match="Expected") as caught:
        TrustClient(**{"base_url": "https://atrium.example", "api_key": "sk_secret", **options})
    if "api_key" in options and options["api_key"]:
        assert options["api_key"] not in str(caught.value)


def test_targets_are_reduced_as_by_the_other_client(atrium: Atrium) -> None:
    for row in atrium.call("subjects"):
        assert subject_of(row["target"], row["sendPath"]) == row["subject"], row
        assert fault_of(row["target"]) == row["fault"], row


@pytest.mark.parametrize(
    "target",
    [
        "https:\\\\u:secret@h.com\\secret",
        "https:/h.com/secret",
        "https:h.com/secret",
        "  https://h.com/secret ",
        "HTTPS://u:p@secret@h.com/secret?secret",
        "https://:secret@h.com/#secret",
        "https:///secret@h.com/",
        "https://h.com?secret",
    ],
)
def test_odd_spellings_leak_nothing(target: str) -> None:
    subject = subject_of(target)
    assert subject["type"] == "url" and "secret" not in subject["value"].replace("https://secret@", ""), subject


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_target_with_a_forbidden_character_is_not_sent(atrium: Atrium, asynchronous: bool) -> None:
    targets = ["\ufeffhttps://h.com/", GOOD, "h.\ncom", "not a host", "h.com\u00a0"]
    if asynchronous:
        outcomes = run_async(lambda client: client.decide_all(targets), atrium)
        single = run_async(lambda client: client.decide(targets[0]), atrium)
    else:
        with client_of(atrium) as client:
            outcomes, single = client.decide_all(targets), client.decide(targets[0])
    assert [type(each) for each in outcomes] == [Invalid, Decision, Invalid, Invalid, Invalid]
    assert single == outcomes[0] == outcomes[2] == outcomes[4] == Invalid(fault_of(targets[0]) or "")
    assert [len(json.loads(each["body"])["requests"]) for each in atrium.requests] == [2]


def test_letters_that_python_maps_otherwise_are_left_to_atrium() -> None:
    assert subject_of("HTTP://WWW.ΚΌΣΜΟΣ.GR/a")["value"] == "http://www.ΚΌΣΜΟΣ.gr/"


@pytest.mark.parametrize("target", ["half\ud800.com", "https://half\udc00.com/", "https://h.com/\ud800"])
def test_half_a_character_is_an_outcome(atrium: Atrium, target: str) -> None:
    with TrustClient(atrium.url, atrium.api_key, timeout_seconds=60, send_path=True) as client:
        assert client.decide(target).kind in ("invalid", "decided")
        assert client.explain(f"dec_{target}").kind == "not_found"


@pytest.mark.parametrize("date", ["Thu, 26 Nov 2026 11:00:00 +99999999999999999999", "Thu, 26 Nov 999999999999 11:00:00 GMT"])
def test_a_date_beyond_all_numbers_is_no_date(date: str) -> None:
    assert abs((_date(date) - datetime.now(timezone.utc)).total_seconds()) < 60


def test_an_answer_is_a_decision_only_when_it_is_whole() -> None:
    now = datetime(2026, 1, 1, tzinfo=timezone.utc)
    whole = {
        "request_id": "dec_1",
        "target": {"normalized": "h.com"},
        "decision": {"recommended_action": "deny", "action_confidence": 1, "reason_codes": ["a"]},
        "validity": {"valid_until": "2026-01-01T00:01:00.000Z", "ttl_seconds": 300},
    }
    decision = parse_decision(whole, now)
    assert decision is not None
    assert (decision.fresh_seconds, decision.valid_until) == (60, "2026-01-01T00:01:00.000Z")
    for key, value in [("request_id", 1), ("target", {}), ("target", None), ("decision", [])]:
        assert parse_decision({**whole, key: value}, now) is None
    for key, value in [
        ("recommended_action", "allow"),
        ("action_confidence", 2),
        ("action_confidence", True),
        ("reason_codes", [1]),
    ]:
        assert parse_decision({**whole, "decision": {**whole["decision"], key: value}}, now) is None
    for validity in [{}, {"valid_until": "soon", "ttl_seconds": 1}, {"valid_until": "2026-01-01T00:01:00"}, {"ttl_seconds": 300}]:
        assert parse_decision({**whole, "validity": validity}, now).fresh_seconds == 0
    assert (
        parse_decision({**whole, "validity": {"valid_until": "2020-01-01T00:00:00Z", "ttl_seconds": 9}}, now).fresh_seconds == 0
    )
