"""The part of a target that is sent to Atrium."""

from __future__ import annotations

import re

# Atrium's limit; of a longer URL only the host is sent.
_MAX_TARGET_CHARACTERS = 2_048

# What the URL Standard removes before it parses: control characters and spaces at the ends, and
# tabs and line breaks anywhere.
_ENDS = "".join(map(chr, range(0x21)))
_GAPS = re.compile("[\t\n\r]")
_WEB = re.compile(r"(https?):[/\\]*([^/\\?#]*)([^?#]*)(\?[^#]*)?", re.IGNORECASE | re.DOTALL)


def subject_of(target: str, send_path: bool = False) -> dict[str, str]:
    """Reduces a target to ``{"type": …, "value": …}``, as ``/v1/decide`` reads it.

    Paths and queries may contain secrets: they are sent only with ``send_path``. Passwords and
    fragments never are. The user name is, because ``http://bank.example@evil.example`` deceives
    with it. Text that is not an http(s) URL is sent unchanged.
    """
    match = _WEB.match(_GAPS.sub("", target.strip(_ENDS)))
    if match is None:
        return {"type": "domain", "value": target}
    scheme, authority, path, query = match.groups(default="")
    login, separator, host = authority.rpartition("@")
    user = login.partition(":")[0]
    site = f"{scheme.lower()}://{user + '@' if separator and user else ''}{host.lower()}"
    whole = f"{site}{path.replace(chr(92), '/') or '/'}{query}"
    return {"type": "url", "value": whole if send_path and len(whole) <= _MAX_TARGET_CHARACTERS else f"{site}/"}
