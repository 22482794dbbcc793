from subsessiond.rpc.tcp.gate import names_of


def test_a_port_has_three_spellings() -> None:
    """Without it nothing is meant but the one port that clients leave out."""
    assert names_of(8123) == {"127.0.0.1:8123", "localhost:8123", "[::1]:8123"}
    assert "localhost" in names_of(80)
    assert "localhost" not in names_of(8080)
