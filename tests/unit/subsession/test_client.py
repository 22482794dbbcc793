"""The sync client against a stand-in."""

import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from subsession import Client, Refused, Unanswered, Unreachable
from subsession.errors import BadAnswer, ProtocolMismatch
from tests.support.fake_daemon import INFO, HangUp, Json, Refuse, fake_daemon


def hang_up(params: Json) -> Json:
    """Break the connection."""
    raise HangUp


def test_a_verb_sends_what_was_given_and_nothing_else(tmp_path: Path) -> None:
    """Absent arguments are absent on the wire, never null."""
    answers = {"subsession.spawn": {"nodeId": "n"}}
    with fake_daemon(tmp_path / "d.sock", answers) as daemon, Client(daemon.path) as client:
        assert client.spawn("worker", {"mission": "m"}, wait_ms=5) == {"nodeId": "n"}
        sent = daemon.params_of("subsession.spawn")
        assert sent == {"role": "worker", "brief": {"mission": "m"}, "waitMs": 5}


def test_one_connection_carries_many_calls(tmp_path: Path) -> None:
    """The protocol is checked once, then calls follow each other."""
    answers = {"daemon.health": {"ok": True, "seq": 3}}
    with fake_daemon(tmp_path / "d.sock", answers) as daemon, Client(daemon.path) as client:
        assert [client.health()["seq"] for _ in range(3)] == [3, 3, 3]
        assert [name for name, _ in daemon.calls] == ["daemon.info", *["daemon.health"] * 3]


def test_a_token_narrows_every_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The token of the environment goes with every call, one given goes before it."""
    monkeypatch.setenv("SUBSESSION_TOKEN", "of-env")
    with fake_daemon(tmp_path / "d.sock") as daemon:
        for token in (None, "given"):
            with Client(daemon.path, token=token) as client:
                client.info()
        assert set(daemon.tokens) == {"Bearer of-env", "Bearer given"}


def test_a_refusal_is_raised_with_its_data(tmp_path: Path) -> None:
    """The caller can branch on code and limit."""

    def refuse(params: Json) -> Json:
        raise Refuse(1008, "as many as allowed", code="CONCURRENCY_EXCEEDED", limit=5, actual=5)

    with fake_daemon(tmp_path / "d.sock", {"subsession.spawn": refuse}) as daemon:
        with Client(daemon.path) as client, pytest.raises(Refused) as caught:
            client.spawn("worker", {"mission": "m"})
        assert caught.value.refusal.code == "CONCURRENCY_EXCEEDED"
        assert (caught.value.refusal.limit, caught.value.refusal.actual) == (5, 5)


def test_a_broken_connection_may_have_arrived(tmp_path: Path) -> None:
    """A call whose answer is lost is told apart from one never sent, and the next call works."""
    answers: dict[str, Any] = {"subsession.steer": hang_up, "daemon.health": {"ok": True, "seq": 1}}
    with fake_daemon(tmp_path / "d.sock", answers) as daemon, Client(daemon.path) as client:
        with pytest.raises(Unanswered, match="may have arrived"):
            client.steer("n", "t")
        assert client.health() == {"ok": True, "seq": 1}


def test_a_call_that_is_interrupted_leaves_a_client_that_works(tmp_path: Path) -> None:
    """After Ctrl-C while an answer is awaited the next call has a connection of its own."""

    def interrupt(params: Json) -> Json:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        return {"rows": [], "seq": 0}

    answers: dict[str, Any] = {"subsession.tree": interrupt, "daemon.health": {"ok": True}}
    with fake_daemon(tmp_path / "d.sock", answers) as daemon, Client(daemon.path) as client:
        with pytest.raises(KeyboardInterrupt):
            client.call("subsession.tree", {})
        assert client.health() == {"ok": True}


def test_no_daemon_is_told_and_none_is_started(tmp_path: Path) -> None:
    """A client only starts a daemon when it was asked to."""
    with pytest.raises(Unreachable, match="none is running"):
        Client(tmp_path / "d.sock").info()


def test_a_node_never_starts_a_daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A child whose daemon has gone is told so; a daemon of a child's making would be nobody's."""
    monkeypatch.setenv("SUBSESSION_TOKEN", "t")
    with pytest.raises(Unreachable):
        Client(tmp_path / "d.sock", state_dir=tmp_path, start=True).info()
    assert not list(tmp_path.iterdir())


def test_another_protocol_is_told_plainly(tmp_path: Path) -> None:
    """Both versions are in the sentence."""
    answers = {"daemon.info": {**INFO, "version": "9.0", "protocolVersion": 2}}
    with fake_daemon(tmp_path / "d.sock", answers) as daemon:
        words = "speaks protocol 1, the running daemon .version 9.0. speaks protocol 2"
        with pytest.raises(ProtocolMismatch, match=words):
            Client(daemon.path).info()


def test_what_is_no_json_rpc_is_not_taken_for_an_answer(tmp_path: Path) -> None:
    """A result of another kind than an object is refused."""
    answers: dict[str, Any] = {"daemon.health": lambda _: 42}
    with (
        fake_daemon(tmp_path / "d.sock", answers) as daemon,
        Client(daemon.path) as client,
        pytest.raises(BadAnswer),
    ):
        client.health()
