import pytest

from subsessiond.model.rejection import Code, Rejection


def test_no_two_codes_share_a_number() -> None:
    """A caller may branch on either."""
    assert len({code.number for code in Code}) == len(Code)


@pytest.mark.parametrize("code", list(Code), ids=lambda code: code.name)
def test_a_code_lies_in_the_family_of_what_it_refuses(code: Code) -> None:
    """1xxx spawn, 2xxx report, 3xxx messages and checkpoints, 4xxx succession, 9xxx everything."""
    assert code.number // 1_000 in (1, 2, 3, 4, 9)
    assert code.sentence
    assert len(Rejection(code=code, step="x").message) < 250


def test_a_message_says_what_was_met() -> None:
    """The detail stands behind the sentence of the code."""
    message = Rejection(code=Code.SCOPE_OVERLAP, step="scope", detail="x owns y").message
    assert message.startswith(f"{Code.SCOPE_OVERLAP.sentence}: x owns y")


def test_a_refusal_may_be_hopeless_where_its_code_is_not() -> None:
    """A cap of zero is refused with the code of a full one, and no retry helps."""
    full = Rejection(code=Code.CONCURRENCY_EXCEEDED, step="concurrency")
    assert full.retryable
    assert not Rejection(code=full.code, step=full.step, hopeless=True).retryable
    assert not Rejection(code=Code.ROLE_UNKNOWN, step="role").retryable
