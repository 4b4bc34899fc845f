"""Decides and reads back through a client that openapi-python-client made from the contract."""

import json
import sys

base_url, api_key, folder = sys.argv[1:]
sys.path.insert(0, folder)

from generated import Client  # noqa: E402
from generated.api.decisions import decide, decide_batch, get_decision  # noqa: E402
from generated.models import BatchRequest, Problem  # noqa: E402

with Client(base_url=base_url, headers={"x-api-key": api_key}, raise_on_unexpected_status=True) as client:
    bad = {"target": {"type": "domain", "value": "bad-place.com"}, "interaction": {"kind": "fetch"}}
    one = decide.sync(client=client, body=bad)
    record = get_decision.sync(one.request_id, client=client)
    requests = [{"target": {"type": "domain", "value": value}} for value in ("good-place.com", "no host")]
    batch = decide_batch.sync(client=client, body=BatchRequest.from_dict({"requests": requests}))
    missing = get_decision.sync_detailed("dec_nobody", client=client)
    assert isinstance(missing.parsed, Problem)
    good, wrong = batch.results
    print(
        json.dumps(
            {
                "action": one.decision.recommended_action,
                "recorded": record.recommended_action,
                "batch": [good.decision.decision.recommended_action, wrong.problem.errors[0].code],
                "missing": [int(missing.status_code), missing.parsed.code],
            }
        )
    )
