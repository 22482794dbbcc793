"""Whatever a workspace's file holds: it is judged, and no role of it is wider than its row."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from subsessiond.core.frontmatter import FrontMatter, NoFrontMatter, read_front_matter
from subsessiond.core.projectrole import BODY_BYTES, project_roles
from subsessiond.core.toolwords import WORDS
from subsessiond.model.projectrole import AcceptedRole, RoleFile, RoleState
from subsessiond.model.role import Role, ToolClass
from tests.support.policies import a_policy

TOOLS = st.lists(st.sampled_from(tuple(ToolClass)), unique=True).map(tuple)
WORDINGS = st.sampled_from([*WORDS, *ToolClass, "Frob", "mcp__subsession__report", "*", ""])
VALUES = st.one_of(
    st.text(max_size=20),
    st.lists(WORDINGS, max_size=6).map(", ".join),
    st.lists(WORDINGS, max_size=6).map(lambda names: f"[{', '.join(names)}]"),
    st.lists(WORDINGS, max_size=4).map(lambda names: "".join(f"\n  - {name}" for name in names)),
    st.sampled_from(["|", ">-", "&a b", "*a", "!!x y", "{a: b}", "'", '"x"', "rev"]),
)
HEADS = st.lists(
    st.tuples(
        st.sampled_from(["name", "description", "tools", "disallowedTools", "model", "x", "a b"]),
        VALUES,
    ),
    max_size=6,
)
FILES = st.one_of(
    st.text(max_size=200),
    st.tuples(HEADS, st.text(max_size=30)).map(
        lambda made: "".join(
            ("---\n", *(f"{word}: {value}\n" for word, value in made[0]), "---\n", made[1])
        )
    ),
)


@given(text=st.text(alphabet=st.sampled_from("-:|>[]'\"#&*! \n\tab"), max_size=80))
def test_any_text_is_a_head_and_a_body_or_is_none(text: str) -> None:
    """Nothing raises, and no value is longer than the text it came from."""
    found = read_front_matter(f"---\n{text}\n---\nbody")
    assert isinstance(found, FrontMatter | NoFrontMatter)
    if isinstance(found, FrontMatter):
        sizes = [len(value) for value in found.words.values() if isinstance(value, str)]
        assert sum(sizes) <= len(text)


@given(
    texts=st.lists(FILES, max_size=4),
    writer=TOOLS,
    reader=TOOLS,
    accepts=st.booleans(),
)
def test_no_file_makes_a_role_wider_than_its_row(
    texts: list[str], writer: tuple[ToolClass, ...], reader: tuple[ToolClass, ...], accepts: Any
) -> None:
    """Tools are the row's at most, all other numbers are the row's own; refused ones have none."""
    rows = {
        row.name: row
        for row in (
            Role(name="worker", tier="strong", tools=writer, token_cap=20_000, max_live=1),
            Role(name="reader", tier="cheap", tools=reader, token_cap=30_000),
        )
    }
    files = tuple(
        RoleFile(file=f".claude/agents/{n}.md", digest=str(n), text=text)
        for n, text in enumerate(texts)
    )
    known = tuple(
        AcceptedRole(workspace="/w", name="project/rev", digest=str(n))
        for n in range(len(texts))
        if accepts
    )
    found = project_roles(files, a_policy(*rows.values()), known)
    assert [role.file for role in found] == [file.file for file in files]
    usable = [role.name for role in found if role.state is RoleState.ACCEPTED]
    assert len(usable) == len(set(usable))
    for brought in found:
        assert (brought.role is None) is (brought.state is RoleState.REFUSED)
        assert bool(brought.problem) is (brought.state is RoleState.REFUSED)
        if brought.role is not None:
            row = rows[brought.role.extends]
            assert set(brought.role.tools) <= set(row.tools)
            assert 0 < len(brought.role.preface.encode()) <= BODY_BYTES
            own = {"name": row.name, "tools": row.tools, "extends": "", "digest": "", "preface": ""}
            assert replace(brought.role, **own) == row
