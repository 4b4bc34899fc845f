"""The part of a target that is sent to Atrium."""

from __future__ import annotations

import re

# Atrium's limit; of a longer URL only the host is sent.
_MAX_TARGET_CHARACTERS = 2_048

# ASCII whitespace of the Infra Standard, which Atrium and URL parsers drop at both ends.
_ENDS = " \t\n\f\r"
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
# What JavaScript calls white space, less that of ASCII: URL parsers drop some of it silently.
_BLANK = re.compile("[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]")
# Of ASCII only: Atrium maps other letters by UTS 46, which differs from Python's (a Greek sigma at the end).
_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
# Of an IPv6 address the first colon ends no scheme; a number behind it is a port.
_ADDRESS = re.compile(r"[0-9a-f.]*:[0-9a-f.]*:", re.IGNORECASE)
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):(?![0-9]+(?:[/?#\\]|\Z))", re.IGNORECASE)
_PARTS = re.compile(r"([^/\\?#]*)([^?#]*)(\?[^#]*)?", re.DOTALL)


def subject_of(target: str, send_path: bool = False) -> dict[str, str]:
    """Reduces a target to ``{"type": …, "value": …}``, as ``/v1/decide`` reads it.

    Paths and queries may contain secrets: they are sent only with ``send_path``. Passwords and
    fragments never are, of text that is no valid URL neither. The user name is, because
    ``http://bank.example@evil.example`` deceives with it. Of other schemes only the scheme is sent, and
    of text with a character that ``fault_of`` refuses only that character.
    """
    # JSON cannot carry half a character; the URL Standard replaces it.
    text = target.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    refused = _refused_character(text)
    if refused is not None:
        return {"type": "domain", "value": refused}
    text = text.strip(_ENDS)
    found = None if _ADDRESS.match(text) else _SCHEME.match(text)
    scheme = found[1].lower() if found else None
    if scheme not in (None, "http", "https"):
        return {"type": "domain", "value": f"{scheme}:"}
    address = text[found.end() :].lstrip("/\\") if found else text
    match = _PARTS.match(address)
    authority, path, query = match.groups(default="") if match else ("", "", "")
    login, _, host = authority.rpartition("@")
    user = login.partition(":")[0]
    named = f"{user}@{host}" if user else host
    if scheme is None and authority == address:
        return {"type": "domain", "value": named}
    site = named if scheme is None else f"{scheme}://{f'{user}@' if user else ''}{host.translate(_LOWER)}"
    whole = f"{site}{path.replace(chr(92), '/') or '/'}{query}"
    value = whole if send_path and host and _units(whole) <= _MAX_TARGET_CHARACTERS else f"{site}/"
    return {"type": "domain" if scheme is None else "url", "value": value}


def fault_of(target: str) -> str | None:
    """Why a target is refused before anything of it is sent: Atrium's own words; None for others."""
    if _refused_character(target) is None:
        return None
    return "target.value: Expected no control characters, and no blanks but those of ASCII at the ends."


def _refused_character(target: str) -> str | None:
    text = target.strip(_ENDS)
    control = _CONTROL.search(text)
    if control:
        return control[0]
    return next((end for end in (text[:1], text[-1:]) if _BLANK.match(end)), None)


def _units(text: str) -> int:
    """Length in UTF-16 units, as Atrium counts."""
    return len(text) + sum(character > "\uffff" for character in text)
