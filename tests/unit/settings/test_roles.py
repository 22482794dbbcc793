import tomllib

import pytest

from subsessiond.model.role import Delivery, Isolation, Role, ToolClass
from subsessiond.ports import ConfigFault
from subsessiond.settings.roles import read_roles


def read(text: str) -> tuple[Role, ...]:
    """Read roles beside a check called tests."""
    return read_roles(tomllib.loads(text), ("tests",))


def test_every_word_of_a_role_is_read() -> None:
    """A role comes out as it stands in the file."""
    (role,) = read(
        """
        [worker]
        tier = "strong"
        depth_cap = 2
        tools = ["read", "edit", "delegate"]
        deny_tools = ["edit"]
        report_delivery = "quiet"
        verify = ["files", "tests"]
        max_live = 3
        retire_timeout_ms = 1000
        tool_timeout_ms = 2000
        isolation = "worktree"
        token_cap = 50_000
        max_report_tokens = 100
        required_sections = ["what I did"]
        """
    )
    assert role == Role(
        name="worker",
        tier="strong",
        depth_cap=2,
        tools=(ToolClass.READ, ToolClass.DELEGATE),
        report_delivery=Delivery.QUIET,
        verify=("files", "tests"),
        max_live=3,
        retire_timeout_ms=1_000,
        tool_timeout_ms=2_000,
        isolation=Isolation.WORKTREE,
        token_cap=50_000,
        max_report_tokens=100,
        required_sections=("what I did",),
    )


def test_a_role_needs_only_its_tier() -> None:
    """What is left out is as the model says; `max_live` may be spelled unlimited."""
    assert read('[a]\ntier = "t"\nmax_live = "unlimited"') == (Role(name="a", tier="t"),)
    assert read("") == ()


@pytest.mark.scenario("S04")
@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('deny_tools = ["report"]', "[a] deny_tools: names report"),
        ('deny_tools = ["read", "subsession_checkpoint"]', "names subsession_checkpoint"),
        ('deny_tools = ["report", "subsession_checkpoint"]', "report and subsession_checkpoint"),
        ('tools = ["report"]', "no filter removes it"),
        ('tools = ["read", "delegate"]', "[a] tools: a leaf (depth_cap 0) must not hold delegate"),
    ],
)
def test_no_role_goes_without_its_report_channel_or_lets_a_leaf_delegate(
    lines: str, words: str
) -> None:
    """A filter on the report channel, and a leaf that delegates, are refused by role and tools."""
    with pytest.raises(ConfigFault) as caught:
        read(f'[a]\ntier = "t"\n{lines}')
    assert str(caught.value).startswith("roles.toml: [a] ")
    assert words in str(caught.value)


def test_a_leaf_that_is_denied_delegate_is_a_leaf() -> None:
    """What counts is what is left after the denied classes are taken off."""
    (role,) = read('[a]\ntier = "t"\ntools = ["read", "delegate"]\ndeny_tools = ["delegate"]')
    assert role.tools == (ToolClass.READ,)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("", "tier: is missing"),
        ('tier = "a b"', "tier: a name has"),
        ('tier = "t"\ncolour = 1', "colour: there is no such word"),
        ('tier = "t"\ntools = ["fly"]', "'fly' is no tool class; there are read, edit"),
        ('tier = "t"\ntools = ["read", "read"]', "'read' stands there twice"),
        ('tier = "t"\ntools = "read"', "must be a list"),
        ('tier = "t"\ndepth_cap = -1', "depth_cap: must be a whole number"),
        ('tier = "t"\ndepth_cap = 65', "from 0 to 64"),
        ('tier = "t"\nmax_report_tokens = 49', "from 50 to 8000"),
        ('tier = "t"\nmax_report_tokens = 8001', "from 50 to 8000"),
        ('tier = "t"\ntoken_cap = 12799', "token_cap: must be a whole number, 12800 or more"),
        ('tier = "t"\nretire_timeout_ms = 0', "from 1 to 86400000"),
        ('tier = "t"\nisolation = "island"', "must be one of shared, worktree"),
        ('tier = "t"\nreport_delivery = "loud"', "must be one of next-step, quiet"),
        ('tier = "t"\nverify = ["lint"]', "no check 'lint'; there are files, scope, tests"),
        ('tier = "t"\nmax_live = "many"', "max_live: must be a whole number"),
        ('tier = "t"\nrequired_sections = ["a\\nb"]', "one line of 1 to 128 bytes"),
        ('tier = "t"\nrequired_sections = [""]', "one line of 1 to 128 bytes"),
    ],
)
def test_a_bad_role_is_refused_by_name(lines: str, words: str) -> None:
    """Unknown words, wrong types and values out of bounds name the role and the word."""
    with pytest.raises(ConfigFault) as caught:
        read(f"[a]\n{lines}")
    assert str(caught.value).startswith("roles.toml: [a] ")
    assert words in str(caught.value)


def test_sections_are_few() -> None:
    """A contract has at most 16 sections."""
    names = ", ".join(f'"s{n}"' for n in range(17))
    with pytest.raises(ConfigFault, match="more than 16 sections"):
        read(f'[a]\ntier = "t"\nrequired_sections = [{names}]')


@pytest.mark.parametrize(
    ("text", "words"),
    [('a = "x"', r"\[a\]: must be a table"), ('["a b"]\ntier = "t"', "'a b': a name has")],
)
def test_a_role_is_a_table_with_a_plain_name(text: str, words: str) -> None:
    """A value at the top of the file, or a name that is none, is refused."""
    with pytest.raises(ConfigFault, match=f"roles.toml: {words}"):
        read(text)
