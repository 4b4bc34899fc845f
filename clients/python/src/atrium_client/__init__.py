"""Client of Atrium: may an agent touch this domain?

``client`` asks for decisions, ``tools`` reports about sources to agents, ``guard`` checks requests
of httpx, and ``langchain`` (loaded only when imported) has tools for LangChain and LangGraph.
"""

from .client import AsyncTrustClient, TrustClient
from .decision import (
    Action,
    Decision,
    Explanation,
    Found,
    Interaction,
    Invalid,
    NotFound,
    Outcome,
    Policy,
    Question,
    Unverified,
)
from .guard import AsyncGuardedTransport, GuardedTransport, Rules, TargetBlocked
from .tools import check_source, check_sources, explain_decision

__all__ = [
    "Action",
    "AsyncGuardedTransport",
    "AsyncTrustClient",
    "Decision",
    "Explanation",
    "Found",
    "GuardedTransport",
    "Interaction",
    "Invalid",
    "NotFound",
    "Outcome",
    "Policy",
    "Question",
    "Rules",
    "TargetBlocked",
    "TrustClient",
    "Unverified",
    "check_source",
    "check_sources",
    "explain_decision",
]
