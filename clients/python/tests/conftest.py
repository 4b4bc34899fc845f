"""A running Atrium behind a proxy that misbehaves on demand; the test that starts pytest has it."""

import json
import os
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

CONTROL = os.environ["ATRIUM_TEST_CONTROL"]


@dataclass(frozen=True)
class Atrium:
    """Where Atrium is, and one of its keys."""

    url: str
    api_key: str

    def call(self, path: str, body: object = None) -> Any:
        """Asks the test that started this one."""
        request = urllib.request.Request(f"{CONTROL}/{path}", json.dumps(body).encode())
        with urllib.request.urlopen(request) as response:
            return json.load(response)

    def be(self, mood: str) -> None:
        """How the proxy behaves from now on; forgets the requests it saw."""
        self.call("be", mood)

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The requests since the last ``be``: path, body and key."""
        return self.call("requests")


@pytest.fixture
def atrium() -> Iterator[Atrium]:
    server = Atrium(os.environ["ATRIUM_TEST_URL"], "")
    server.be("up")
    yield Atrium(server.url, server.call("key"))
    server.be("up")
