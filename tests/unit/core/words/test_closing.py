from subsessiond.core.bounds import size_bytes
from subsessiond.core.words.closing import closing_refused, final_refused
from subsessiond.model.brief import FieldFault
from subsessiond.model.rejection import Code, Rejection


def test_a_refused_closing_result_is_told_with_its_measure() -> None:
    """Code, reason, limit and size: all that the parent needs to hire better."""
    too_large = Rejection(
        code=Code.REPORT_TOO_LARGE, step="size", detail="write a file", limit=600, actual=900
    )
    assert closing_refused(too_large) == (
        "Its closing result was refused: REPORT_TOO_LARGE. write a file. "
        "Limit 600 bytes, it had 900."
    )


def test_a_shape_that_is_refused_names_its_field() -> None:
    """The first bad field stands for all."""
    fault = FieldFault(path="output", problem="must not be empty")
    malformed = Rejection(code=Code.REPORT_INVALID, step="shape", fields=(fault, fault))
    assert closing_refused(malformed) == (
        "Its closing result was refused: REPORT_INVALID. output must not be empty."
    )


def test_it_is_one_bounded_line() -> None:
    """However long the reason is."""
    refusal = Rejection(code=Code.OUTPUT_SCHEMA, step="schema", detail="é\n" * 5_000)
    said = closing_refused(refusal)
    assert "\n" not in said
    assert size_bytes(said) <= 250


def test_a_final_that_was_refused_again_and_again_is_told_once() -> None:
    """With the last reason, which stands for all."""
    refusal = Rejection(code=Code.REPORT_CONTRACT, step="sections", detail="risks")
    assert final_refused(refusal, 20) == (
        "Its final was refused 20 times, at last: REPORT_CONTRACT. risks."
    )
