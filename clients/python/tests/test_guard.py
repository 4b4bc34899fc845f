"""The guard of httpx, before a server of the machine that plays every host."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import anyio
import httpx
import pytest
from conftest import Atrium

from atrium_client import AsyncGuardedTransport, AsyncTrustClient, GuardedTransport, Rules, TargetBlocked, TrustClient

GOOD, BAD, UNKNOWN = "good-place.com", "bad-place.com", "unknown-place.com"


class World(BaseHTTPRequestHandler):
    """`/to?HOST` redirects there; every other path answers 200."""

    def do_GET(self) -> None:
        visited.append(self.headers["host"])
        path, _, host = self.path.partition("?")
        self.send_response(302 if path == "/to" else 200)
        if path == "/to":
            self.send_header("location", f"http://{host}/")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


visited: list[str] = []


class ToWorld(httpx.BaseTransport):
    """Sends every request to the server of this test."""

    def __init__(self, port: int) -> None:
        self.port, self.inner = port, httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.url = request.url.copy_with(host="127.0.0.1", port=self.port)
        return self.inner.handle_request(request)

    def close(self) -> None:
        self.inner.close()


class ToWorldAsync(httpx.AsyncBaseTransport):
    """``ToWorld`` for asyncio."""

    def __init__(self, port: int) -> None:
        self.port, self.inner = port, httpx.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.url = request.url.copy_with(host="127.0.0.1", port=self.port)
        return await self.inner.handle_async_request(request)

    async def aclose(self) -> None:
        await self.inner.aclose()


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), World)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(autouse=True)
def forget() -> None:
    visited.clear()


def http_client(atrium: Atrium, port: int, rules: Rules, **options) -> httpx.Client:
    client = TrustClient(atrium.url, atrium.api_key, **{"timeout_seconds": 60, **options})
    return httpx.Client(transport=GuardedTransport(client, rules, ToWorld(port)), follow_redirects=True)


def test_a_flagged_host_is_never_reached(atrium: Atrium, port: int) -> None:
    with http_client(atrium, port, Rules(fail="closed")) as http:
        assert http.get(f"http://{GOOD}/a").status_code == 200
        with pytest.raises(TargetBlocked, match=f"No request to {BAD}: deny") as caught:
            http.get(f"http://{BAD}/")
        assert caught.value.outcome.action == "deny"
        with pytest.raises(TargetBlocked, match="sandbox"):
            http.get(f"http://{UNKNOWN}/")
    assert visited == [GOOD]


def test_each_hop_of_a_redirect_is_checked(atrium: Atrium, port: int) -> None:
    with http_client(atrium, port, Rules(fail="closed")) as http, pytest.raises(TargetBlocked):
        http.get(f"http://{GOOD}/to?{BAD}")
    assert visited == [GOOD]


@pytest.mark.parametrize(
    "url", [f"http://{GOOD}\\.{BAD}/", f"http://{GOOD}%2F.{BAD}/", "/a?b", f"http:{GOOD}", f"ftp://u:p@{GOOD}/a"]
)
def test_what_httpx_and_atrium_read_differently_is_blocked(atrium: Atrium, port: int, url: str) -> None:
    with http_client(atrium, port, Rules(fail="open")) as http, pytest.raises(TargetBlocked, match=r"Expected an http\(s\) URL"):
        http.get(url)
    assert (visited, atrium.requests) == ([], [])


def test_a_redirect_to_a_host_with_a_backslash_is_blocked(atrium: Atrium, port: int) -> None:
    with http_client(atrium, port, Rules(fail="open")) as http, pytest.raises(TargetBlocked):
        http.get(f"http://{GOOD}/to?{GOOD}\\.{BAD}")
    assert visited == [GOOD]


def test_a_decision_is_reused_while_it_holds(atrium: Atrium, port: int) -> None:
    with http_client(atrium, port, Rules(fail="closed")) as http:
        for path in "abc":
            http.get(f"http://{GOOD}/{path}")
    assert len(atrium.requests) == 1
    with http_client(atrium, port, Rules(fail="closed", cache_entries=0)) as http:
        for path in "abc":
            http.get(f"http://{GOOD}/{path}")
    assert len(atrium.requests) == 4


@pytest.mark.parametrize(("fail", "passes"), [("open", True), ("closed", False)])
def test_without_atrium_the_operator_has_chosen(atrium: Atrium, port: int, fail, passes: bool) -> None:
    atrium.be("fault")
    with http_client(atrium, port, Rules(fail=fail)) as http:
        if passes:
            assert http.get(f"http://{BAD}/").status_code == 200
        else:
            with pytest.raises(TargetBlocked, match="Atrium answered 500"):
                http.get(f"http://{BAD}/")


def test_actions_can_be_set(atrium: Atrium, port: int) -> None:
    with http_client(atrium, port, Rules(fail="closed", actions={"sandbox": "pass", "proceed": "block"})) as http:
        assert http.get(f"http://{UNKNOWN}/").status_code == 200
        with pytest.raises(TargetBlocked):
            http.get(f"http://{GOOD}/")


def test_the_guard_works_in_asyncio(atrium: Atrium, port: int) -> None:
    async def go() -> list:
        async with AsyncTrustClient(atrium.url, atrium.api_key, timeout_seconds=60) as client:
            transport = AsyncGuardedTransport(client, Rules(fail="closed"), ToWorldAsync(port))
            async with httpx.AsyncClient(transport=transport, follow_redirects=True) as http:
                status = (await http.get(f"http://{GOOD}/")).status_code
                with pytest.raises(TargetBlocked):
                    await http.get(f"http://{GOOD}/to?{BAD}")
                return [status, visited]

    assert anyio.run(go) == [200, [GOOD, GOOD]]


@pytest.mark.parametrize(
    "rules",
    [
        {"fail": "maybe"},
        {"fail": "open", "actions": {"allow": "pass"}},
        {"fail": "open", "actions": {"deny": "let"}},
        {"fail": "open", "cache_entries": -1},
    ],
)
def test_rules_that_cannot_work_are_refused(rules: dict) -> None:
    with pytest.raises(ValueError, match="Expected"):
        Rules(**rules)
