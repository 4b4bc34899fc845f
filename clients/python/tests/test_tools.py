"""Reports for agents: the same as those of the TypeScript client, and as tools of LangChain and LangGraph."""

import json

import anyio
import pytest
from conftest import Atrium
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from pydantic import ValidationError

from atrium_client import AsyncTrustClient, TrustClient, check_source, check_sources, explain_decision
from atrium_client.langchain import langchain_tools

GOOD, BAD, UNKNOWN = "good-place.com", "bad-place.com", "unknown-place.com"


@pytest.fixture
def client(atrium: Atrium):
    with TrustClient(atrium.url, atrium.api_key, timeout_seconds=60) as client:
        yield client


def without_ids(report: dict) -> dict:
    return {key: value for key, value in report.items() if key not in ("decision_id", "valid_until")}


def test_reports_are_those_of_the_other_client(atrium: Atrium, client: TrustClient) -> None:
    reports = atrium.call("reports", [GOOD, BAD, UNKNOWN, "not a host"])
    assert len(reports) == 4
    for expected in reports:
        assert without_ids(check_source(client, expected["source"])) == without_ids(expected)


def test_explanations_are_those_of_the_other_client(atrium: Atrium, client: TrustClient) -> None:
    decision_id = check_source(client, BAD)["decision_id"]
    explained = explain_decision(client, decision_id)
    assert explained == atrium.call("explanation", {"key": atrium.api_key, "id": decision_id})
    assert "age_under_7d: threat 25, deviation 30 (3 days)" in explained["points"]
    assert explain_decision(client, "dec_nobody")["found"] is False


def test_many_sources_are_grouped_with_one_request(atrium: Atrium, client: TrustClient) -> None:
    groups = check_sources(client, [UNKNOWN, GOOD, "not a host", BAD, GOOD])
    assert {group: [each["source"] for each in reports] for group, reports in groups.items()} == {
        "approved": [GOOD],
        "sandboxed": [UNKNOWN],
        "denied": [BAD],
        "unverified": ["not a host"],
    }
    assert [each["path"] for each in atrium.requests] == ["/v1/decide/batch"]


def test_without_atrium_every_source_is_to_be_held(atrium: Atrium, client: TrustClient) -> None:
    atrium.be("fault")
    report = check_source(client, GOOD)
    assert (report["group"], report["action"]) == ("unverified", None)
    assert "Hold it" in report["advice"]


def tool(client: TrustClient, name: str, **options):
    return next(each for each in langchain_tools(client, **options) if each.name == name)


def test_langchain_runs_each_tool(client: TrustClient) -> None:
    message = tool(client, "check_source").invoke(
        {"type": "tool_call", "id": "call-1", "name": "check_source", "args": {"source": BAD, "kind": "fetch"}}
    )
    report = json.loads(message.content)
    assert (message.tool_call_id, report["action"]) == ("call-1", "deny")
    groups = json.loads(tool(client, "check_sources").invoke({"sources": [BAD, GOOD]}))
    assert [groups["denied"][0]["source"], groups["approved"][0]["source"]] == [BAD, GOOD]
    explained = json.loads(tool(client, "explain_decision").invoke({"decision_id": report["decision_id"]}))
    assert (explained["found"], explained["host"]) == (True, BAD)


def test_langchain_uses_the_async_client(atrium: Atrium, client: TrustClient) -> None:
    async def go() -> list:
        async with AsyncTrustClient(atrium.url, atrium.api_key, timeout_seconds=60) as async_client:
            tools = {each.name: each for each in langchain_tools(client, async_client)}
            report = json.loads(await tools["check_source"].ainvoke({"source": BAD}))
            groups = json.loads(await tools["check_sources"].ainvoke({"sources": [GOOD]}))
            explained = json.loads(await tools["explain_decision"].ainvoke({"decision_id": report["decision_id"]}))
            return [report["action"], groups["approved"][0]["source"], explained["host"]]

    client.close()  # A use of the client for threads would fail now.
    assert anyio.run(go) == ["deny", GOOD, BAD]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("check_source", {"source": ""}),
        ("check_source", {"source": GOOD, "kind": "steal"}),
        ("check_source", {"source": GOOD, "policy": "open"}),
        ("check_sources", {"sources": []}),
        ("check_sources", {"sources": [GOOD] * 101}),
        ("explain_decision", {}),
    ],
)
def test_langchain_refuses_wrong_arguments(atrium: Atrium, client: TrustClient, name: str, arguments: dict) -> None:
    with pytest.raises(ValidationError):
        tool(client, name).invoke(arguments)
    assert atrium.requests == []


def test_the_policy_is_the_operators(atrium: Atrium, client: TrustClient) -> None:
    tool(client, "check_source", policy="critical").invoke({"source": UNKNOWN})
    assert json.loads(atrium.requests[0]["body"])["policy"] == {"profile": "critical"}


def test_a_graph_of_langgraph_calls_a_tool(client: TrustClient) -> None:
    tools = langchain_tools(client)
    call = {"id": "call-1", "name": "check_source", "args": {"source": BAD}}
    model = GenericFakeChatModel(messages=iter([AIMessage("", tool_calls=[call]), AIMessage("done")]))
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode(tools))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition, {"tools": "tools", END: END})
    graph.add_edge("tools", "model")
    messages = graph.compile().invoke({"messages": [HumanMessage(f"Read {BAD}.")]})["messages"]
    assert [type(message).__name__ for message in messages] == ["HumanMessage", "AIMessage", "ToolMessage", "AIMessage"]
    assert json.loads(messages[2].content)["action"] == "deny"
