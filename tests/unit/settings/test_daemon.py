import tomllib

import msgspec
import pytest

from subsessiond.model.policy import Limits
from subsessiond.ports import ConfigFault
from subsessiond.settings import default_text
from subsessiond.settings.daemon import DaemonTable, read_daemon


def read(text: str) -> DaemonTable:
    """Read the file."""
    return read_daemon(tomllib.loads(text))


def test_an_empty_file_is_the_shipped_one() -> None:
    """Every value of the shipped file is the one in force when the line is left out."""
    assert read(default_text("subsessiond.toml")) == read("")
    assert read("").limits == Limits()


@pytest.mark.parametrize("field", [field.name for field in msgspec.structs.fields(Limits)])
def test_every_limit_can_be_set_and_none_is_negative(field: str) -> None:
    """A limit takes a whole number, 0 included where the mission is not concerned."""
    assert getattr(read(f"[limits]\n{field} = 7").limits, field) == 7
    with pytest.raises(
        ConfigFault, match=rf"subsessiond.toml: \[limits\] {field}: must be a whole"
    ):
        read(f"[limits]\n{field} = -1")


def test_unlimited_is_spelled_and_only_where_nothing_else_breaks() -> None:
    """Counts of nodes may be unlimited; what bounds an answer or the pace may not."""
    assert read('[limits]\nlive_total = "unlimited"').limits.live_total is None
    assert read("[limits]\nlive_writers = 0").limits.live_writers == 0
    for word in ("wake_tokens", "spawns_per_second", "generations", "mission_bytes"):
        with pytest.raises(ConfigFault, match=word):
            read(f'[limits]\n{word} = "unlimited"')


def test_all_tables_are_read() -> None:
    """What the operator says about rights, processes, files and checks comes out."""
    found = read(
        f"""
        [operator]
        headless = true
        notify = "all"
        territory = "bridge"
        passphrase = "$scrypt$ln=15,r=8,p=1${"A" * 22}${"A" * 43}"
        [processes]
        container = "descent"
        term_grace_ms = 5
        pass_environment = ["EDITOR", "AWS_*"]
        [files]
        fold_case = true
        [secrets]
        values_from = ["MY_PIN"]
        [transcripts]
        keep_days = 2
        most_mib = 3
        [tcp]
        port = 8765
        [project_roles]
        reader = "looker"
        [checks]
        tests = ["pytest", "-q"]
        lint = ["ruff", "check"]
        """
    )
    assert found.headless
    assert found.notify == "all"
    assert found.territory == "bridge"
    assert found.passphrase is not None
    assert (found.passphrase.cost, found.passphrase.salt) == (15, bytes(16))
    assert (found.container, found.term_grace_ms) == ("descent", 5)
    assert found.secrets_from == ("MY_PIN",)
    assert (found.transcripts_keep_days, found.transcripts_most_mib) == (2, 3)
    assert found.pass_environment == ("EDITOR", "AWS_*")
    assert (found.tcp_port, read("[tcp]\nport = 0").tcp_port) == (8765, None)
    assert (found.fold_case, found.project_bases.reader) == (True, "looker")
    assert found.checks == (("lint", ("ruff", "check")), ("tests", ("pytest", "-q")))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[limit]", "limit: there is no such word"),
        ("limits = 1", "[limits]: must be a table"),
        ("[limits]\nlive = 1", "[limits] live: there is no such word"),
        ("[limits]\nmission_bytes = 0", "[limits] mission_bytes: must be a whole number, from 1"),
        ("[limits]\nmission_bytes = 4194305", "from 1 to 4194304"),
        ('[operator]\nheadless = "yes"', "[operator] headless: must be true or false"),
        ('[operator]\nnotify = "some"', "[operator] notify: must be one of none, blocked, all"),
        ('[operator]\npassphrase = "horse"', "passphrase: must be the line that `subsessiond pass"),
        ("[operator]\nhead = 1", "[operator] head: there is no such word"),
        ('[processes]\ncontainer = "docker"', "container: must be one of strongest, cgroup"),
        ("[processes]\nterm_grace_ms = 600001", "term_grace_ms: must be a whole number, from 0"),
        ('[processes]\npass_environment = ["A=B"]', "'A=B' is no name of a variable"),
        ('[processes]\npass_environment = ["*"]', "'*' is no name of a variable"),
        ('[processes]\npass_environment = ["A", "A"]', "'A' stands there twice"),
        ("[processes]\ngrace = 1", "[processes] grace: there is no such word"),
        ("[files]\nfold_case = 1", "[files] fold_case: must be true or false"),
        ("[project_roles]\nwriters = 1", "[project_roles] writers: there is no such word"),
        ("[tcp]\nport = 65536", "[tcp] port: must be a whole number, from 0 to 65535"),
        ("[tcp]\nport = true", "[tcp] port: must be a whole number"),
        ('[tcp]\nhost = "0.0.0.0"', "[tcp] host: there is no such word; known are port"),
        ("[files]\nfold = 1", "[files] fold: there is no such word"),
        ('[checks]\ntests = "pytest"', "[checks] tests: must be a list"),
        ("[checks]\ntests = []", "[checks] tests: must be a command line"),
        ('[checks]\ntests = [""]', "[checks] tests: the program, its first text, is empty"),
        ('[checks]\nscope = ["x"]', "[checks] scope: has a meaning of its own"),
        ('[checks]\n"a b" = ["x"]', "[checks] 'a b': a name has"),
    ],
)
def test_a_bad_word_is_refused_by_table(text: str, words: str) -> None:
    """Unknown tables and words, wrong types and values out of bounds are named."""
    with pytest.raises(ConfigFault) as caught:
        read(text)
    assert str(caught.value).startswith("subsessiond.toml: ")
    assert words in str(caught.value)
