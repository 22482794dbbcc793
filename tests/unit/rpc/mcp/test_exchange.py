from subsessiond.rpc.mcp.exchange import event


def test_an_event_is_one_message() -> None:
    """Its name, its data on one line, and an empty line to end it."""
    assert event(b'{"x":"a\\nb"}') == b'event: message\ndata: {"x":"a\\nb"}\n\n'
