"""Guards that check every request of an httpx client before it is sent, redirects included."""

from __future__ import annotations

import re
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import httpx

from .client import AsyncTrustClient, TrustClient
from .decision import ACTIONS, Action, Decision, Interaction, Invalid, Outcome, Policy, Question, Unverified
from .target import subject_of

# Hosts that Atrium and httpx read alike. Httpx connects to any text up to the next slash; Atrium reads
# `http://good.example\.evil.example/` as `good.example`, as browsers do.
_HOST = re.compile(r"[0-9a-z._-]+|[0-9a-f:.]+", re.IGNORECASE | re.ASCII)

Passage = Literal["pass", "block"]

_BY_DEFAULT: dict[Action, Passage] = {
    "proceed": "pass",
    "proceed_with_caution": "pass",
    "sandbox": "block",
    "escalate_to_human": "block",
    "deny": "block",
}


class TargetBlocked(httpx.RequestError):
    """A request was blocked before it was sent. ``outcome`` says why."""

    def __init__(self, request: httpx.Request, outcome: Outcome) -> None:
        why = f"{outcome.action} ({', '.join(outcome.reason_codes)})" if isinstance(outcome, Decision) else outcome.message
        super().__init__(f"No request to {request.url.host}: {why}", request=request)
        self.outcome = outcome


@dataclass(frozen=True)
class Rules:
    """What passes a guard.

    ``fail``: what to do without a decision (Atrium is unreachable, slow or faulty, or the key has no
    scans left). ``open`` lets every request pass, also to flagged domains; ``closed`` blocks all. No
    default, because either can do harm. ``actions``: passage by action, where it differs from the
    default: ``proceed`` and ``proceed_with_caution`` pass. ``cache_entries``: size of the cache of
    decisions; 0 disables it. Raises ValueError for values that cannot work.
    """

    fail: Literal["open", "closed"]
    actions: Mapping[Action, Passage] = field(default_factory=dict)
    interaction: Interaction | None = None
    policy: Policy | None = None
    cache_entries: int = 1_000

    def __post_init__(self) -> None:
        if self.fail not in ("open", "closed"):
            raise ValueError(f'Expected fail to be "open" or "closed", got {self.fail!r}.')
        for action, passage in self.actions.items():
            if action not in ACTIONS or passage not in ("pass", "block"):
                raise ValueError(
                    f'Expected actions to map {", ".join(ACTIONS)} to "pass" or "block", got {action!r}: {passage!r}.'
                )
        if isinstance(self.cache_entries, bool) or not isinstance(self.cache_entries, int) or self.cache_entries < 0:
            raise ValueError(f"Expected cache_entries to be a whole number from 0, got {self.cache_entries!r}.")

    def question(self, request: httpx.Request) -> Question:
        """What is decided about a request. Raises TargetBlocked where that would be another host."""
        host = request.url.raw_host.decode("ascii", "replace")
        if request.url.scheme not in ("http", "https") or not _HOST.fullmatch(host):
            raise TargetBlocked(request, Invalid("Expected an http(s) URL with a host name or an IP address."))
        return Question(str(request.url), self.interaction, self.policy)

    def enforce(self, request: httpx.Request, outcome: Outcome) -> None:
        """Raises TargetBlocked for a request that may not be sent."""
        if isinstance(outcome, Decision):
            passage = self.actions.get(outcome.action, _BY_DEFAULT[outcome.action])
        else:
            # An invalid target is blocked even with `open`: Atrium did not fail.
            passage = "pass" if self.fail == "open" and isinstance(outcome, Unverified) else "block"
        if passage == "block":
            raise TargetBlocked(request, outcome)


class GuardedTransport(httpx.BaseTransport):
    """Sends requests through ``transport`` after ``client`` has decided about their target.

    ``httpx.Client(transport=GuardedTransport(client, Rules(fail="closed")))``. Does not check IP
    addresses: an allowed name may resolve to a private network. Requests through ``proxy`` or
    ``mounts`` of the httpx client go past it: give the proxy to ``transport``. ``client`` stays the
    caller's to close.
    """

    def __init__(self, client: TrustClient, rules: Rules, transport: httpx.BaseTransport | None = None) -> None:
        self._client, self._rules = client, rules
        self._transport = transport or httpx.HTTPTransport()
        self._cache = _Cache(rules.cache_entries)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        question = self._rules.question(request)
        key = subject_of(question.target, self._client.send_path)["value"]
        outcome: Outcome | None = self._cache.get(key)
        if outcome is None:
            outcome = self._client.decide(question)
            self._cache.set(key, outcome)
        self._rules.enforce(request, outcome)
        return self._transport.handle_request(request)

    def close(self) -> None:
        self._transport.close()


class AsyncGuardedTransport(httpx.AsyncBaseTransport):
    """``GuardedTransport`` for ``httpx.AsyncClient``."""

    def __init__(self, client: AsyncTrustClient, rules: Rules, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._client, self._rules = client, rules
        self._transport = transport or httpx.AsyncHTTPTransport()
        self._cache = _Cache(rules.cache_entries)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        question = self._rules.question(request)
        key = subject_of(question.target, self._client.send_path)["value"]
        outcome: Outcome | None = self._cache.get(key)
        if outcome is None:
            outcome = await self._client.decide(question)
            self._cache.set(key, outcome)
        self._rules.enforce(request, outcome)
        return await self._transport.handle_async_request(request)

    async def aclose(self) -> None:
        await self._transport.aclose()


class _Cache:
    """LRU cache of decisions by target; an entry expires with its decision."""

    def __init__(self, max_entries: int) -> None:
        self._max_entries = max_entries
        self._entries: OrderedDict[str, tuple[Decision, float]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> Decision | None:
        with self._lock:
            found = self._entries.pop(key, None)
            if found is None or found[1] <= time.monotonic():
                return None
            self._entries[key] = found
            return found[0]

    def set(self, key: str, outcome: Outcome) -> None:
        # Only decisions are cached: a failure may be temporary.
        if not isinstance(outcome, Decision) or outcome.fresh_seconds <= 0 or self._max_entries == 0:
            return
        with self._lock:
            self._entries.pop(key, None)
            self._entries[key] = (outcome, time.monotonic() + outcome.fresh_seconds)
            if len(self._entries) > self._max_entries:
                self._entries.popitem(last=False)
