"""Tools for models and agents of LangChain and LangGraph. Needs ``langchain-core``."""

from __future__ import annotations

import json
from typing import Annotated, Any

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, ConfigDict, Field

from .client import MAX_QUESTIONS, AsyncTrustClient, TrustClient
from .decision import Interaction, Kind, Mode, Policy, Sensitivity
from .tools import acheck_source, acheck_sources, aexplain_decision, check_source, check_sources, explain_decision

_Source = Annotated[str, Field(min_length=1, max_length=2048, description="A host name like example.com, or an http(s) URL.")]


class _Intent(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: Kind | None = Field(None, description="What you are about to do there. Default: fetch.")
    mode: Mode | None = Field(None, description="What that may change. Default: read_only.")
    sensitivity: Sensitivity | None = Field(None, description="How much a mistake would hurt. Default: medium.")


class _CheckSource(_Intent):
    source: _Source


class _CheckSources(_Intent):
    sources: Annotated[list[_Source], Field(min_length=1, max_length=MAX_QUESTIONS)]


class _ExplainDecision(BaseModel):
    model_config = ConfigDict(extra="forbid")

    decision_id: Annotated[
        str, Field(min_length=1, max_length=100, description="As check_source or check_sources gave it: dec_…")
    ]


def langchain_tools(
    client: TrustClient, async_client: AsyncTrustClient | None = None, *, policy: Policy | None = None
) -> list[BaseTool]:
    """Tools for ``bind_tools`` and ``ToolNode``: check_source, check_sources and explain_decision.

    With ``async_client``, ``ainvoke`` uses it; without one, ``ainvoke`` runs ``client`` in a thread.
    ``policy`` is the operator's and no argument of the model. Results are JSON texts. When there is
    no decision, the text says so and to hold the source; nothing is raised.
    """

    def source_checked(source: str, **intent: Any) -> str:
        return _text(check_source(client, source, Interaction(**intent), policy))

    def sources_checked(sources: list[str], **intent: Any) -> str:
        return _text(check_sources(client, sources, Interaction(**intent), policy))

    def decision_explained(decision_id: str) -> str:
        return _text(explain_decision(client, decision_id))

    in_async: list[Any] = [None, None, None]
    if async_client is not None:
        asking = async_client

        async def source_checked_async(source: str, **intent: Any) -> str:
            return _text(await acheck_source(asking, source, Interaction(**intent), policy))

        async def sources_checked_async(sources: list[str], **intent: Any) -> str:
            return _text(await acheck_sources(asking, sources, Interaction(**intent), policy))

        async def decision_explained_async(decision_id: str) -> str:
            return _text(await aexplain_decision(asking, decision_id))

        in_async = [source_checked_async, sources_checked_async, decision_explained_async]

    return [
        StructuredTool(
            name="check_source",
            description="Decides whether a domain or URL may be used, before you open it, send it anything, or rely on "
            "it. Follow `advice`; `action` is one of proceed, proceed_with_caution, sandbox, escalate_to_human, deny.",
            args_schema=_CheckSource,
            func=source_checked,
            coroutine=in_async[0],
        ),
        StructuredTool(
            name="check_sources",
            description="Decides about many candidate sources at once, for example all results of a search, and returns "
            "them grouped: approved (use), sandboxed (only under restrictions), denied (drop), unverified (hold).",
            args_schema=_CheckSources,
            func=sources_checked,
            coroutine=in_async[1],
        ),
        StructuredTool(
            name="explain_decision",
            description="Says why a decision came out as it did: what was observed, what it counted, and which rules "
            "moved the action.",
            args_schema=_ExplainDecision,
            func=decision_explained,
            coroutine=in_async[2],
        ),
    ]


def _text(report: object) -> str:
    return json.dumps(report, ensure_ascii=False)
