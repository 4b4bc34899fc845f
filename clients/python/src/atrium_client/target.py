"""The part of a target that is sent to Atrium."""

from __future__ import annotations

import re

# Atrium's limit; of a longer URL only the host is sent.
_MAX_TARGET_CHARACTERS = 2_048

# What the URL Standard removes before it parses: control characters and spaces at the ends, and
# tabs and line breaks anywhere.
_ENDS = "".join(map(chr, range(0x21)))
_GAPS = re.compile("[\t\n\r]")
# Of ASCII only: Atrium maps other letters by UTS 46, which differs from Python's (a Greek sigma at the end).
_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_WEB = re.compile(r"(https?):[/\\]*([^/\\?#]*)([^?#]*)(\?[^#]*)?", re.IGNORECASE | re.DOTALL)


def subject_of(target: str, send_path: bool = False) -> dict[str, str]:
    """Reduces a target to ``{"type": …, "value": …}``, as ``/v1/decide`` reads it.

    Paths and queries may contain secrets: they are sent only with ``send_path``. Passwords and
    fragments never are. The user name is, because ``http://bank.example@evil.example`` deceives
    with it. Text that is not an http(s) URL is sent unchanged.
    """
    # JSON cannot carry half a character; the URL Standard replaces it.
    text = target.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    match = _WEB.match(_GAPS.sub("", text.strip(_ENDS)))
    if match is None:
        return {"type": "domain", "value": text}
    scheme, authority, path, query = match.groups(default="")
    login, separator, host = authority.rpartition("@")
    user = login.partition(":")[0]
    site = f"{scheme.lower()}://{user + '@' if separator and user else ''}{host.translate(_LOWER)}"
    whole = f"{site}{path.replace(chr(92), '/') or '/'}{query}"
    return {"type": "url", "value": whole if send_path and len(whole) <= _MAX_TARGET_CHARACTERS else f"{site}/"}
