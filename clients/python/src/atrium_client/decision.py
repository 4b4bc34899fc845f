"""Decisions of Atrium, and what stands in their place when there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Literal, get_args

Action = Literal["proceed", "proceed_with_caution", "sandbox", "escalate_to_human", "deny"]
"""Recommended actions, mildest first."""

ACTIONS: tuple[Action, ...] = get_args(Action)

Kind = Literal["navigate", "fetch", "enrich", "download_file", "submit_credentials", "initiate_payment"]
Mode = Literal["read_only", "transactional", "privileged"]
Sensitivity = Literal["low", "medium", "high", "critical"]
Policy = Literal["open", "balanced", "strict", "critical"]
"""Tolerated uncertainty; Atrium's default is ``balanced``."""


@dataclass(frozen=True)
class Interaction:
    """Planned use of a target. None: Atrium's default (fetch, read-only, medium sensitivity)."""

    kind: Kind | None = None
    mode: Mode | None = None
    sensitivity: Sensitivity | None = None


@dataclass(frozen=True)
class Question:
    """What is decided about."""

    target: str
    """A host name, or an http(s) URL. Of a URL only scheme, user, host and port are sent."""
    interaction: Interaction | None = None
    policy: Policy | None = None


@dataclass(frozen=True)
class Decision:
    """Atrium's recommendation for one target."""

    request_id: str
    """Id of the stored decision, for ``explain``."""
    host: str
    """The normalized host: lower case, Punycode."""
    action: Action
    confidence: float
    """Confidence in the action, 0 to 1."""
    reason_codes: tuple[str, ...]
    """Reason codes, the most decisive first."""
    reasons: tuple[str, ...]
    """Reason texts, strongest first."""
    requires_human_review: bool
    valid_until: str | None
    """Expiry by Atrium's clock (ISO 8601); None: unknown, so the decision must not be cached."""
    fresh_seconds: float
    """Remaining lifetime at arrival in seconds, by Atrium's own clock; the local one may differ."""
    kind: Literal["decided"] = "decided"


@dataclass(frozen=True)
class Invalid:
    """The target is not a host or URL."""

    message: str
    kind: Literal["invalid"] = "invalid"


UnverifiedReason = Literal["timeout", "unreachable", "unauthorized", "rate_limited", "refused", "failed", "not_understood"]


@dataclass(frozen=True)
class Unverified:
    """There is no decision: hold the target."""

    reason: UnverifiedReason
    message: str
    """Explanation for the caller's logs."""
    retry_after_seconds: int | None = None
    """Value of Retry-After; None when absent."""
    kind: Literal["unverified"] = "unverified"


Outcome = Decision | Invalid | Unverified


@dataclass(frozen=True)
class Found:
    """A stored decision with its evidence, as ``GET /v1/decisions/{id}`` answers it."""

    record: Mapping[str, Any]
    kind: Literal["found"] = "found"


@dataclass(frozen=True)
class NotFound:
    """The API key has no decision with this id."""

    kind: Literal["not_found"] = "not_found"


Explanation = Found | NotFound | Unverified

NOT_UNDERSTOOD = Unverified("not_understood", "The answer is not a decision.")

# Upper bound of a decision's lifetime in seconds, the same as in Atrium.
_MAX_FRESH_SECONDS = 86_400


def mapping(value: object) -> Mapping[str, Any]:
    """The value when it is a JSON object; an empty one otherwise."""
    return value if isinstance(value, dict) else {}


def mappings(value: object) -> list[Mapping[str, Any]]:
    """The JSON objects of an array; of any other value none."""
    return [mapping(each) for each in value] if isinstance(value, list) else []


def parse_decision(answer: object, now: datetime) -> Decision | None:
    """A decision from a parsed response; None when it is not one.

    ``now`` is the time of the response by Atrium's clock.
    """
    whole = mapping(answer)
    request_id, decision = whole.get("request_id"), mapping(whole.get("decision"))
    normalized = mapping(whole.get("target")).get("normalized")
    action = next((each for each in ACTIONS if each == decision.get("recommended_action")), None)
    confidence, codes = decision.get("action_confidence"), decision.get("reason_codes")
    if action is None or not isinstance(request_id, str) or not isinstance(normalized, str):
        return None
    if isinstance(confidence, bool) or not isinstance(confidence, (int, float)) or not 0 <= confidence <= 1:
        return None
    if not isinstance(codes, list) or not all(isinstance(code, str) for code in codes):
        return None

    validity = mapping(whole.get("validity"))
    until, lifetime = _instant(validity.get("valid_until")), validity.get("ttl_seconds")
    seconds = 0.0
    if until is not None and isinstance(lifetime, (int, float)):
        seconds = float(min((until - now).total_seconds(), lifetime, _MAX_FRESH_SECONDS))
    labels = (each.get("label") for each in mappings(mapping(whole.get("evidence")).get("highlights")))
    return Decision(
        request_id=request_id,
        host=normalized,
        action=action,
        confidence=float(confidence),
        reason_codes=tuple(codes),
        reasons=tuple(label for label in labels if isinstance(label, str)),
        requires_human_review=mapping(whole.get("uncertainty")).get("requires_human_review") is True,
        valid_until=None if until is None else _iso(until),
        fresh_seconds=max(seconds, 0.0),
    )


def _instant(text: object) -> datetime | None:
    if not isinstance(text, str):
        return None
    try:
        # Python 3.10 reads no `Z`.
        found = datetime.fromisoformat(text[:-1] + "+00:00" if text.endswith("Z") else text)
        # A time without an offset would be taken for a local one.
        return found.astimezone(timezone.utc) if found.tzinfo else None
    except (ValueError, OverflowError):
        return None


def _iso(instant: datetime) -> str:
    return instant.isoformat(timespec="milliseconds").replace("+00:00", "Z")
