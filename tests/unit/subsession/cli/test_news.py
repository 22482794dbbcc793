"""What happens in a tree, a line at a time."""

import io
import json

from subsession.cli.news import News
from subsession.cli.voice import Voice
from tests.support.rows import child_row


def tell(*batches: list[dict[str, object]], as_json: bool = False) -> list[str]:
    """Tell rows batch by batch and give the lines."""
    out = io.StringIO()
    news = News(Voice(out, io.StringIO(), as_json=as_json, environ={}))
    for batch in batches:
        news.tell(batch, 0)
    return out.getvalue().splitlines()


def test_each_step_is_told_once() -> None:
    """Admission, running and the end are told; phases and repeats are not."""
    lines = tell(
        [child_row(None, state="claimed")],
        [child_row(None, phase="working")],
        [child_row(None, phase="in-tool")],
        [child_row("failed", reason="exit-status")],
        [child_row("failed", reason="exit-status")],
    )
    assert [line.split()[3:] for line in lines] == [
        ["admitted"],
        ["running"],
        ["failed", "in", "4s", "(exit-status)"],
    ]
    assert {line.split()[1] for line in lines} == {"lint"}


def test_as_json_every_change_is_a_line() -> None:
    """A program is given each new state of a row whole, and none twice."""
    first, second = child_row(None, seq=1), child_row(None, seq=2, phase="in-tool")
    assert list(map(json.loads, tell([first], [first], [second], as_json=True))) == [first, second]
