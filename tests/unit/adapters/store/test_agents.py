import sqlite3

from subsessiond.adapters.store import schema
from subsessiond.adapters.store.agents import read_agents


def test_agents_are_found_without_reading_the_whole_history() -> None:
    """A million other events cost the start nothing."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    schema.migrate(db)
    asked: list[str] = []
    db.set_trace_callback(asked.append)
    assert read_agents(db) == ()
    db.set_trace_callback(None)
    (plan,) = db.execute(f"EXPLAIN QUERY PLAN {asked[0]}").fetchall()
    assert "USING INDEX events_agents" in plan[3]
    db.close()
