import json
from pathlib import Path

import pytest

from subsession.cli.install import AGENTS
from subsession.install import change
from subsession.install.clients import CLIENTS, Client, Scope, What, Where, client_named

HOME = Path("/home/dev")
WHERE = Where(HOME, {}, Path("/project"), ("/a b/subsession",), ("--state-dir", "/s"), is_mac=False)


def files(client: Client, where: Where = WHERE, scope: Scope = Scope.USER) -> list[str]:
    """Give the files of a client's lines."""
    return [str(one.file) for one in client.lines(where, scope)]


def test_the_command_line_names_the_same_clients() -> None:
    """The words that are understood are those of the table, which it does not load for that."""
    assert tuple(client.name for client in CLIENTS) == AGENTS


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_each_client_has_a_server_of_ours_and_a_hook_or_a_reason(client: Client) -> None:
    """The server is started by an absolute path; without a hook it is said why there is none."""
    for scope in Scope:
        server, *hooks = client.lines(WHERE, scope)
        assert server.what is What.SERVER
        assert server.path[-1] == "subsession"
        words = json.dumps(server.value)
        assert '"/a b/subsession"' in words
        assert '"mcp", "--state-dir", "/s"' in words
        assert bool(hooks) != bool(client.without_hook)
        for hook in hooks:
            assert "'/a b/subsession' hook stop --state-dir /s" in json.dumps(hook.value)
            assert change.OUR_HOOK.search(WHERE.hook)


def test_files_of_a_user_and_of_a_project() -> None:
    """They lie where each client looks for them."""
    assert {client.name: files(client) for client in CLIENTS} == {
        "claude": ["/home/dev/.claude.json", "/home/dev/.claude/settings.json"],
        "codex": ["/home/dev/.codex/config.toml", "/home/dev/.codex/hooks.json"],
        "gemini": ["/home/dev/.gemini/settings.json"] * 2,
        "opencode": ["/home/dev/.config/opencode/opencode.json"],
        "cursor": ["/home/dev/.cursor/mcp.json", "/home/dev/.cursor/hooks.json"],
        "vscode": [
            "/home/dev/.config/Code/User/mcp.json",
            "/home/dev/.copilot/hooks/subsession.json",
        ],
        "zed": ["/home/dev/.config/zed/settings.json"],
    }
    assert {client.name: files(client, scope=Scope.PROJECT) for client in CLIENTS} == {
        "claude": ["/project/.mcp.json", "/project/.claude/settings.json"],
        "codex": ["/project/.codex/config.toml", "/project/.codex/hooks.json"],
        "gemini": ["/project/.gemini/settings.json"] * 2,
        "opencode": ["/project/opencode.json"],
        "cursor": ["/project/.cursor/mcp.json", "/project/.cursor/hooks.json"],
        "vscode": ["/project/.vscode/mcp.json", "/project/.github/hooks/subsession.json"],
        "zed": ["/project/.zed/settings.json"],
    }


def test_variables_lead_to_other_folders() -> None:
    """Where a client looks at a variable, so do we."""
    environ = {"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/d", "XDG_CONFIG_HOME": "/x"}
    where = Where(HOME, environ, Path("/project"), ("subsession",), is_mac=False)
    assert files(client_named("claude"), where) == ["/c/.claude.json", "/c/settings.json"]
    assert files(client_named("codex"), where) == ["/d/config.toml", "/d/hooks.json"]
    assert files(client_named("opencode"), where) == ["/x/opencode/opencode.json"]
    assert files(client_named("zed"), where) == ["/x/zed/settings.json"]


def test_a_mac_keeps_them_elsewhere() -> None:
    """Of those with a folder of the system's own, and of Zed, which has none there."""
    where = Where(HOME, {"XDG_CONFIG_HOME": "/x"}, Path("/project"), ("subsession",), is_mac=True)
    support = "/home/dev/Library/Application Support/Code/User/mcp.json"
    assert files(client_named("vscode"), where)[0] == support
    assert files(client_named("zed"), where) == ["/home/dev/.config/zed/settings.json"]


def test_the_file_that_opencode_reads_is_the_one_that_is_there(tmp_path: Path) -> None:
    """Of its two names the one with comments wins, where it is there."""
    where = Where(tmp_path, {}, tmp_path, ("subsession",), is_mac=False)
    (tmp_path / "opencode.jsonc").touch()
    assert files(client_named("opencode"), where, Scope.PROJECT) == [f"{tmp_path}/opencode.jsonc"]
