from subsessiond.wire.methods import METHODS


def test_names_are_given_once() -> None:
    """No two methods share a name."""
    names = [method.name for method in METHODS]
    assert len(set(names)) == len(names)


def test_every_name_has_a_known_prefix() -> None:
    """A name says what it belongs to."""
    prefixes = {method.name.partition(".")[0] for method in METHODS}
    assert prefixes == {"subsession", "events", "roles", "agents", "daemon", "rpc"}


def test_every_method_is_explained() -> None:
    """Each has a sentence, says for whom it is, and answers something."""
    for method in METHODS:
        assert method.summary.endswith("."), method.name
        assert method.who, method.name
        assert method.result, method.name


def test_no_tool_parameter_is_called_kind() -> None:
    """The name crashes a public agent."""
    assert not [m.name for m in METHODS if "kind" in m.documented.model_fields]
