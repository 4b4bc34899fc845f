"""HTTP clients of trust decisions, one for threads and one for asyncio."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any
from urllib.parse import quote

import anyio
import httpx

from .decision import (
    NOT_UNDERSTOOD,
    Explanation,
    Found,
    Invalid,
    NotFound,
    Outcome,
    Question,
    Unverified,
    UnverifiedReason,
    mapping,
    mappings,
    parse_decision,
)
from .target import fault_of, subject_of

MAX_QUESTIONS = 100
"""Questions of one request, at most."""

# 100 decisions with evidence are some 250 kB, and a stored decision with evidence below 100 kB.
_MAX_RESPONSE_BYTES = 2_000_000

_KEY = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True)
class _Reply:
    status: int
    # Parsed body; None when it is not JSON.
    json: object
    # Time of the response by Atrium's clock (`Date` header).
    now: datetime
    retry_after_seconds: int | None


_Answer = _Reply | Unverified


class _TooLong(Exception):
    """A response exceeds the limit."""


@dataclass(frozen=True)
class _Options:
    root: str
    api_key: str
    timeout_seconds: float
    send_path: bool

    @property
    def http(self) -> dict[str, Any]:
        """What both clients of httpx are made with."""
        return {
            "headers": {"x-api-key": self.api_key, "accept": "application/json"},
            "timeout": self.timeout_seconds,
            # They would send the API key to another server.
            "follow_redirects": False,
        }

    def body(self, question: Question) -> dict[str, Any]:
        interaction = {key: value for key, value in asdict(question.interaction).items() if value} if question.interaction else {}
        return {
            "target": subject_of(question.target, self.send_path),
            **({"interaction": interaction} if interaction else {}),
            **({"policy": {"profile": question.policy}} if question.policy else {}),
        }

    def batch(self, questions: Sequence[Question]) -> tuple[list[Question], dict[str, Any]]:
        """The questions that are sent, and the request with them."""
        if len(questions) > MAX_QUESTIONS:
            raise ValueError(f"Expected at most {MAX_QUESTIONS} questions, got {len(questions)}.")
        sent = [each for each in questions if _invalid_of(each) is None]
        return sent, {"requests": [self.body(each) for each in sent]}

    def timeout(self) -> Unverified:
        return Unverified("timeout", f"No answer within {self.timeout_seconds:g} s.")


def _options(base_url: str, api_key: str, timeout_seconds: float, send_path: bool) -> _Options:
    try:
        base = httpx.URL(base_url)
    except (httpx.InvalidURL, TypeError):
        base = httpx.URL("")
    if base.scheme not in ("http", "https") or not base.host:
        raise ValueError(f"Expected base_url to be an http(s) URL, got {base_url!r}.")
    # The message does not contain the key, because it is a secret.
    if not isinstance(api_key, str) or not _KEY.fullmatch(api_key):
        raise ValueError("Expected api_key to be an API key of Atrium.")
    if not 0 < timeout_seconds < 2**31:
        raise ValueError(f"Expected timeout_seconds to be a number of seconds above 0, got {timeout_seconds!r}.")
    root = str(base.copy_with(query=None, fragment=None)).rstrip("/")
    return _Options(root, api_key, timeout_seconds, send_path)


class TrustClient:
    """Asks Atrium for decisions. Failures of network and server are outcomes, not exceptions.

    Safe to share among threads. Close it, or use it in a ``with`` statement.

    ``base_url``: base URL of Atrium, like ``https://atrium.example``. ``api_key``: one of
    ``npx atrium trust key create``. ``timeout_seconds``: bound of a request with its body; Atrium
    collects evidence about an unknown host for up to 3 s. Headers that come byte by byte may take longer
    here, not with ``AsyncTrustClient``. ``send_path``: whether paths and queries
    of URLs are sent, so that a single listed page can be recognised; passwords and fragments never
    are. Raises ValueError for options that cannot work.
    """

    def __init__(self, base_url: str, api_key: str, *, timeout_seconds: float = 5, send_path: bool = False) -> None:
        self._options = _options(base_url, api_key, timeout_seconds, send_path)
        self._http = httpx.Client(**self._options.http)

    @property
    def send_path(self) -> bool:
        """Whether decisions are about whole URLs instead of hosts."""
        return self._options.send_path

    def decide(self, question: Question | str) -> Outcome:
        """Decides about one target."""
        asked = _question(question)
        return _invalid_of(asked) or _outcome_of(self._request("/v1/decide", self._options.body(asked)))

    def decide_all(self, questions: Sequence[Question | str]) -> list[Outcome]:
        """Decides about up to 100 targets in one request; outcomes are in the order of the questions."""
        asked = [_question(each) for each in questions]
        sent, body = self._options.batch(asked)
        answered = _outcomes_of(self._request("/v1/decide/batch", body), len(sent)) if sent else []
        return _in_order(asked, answered)

    def explain(self, request_id: str) -> Explanation:
        """The stored decision with its evidence."""
        return _explanation_of(self._request(_record_path(request_id), None))

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self) -> TrustClient:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _request(self, path: str, body: object) -> _Answer:
        deadline = time.monotonic() + self._options.timeout_seconds
        try:
            with self._http.stream("GET" if body is None else "POST", self._options.root + path, json=body) as response:
                content = bytearray()
                for chunk in response.iter_bytes():
                    content += chunk
                    if len(content) > _MAX_RESPONSE_BYTES:
                        raise _TooLong
                    # Httpx bounds each read, not their sum.
                    if time.monotonic() > deadline:
                        return self._options.timeout()
                return _reply(response, bytes(content))
        except _TooLong:
            return _reply(response, b"")
        except httpx.TimeoutException:
            return self._options.timeout()
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            return _unreachable(error)


class AsyncTrustClient:
    """``TrustClient`` for asyncio and trio. Cancelling a call ends its request."""

    def __init__(self, base_url: str, api_key: str, *, timeout_seconds: float = 5, send_path: bool = False) -> None:
        self._options = _options(base_url, api_key, timeout_seconds, send_path)
        self._http = httpx.AsyncClient(**self._options.http)

    @property
    def send_path(self) -> bool:
        """Whether decisions are about whole URLs instead of hosts."""
        return self._options.send_path

    async def decide(self, question: Question | str) -> Outcome:
        """Decides about one target."""
        asked = _question(question)
        return _invalid_of(asked) or _outcome_of(await self._request("/v1/decide", self._options.body(asked)))

    async def decide_all(self, questions: Sequence[Question | str]) -> list[Outcome]:
        """Decides about up to 100 targets in one request; outcomes are in the order of the questions."""
        asked = [_question(each) for each in questions]
        sent, body = self._options.batch(asked)
        answered = _outcomes_of(await self._request("/v1/decide/batch", body), len(sent)) if sent else []
        return _in_order(asked, answered)

    async def explain(self, request_id: str) -> Explanation:
        """The stored decision with its evidence."""
        return _explanation_of(await self._request(_record_path(request_id), None))

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncTrustClient:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def _request(self, path: str, body: object) -> _Answer:
        try:
            with anyio.fail_after(self._options.timeout_seconds):
                method = "GET" if body is None else "POST"
                async with self._http.stream(method, self._options.root + path, json=body) as response:
                    content = bytearray()
                    async for chunk in response.aiter_bytes():
                        content += chunk
                        if len(content) > _MAX_RESPONSE_BYTES:
                            raise _TooLong
                    return _reply(response, bytes(content))
        except _TooLong:
            return _reply(response, b"")
        except (httpx.TimeoutException, TimeoutError):
            return self._options.timeout()
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            return _unreachable(error)


def _question(question: Question | str) -> Question:
    return Question(question) if isinstance(question, str) else question


def _invalid_of(question: Question) -> Invalid | None:
    """Of a target that is not sent at all; None for others."""
    message = fault_of(question.target)
    return None if message is None else Invalid(message)


def _in_order(questions: Sequence[Question], answered: Sequence[Outcome]) -> list[Outcome]:
    """Outcomes of all questions, of which some were not sent."""
    following = iter(answered)
    return [_invalid_of(each) or next(following) for each in questions]


def _record_path(request_id: str) -> str:
    # A dot segment would be another path.
    return f"/v1/decisions/{quote(request_id, safe='', errors='replace').replace('.', '%2E')}"


def _reply(response: httpx.Response, content: bytes) -> _Reply:
    try:
        parsed: object = json.loads(content, parse_constant=_refuse_constant)
    # A body nested thousands deep is a RecursionError.
    except (ValueError, RecursionError):
        parsed = None
    after = response.headers.get("retry-after", "")
    return _Reply(
        status=response.status_code,
        json=parsed,
        now=_date(response.headers.get("date")),
        retry_after_seconds=int(after) if re.fullmatch(r"[0-9]{1,9}", after) else None,
    )


def _refuse_constant(name: str) -> object:
    """JSON has no NaN and no Infinity; Python's reader takes them."""
    raise ValueError(f"Expected JSON, got {name}.")


def _date(header: str | None) -> datetime:
    try:
        found = parsedate_to_datetime(header or "")
        return found if found.tzinfo else found.replace(tzinfo=timezone.utc)
    # Numbers too large for a date are the latter.
    except (ValueError, OverflowError):
        return datetime.now(timezone.utc)


def _unreachable(error: Exception) -> Unverified:
    return Unverified("unreachable", f"Atrium cannot be reached: {error or type(error).__name__}.")


def _outcome_of(answer: _Answer) -> Outcome:
    if isinstance(answer, Unverified):
        return answer
    if answer.status == 200:
        return parse_decision(answer.json, answer.now) or NOT_UNDERSTOOD
    return _invalid_target(answer) or _failure_of(answer)


def _outcomes_of(answer: _Answer, count: int) -> list[Outcome]:
    if isinstance(answer, Unverified):
        return [answer] * count
    if answer.status != 200:
        return [_failure_of(answer)] * count
    results = mappings(mapping(answer.json).get("results"))
    outcomes: list[Outcome] = []
    for index in range(count):
        result = results[index] if index < len(results) else {}
        status, decision = result.get("status"), result.get("decision")
        body = result.get("problem") if decision is None else decision
        outcomes.append(
            _outcome_of(_Reply(status if isinstance(status, int) else 200, body, answer.now, answer.retry_after_seconds))
        )
    return outcomes


def _explanation_of(answer: _Answer) -> Explanation:
    if isinstance(answer, Unverified):
        return answer
    if answer.status == 404:
        return NotFound()
    if answer.status != 200:
        return _failure_of(answer)
    return Found(mapping(answer.json)) if parse_decision(answer.json, answer.now) else NOT_UNDERSTOOD


def _invalid_target(reply: _Reply) -> Invalid | None:
    """422 that names the target. Other 422s are mistakes of the calling code."""
    if reply.status != 422:
        return None
    for error in mappings(mapping(reply.json).get("errors")):
        pointer, message = error.get("pointer"), error.get("message")
        if isinstance(pointer, str) and re.match(r"/(?:domain|target)\b", pointer):
            return Invalid(message if isinstance(message, str) else "Expected a host name or an http(s) URL.")
    return None


def _failure_of(reply: _Reply) -> Unverified:
    detail = mapping(reply.json).get("detail")
    message = f"Atrium answered {reply.status}{f': {detail}' if isinstance(detail, str) else '.'}"
    reason: UnverifiedReason = "refused" if 400 <= reply.status < 500 else "failed"
    if reply.status in (401, 403):
        reason = "unauthorized"
    elif reply.status == 429:
        reason = "rate_limited"
    return Unverified(reason, message, reply.retry_after_seconds)
