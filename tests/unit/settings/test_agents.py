import tomllib
from importlib.resources import files

import pytest

from subsessiond.model.role import AgentProfile
from subsessiond.ports import ConfigFault
from subsessiond.settings.agents import read_agents

AGENT = '[agents.a]\nrunner = "command"\n'


def test_agents_and_tiers_are_read() -> None:
    """Every word of an agent comes out as it stands, tiers by name."""
    agents, tiers = read_agents(
        tomllib.loads(
            """
            [tiers]
            strong = "a"
            cheap = "b"
            [agents.b]
            runner = "scripted"
            [agents.a]
            runner = "command"
            command = ["run", ""]
            env = { B = "2", A = "" }
            brief_by = "argument"
            takes_schema = false
            takes_steer = true
            takes_operator_argv = true
            """
        )
    )
    assert tiers == (("cheap", "b"), ("strong", "a"))
    assert agents == (
        AgentProfile(
            name="a",
            runner="command",
            command=("run", ""),
            env=(("A", ""), ("B", "2")),
            brief_by="argument",
            takes_schema=False,
            takes_steer=True,
            takes_operator_argv=True,
        ),
        AgentProfile(name="b", runner="scripted"),
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[agent.a]", "agent: there is no such word; known are agents, tiers"),
        ("agents = 1", "[agents]: must be a table"),
        ("[agents]\na = 1", "[agents.a]: must be a table"),
        ('[agents."a b"]', "[agents] 'a b': a name has"),
        ("[agents.a]", "[agents.a] runner: is missing; one of command, scripted"),
        ('[agents.a]\nrunner = "ray"', "[agents.a] runner: must be one of command, scripted"),
        (AGENT + 'commands = ["x"]', "[agents.a] commands: there is no such word"),
        (AGENT + 'command = "x"', "[agents.a] command: must be a list"),
        (AGENT + 'command = [""]', "[agents.a] command: the program, its first text, is empty"),
        (AGENT + 'mcp_by = "http"', "[agents.a] mcp_by: is of runner acp alone"),
        ('[agents.a]\nrunner = "acp"\nmcp_by = "sse"', "mcp_by: must be one of stdio, http"),
        (AGENT + 'brief_by = "post"', "[agents.a] brief_by: must be one of stdin, argument"),
        (AGENT + "takes_steer = 1", "[agents.a] takes_steer: must be true or false"),
        (AGENT + "env = 1", "[agents.a.env]: must be a table"),
        (AGENT + 'env = { "A=B" = "x" }', "[agents.a.env] 'A=B': is no name of a variable"),
        (AGENT + "env = { A = 1 }", "[agents.a.env] A: must be text"),
        (AGENT + 'env = { SUBSESSION_TOKEN = "x" }', "SUBSESSION_TOKEN: the daemon itself"),
        (AGENT + '[tiers]\nt = "b"', "[tiers] t: there is no agent 'b'; there are a"),
        ('[tiers]\nt = "b"', "there are none: this file is read in place of the shipped one"),
        (AGENT + "[tiers]\nt = 1", "[tiers] t: must be text"),
        (AGENT + '[tiers]\n"t t" = "a"', "[tiers] 't t': a name has"),
    ],
)
def test_a_bad_agent_is_refused_by_name(text: str, words: str) -> None:
    """Unknown words, wrong types and tiers that lead nowhere name table and word."""
    with pytest.raises(ConfigFault) as caught:
        read_agents(tomllib.loads(text))
    assert str(caught.value).startswith("agents.toml: ")
    assert words in str(caught.value)


def test_everything_an_agent_of_lines_says_is_read() -> None:
    """Tools go from the exact to the wide, files and events come out as they stand."""
    agents, _ = read_agents(
        tomllib.loads(
            """
            [agents.a]
            runner = "jsonl"
            channel = "closing-result"
            probe = "in-turn"
            [agents.a.files]
            "conf/a.json" = "{}"
            [agents.a.tools]
            "mcp__*" = "think"
            Bash = "execute"
            "Read*" = "read"
            [agents.a.events]
            text = "result"
            input = ["in", "more"]
            [agents.a.events.closing]
            type = "result"
            """
        )
    )
    (agent,) = agents
    assert agent.channel == "closing-result"
    assert agent.probe == "in-turn"
    assert agent.files == (("conf/a.json", "{}"),)
    assert agent.tools == (("Bash", "execute"), ("mcp__*", "think"), ("Read*", "read"))
    assert agent.events.closing == (("type", "result"),)
    assert agent.events.input == ("in", "more")
    assert agent.events.text == ("result",)
    assert not agent.takes_steer
    assert not agent.takes_schema


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('files = { "../x" = "" }', "relative path"),
        ('files = { "/x" = "" }', "relative path"),
        ('tools = { Bash = "shell" }', "must be one of"),
        ('channel = "mail"', "must be one of"),
        ("events = { colour = 1 }", "no such word"),
    ],
)
def test_what_an_agent_says_wrongly_is_named(text: str, word: str) -> None:
    """Each fault says the agent's table and the word."""
    with pytest.raises(ConfigFault, match=word):
        read_agents(tomllib.loads(f'[agents.a]\nrunner = "acp"\n{text}\n'))


def test_who_takes_messages_is_known_by_runner_and_channel() -> None:
    """Who is prompted reads what it is told, and so does who calls our tools; no other does."""
    rows = ("acp mcp", "jsonl mcp", "jsonl cli", "command mcp", "model mcp")
    texts = (
        f'[agents.a{n}]\nrunner = "{runner}"\nchannel = "{channel}"\n'
        for n, (runner, channel) in enumerate(row.split() for row in rows)
    )
    agents, _ = read_agents(tomllib.loads("".join(texts)))
    assert tuple(agent.takes_steer for agent in agents) == (True, True, False, False, True)


def test_an_agent_that_a_person_runs_is_hers() -> None:
    """Whether it may be asked to leave is said of it alone, and nothing that it prints is read."""
    (agent,), _ = read_agents(tomllib.loads('[agents.a]\nrunner = "external"\nmay_stop = true\n'))
    assert agent.may_stop
    assert agent.takes_steer
    (agent,), _ = read_agents(tomllib.loads('[agents.a]\nrunner = "external"\nchannel = "cli"\n'))
    assert not agent.may_stop
    assert not agent.takes_steer
    with pytest.raises(ConfigFault, match="may_stop: is of runner external alone"):
        read_agents(tomllib.loads('[agents.a]\nrunner = "acp"\nmay_stop = true\n'))
    with pytest.raises(ConfigFault, match="channel: of what somebody else runs nothing is read"):
        read_agents(tomllib.loads('[agents.a]\nrunner = "external"\nchannel = "closing-result"\n'))


def test_an_agent_that_stays_open_has_no_closing_result() -> None:
    """What it says at the end of a turn is no report: more turns may follow."""
    text = '[agents.a]\nrunner = "claude"\ncommand = ["claude"]\n'
    (agent,), _ = read_agents(tomllib.loads(text))
    assert agent.takes_steer
    with pytest.raises(ConfigFault, match="channel: it is kept open over many turns"):
        read_agents(tomllib.loads(text + 'channel = "closing-result"\n'))


def test_a_closing_result_has_to_be_known() -> None:
    """An agent whose closing text is its final has to say which event that is."""
    with pytest.raises(ConfigFault, match=r"channel: closing-result needs events\.closing"):
        read_agents(tomllib.loads('[agents.a]\nrunner = "jsonl"\nchannel = "closing-result"\n'))


def test_every_shipped_agent_can_be_read_and_closes() -> None:
    """Each public agent says how it ends and what it used, and none asks an endpoint of ours."""
    text = files("subsessiond.defaults").joinpath("agents.toml").read_text("utf-8")
    agents, _ = read_agents(tomllib.loads(text))
    headless = {agent.name: agent for agent in agents if agent.runner == "jsonl"}
    assert set(headless) == {"codex", "gemini", "opencode"}
    for agent in headless.values():
        events = agent.events
        assert all((events.closing, events.tool_start, events.tool_end, events.output))
        assert events.usage or events.total
        assert agent.takes_steer
    assert "127.0.0.1" not in text
    # One agent writes its mode as an address; the other word is that of a transport.
    assert "http" not in text.replace("https://agentclient", "").replace('mcp_by = "http"', "")


def test_the_grace_after_a_result_is_a_number() -> None:
    """It is read in milliseconds, within ten minutes."""
    (agent,), _ = read_agents(tomllib.loads(AGENT + "result_grace_ms = 300"))
    assert agent.result_grace_ms == 300
    with pytest.raises(ConfigFault, match="result_grace_ms: must be a whole number, from 0"):
        read_agents(tomllib.loads(AGENT + "result_grace_ms = 600_001"))


def test_what_an_agent_of_the_protocol_needs_is_read() -> None:
    """Login, mode and what its figures are of; left out, they are what the protocol says."""
    agents, _ = read_agents(
        tomllib.loads(
            """
            [agents.a]
            runner = "acp"
            login = "key"
            mode = "ask"
            usage_of = "turn"
            merges_prompts = true
            mcp_servers = false
            mcp_by = "http"
            program = "said"
            [agents.b]
            runner = "acp"
            """
        )
    )
    said, silent = agents
    assert (said.login, said.mode, said.usage_of) == ("key", "ask", "turn")
    assert (said.merges_prompts, said.mcp_servers) == (True, False)
    assert (said.mcp_by, silent.mcp_by) == ("http", "stdio")
    assert (said.program, silent.program) == ("said", "")
    assert (silent.login, silent.mode, silent.usage_of) == ("", "", "session")
    assert (silent.merges_prompts, silent.mcp_servers, silent.takes_steer) == (False, True, True)


def test_a_run_that_follows_needs_a_name() -> None:
    """An agent of lines whose conversation is taken up says where its name is told."""
    text = '[agents.a]\nrunner = "jsonl"\nchannel = "cli"\nresume = ["--on", "{session}"]\n'
    named = '[agents.a.events]\nsession = "thread"\n'
    (agent,), _ = read_agents(tomllib.loads(text + named))
    assert agent.resume == ("--on", "{session}")
    assert agent.events.session == "thread"
    assert agent.takes_steer
    for bad in (text, text.replace("jsonl", "acp") + named):
        with pytest.raises(ConfigFault, match=r"resume: needs runner jsonl, and events\.session"):
            read_agents(tomllib.loads(bad))
