"""`rpc.rights`."""

from pathlib import Path

import pytest

from subsessiond.model.rejection import Code
from subsessiond.rpc.guard import REFUSALS_MOST
from tests.support.desk import a_bench
from tests.support.trees import node_id


@pytest.mark.scenario("S20")
async def test_parents_that_are_made_up_are_not_remembered_one_by_one(tmp_path: Path) -> None:
    """Refusals under ids that nobody has count as one caller's, and end as BUSY."""
    async with a_bench(tmp_path) as bench:
        codes = [
            (
                await bench.refusal(
                    "subsession.spawn", parentId=node_id(100 + n), role="r", brief={"mission": "m"}
                )
            ).code
            for n in range(REFUSALS_MOST + 1)
        ]
        assert codes == [Code.NOT_FOUND] * REFUSALS_MOST + [Code.BUSY]
        assert bench.desk.guard.remembered == 1
