from typing import Any

import pytest
from msgspec.structs import replace

from subsessiond.core.projectrole import BODY_BYTES, is_project_role, project_roles
from subsessiond.model.policy import Policy
from subsessiond.model.projectrole import (
    AcceptedRole,
    ProjectRole,
    RoleBases,
    RoleFile,
    RoleState,
)
from subsessiond.model.role import ToolClass
from tests.support.policies import LEAD, READER, WORKER, a_policy

HEAD = "name: rev\ndescription: Reviews."


def file(
    head: str = HEAD, body: str = "Be kind.", name: str = "rev", digest: str = "d"
) -> RoleFile:
    """Make a file."""
    text = f"---\n{head}\n---\n{body}\n"
    return RoleFile(file=f".claude/agents/{name}.md", digest=digest, text=text)


def judged(*files: RoleFile, policy: Policy | None = None, accepted: Any = ()) -> Any:
    """Judge files; gives one role where there is one file."""
    known = tuple(AcceptedRole(workspace="/w", name=n, digest=d) for n, d in accepted)
    found = project_roles(files, policy or a_policy(), known)
    return found[0] if len(found) == 1 else found


def test_a_role_is_the_row_it_extends_made_narrower() -> None:
    """Tier, caps and times are the row's; tools are those of both; its text is the preface."""
    found = judged(file(f"{HEAD}\ntools: Read, Grep, Bash"))
    assert found.state is RoleState.UNACCEPTED
    assert (found.name, found.description, found.warnings) == ("project/rev", "Reviews.", ())
    assert found.role == replace(
        WORKER,
        name="project/rev",
        tools=(ToolClass.READ, ToolClass.EXECUTE, ToolClass.SEARCH),
        extends="worker",
        digest="d",
        preface="Be kind.",
    )


@pytest.mark.parametrize(
    ("more", "extends", "tools"),
    [
        ("", "worker", WORKER.tools),
        ("tools: Read", "reader", (ToolClass.READ,)),
        ("tools: [Read, WebFetch]", "reader", (ToolClass.READ, ToolClass.FETCH)),
        ("tools:\n  - read\n  - edit", "worker", (ToolClass.READ, ToolClass.EDIT)),
        ("tools: Read, mcp__subsession__report", "reader", (ToolClass.READ,)),
        ("tools: mcp__subsession", "reader", ()),
        ("tools: Read, Edit\ndisallowedTools: Edit", "reader", (ToolClass.READ,)),
        (
            "disallowedTools: Bash, WebFetch",
            "worker",
            tuple(t for t in WORKER.tools if t not in (ToolClass.EXECUTE, ToolClass.FETCH)),
        ),
    ],
)
def test_tools_choose_the_row(more: str, extends: str, tools: tuple[ToolClass, ...]) -> None:
    """Who writes or runs something extends the writer's, who only reads the reader's."""
    role = judged(file(f"{HEAD}\n{more}")).role
    assert (role.extends, role.tools) == (extends, tools)


def test_it_is_never_wider() -> None:
    """Whatever a file names, it gets no tool, no depth and no token that its row has not."""
    policy = a_policy(replace(WORKER, tools=(ToolClass.READ,), token_cap=20_000))
    found = judged(file(f"{HEAD}\ntools: Read, Write, Task\ntokenCap: 9"), policy=policy)
    assert found.role.tools == (ToolClass.READ,)
    assert (found.role.token_cap, found.role.depth_cap) == (20_000, 0)
    assert found.warnings == (
        "worker has no edit, delegate, so it has none either",
        "not looked at: tokenCap",
    )


def test_what_is_not_taken_is_said() -> None:
    """A model is chosen by tiers; hooks, servers and modes of an agent are no business of ours."""
    found = judged(file(f"{HEAD}\nmodel: opus\ncolor: red\npermissionMode: yolo\nhooks:\n  a: b"))
    assert found.warnings == (
        "its model is not looked at: the tier of a role says who plays it",
        "not looked at: permissionMode, hooks",
    )
    assert judged(file(f"{HEAD}\nmodel: inherit")).warnings == ()


@pytest.mark.parametrize(
    ("head", "body", "why"),
    [
        ("name: ../x\ndescription: d", "b", "its name is not made of small letters"),
        ("name: a/b\ndescription: d", "b", "its name is not made of small letters"),
        (f"name: {'x' * 65}\ndescription: d", "b", "its name is not made of small letters"),
        ("name: [a]\ndescription: d", "b", "its name is not made of small letters"),
        ("description: d", "b", "its name is not made of small letters"),
        ("name: rev", "b", "has no description"),
        ("name: rev\ndescription: [a]", "b", "has no description"),
        (HEAD, "", "has no text below its head"),
        (HEAD, "é" * (BODY_BYTES // 2 + 1), "over the 32768 allowed"),
        (f"{HEAD}\ntools: Read, Frob", "b", "names a tool that nobody knows: Frob"),
        (f"{HEAD}\ndisallowedTools: Frob", "b", "names a tool that nobody knows: Frob"),
        (f"{HEAD}\ntools: [Bash(git:*)]", "b", "names a tool that nobody knows: Bash(git:*)"),
        (f"{HEAD}\ntools:", "b", "its tools name none"),
        (f"{HEAD}\ntools:\n  a: b", "b", "its tools are no list of names"),
        (f"{HEAD}\ntools: {'Read, ' * 101}", "b", "or more than 100"),
        ("name: &a rev", "b", "is no plain text"),
    ],
)
def test_a_bad_file_is_refused_alone(head: str, body: str, why: str) -> None:
    """It says why, has no role, and the others load."""
    bad, good = judged(file(head, body, "bad"), file("name: good\ndescription: d", name="good"))
    assert bad.state is RoleState.REFUSED
    assert bad.role is None
    assert why in bad.problem
    assert good.state is RoleState.UNACCEPTED


def test_what_was_not_read_is_refused_by_its_files_name() -> None:
    """It is no name that another file could give its role."""
    unread = RoleFile(file=".claude/agents/rev.md", problem="is a link")
    bad, good = judged(unread, file())
    assert (bad.name, bad.state, bad.problem) == ("project/rev.md", RoleState.REFUSED, "is a link")
    assert (good.name, good.state) == ("project/rev", RoleState.UNACCEPTED)


def test_a_name_is_one_file_or_none() -> None:
    """Nobody can tell which of two was meant, whichever was accepted."""
    accepted = (("project/rev", "1"), ("project/rev", "2"))
    found = judged(file(digest="1"), file(name="two", digest="2"), accepted=accepted)
    assert [role.state for role in found] == [RoleState.REFUSED] * 2
    assert [role.problem for role in found] == ["another file names its role project/rev, too"] * 2


@pytest.mark.parametrize(
    ("accepted", "state"),
    [
        ((), RoleState.UNACCEPTED),
        ((("project/other", "d"),), RoleState.UNACCEPTED),
        ((("project/rev", "c"),), RoleState.CHANGED),
        ((("project/rev", "d"),), RoleState.ACCEPTED),
        ((("project/rev", "c"), ("project/rev", "d")), RoleState.ACCEPTED),
    ],
)
def test_what_is_accepted_are_these_bytes_under_this_name(
    accepted: tuple[tuple[str, str], ...], state: RoleState
) -> None:
    """Bytes that were accepted once are so again; other names and bytes say nothing."""
    found: ProjectRole = judged(file(), accepted=accepted)
    assert found.state is state
    assert found.role is not None


def test_rows_to_extend_are_the_operators_to_choose() -> None:
    """One row for all, another one, or none that is there."""
    bases = RoleBases(writer="lead", reader="lead")
    role = judged(file(), policy=replace(a_policy(), project_bases=bases)).role
    assert (role.extends, role.tools) == ("lead", LEAD.tools)
    bases = RoleBases(writer="nobody")
    policy = replace(a_policy(), project_bases=bases)
    assert judged(file(f"{HEAD}\ntools: Read"), policy=policy).role.extends == READER.name
    assert judged(file(), policy=policy).problem == (
        "there is no role nobody or reader that it could extend"
    )


def test_only_names_with_the_prefix_are_of_a_workspace() -> None:
    """Whatever stands in the table."""
    assert is_project_role("project/rev")
    assert not is_project_role("worker")
    assert not is_project_role("projects/rev")
