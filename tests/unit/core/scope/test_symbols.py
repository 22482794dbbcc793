from subsessiond.core.scope.symbols import (
    ANY_CHAR,
    ANY_NAME,
    Chars,
    common_samples,
    complement,
    shared,
    union,
)


def test_spans_are_sorted_and_joined() -> None:
    """A set is the same value however its spans were given."""
    assert union(((100, 102), (97, 99), (101, 105))) == Chars(((97, 105),))
    assert union(((97, 97), (99, 99))) == Chars(((97, 97), (99, 99)))


def test_no_set_holds_what_no_name_can_hold() -> None:
    """Slash, NUL and the surrogates are in no set and in no complement of one."""
    for chars in (union(((0, 0x10FFFF),)), complement(Chars(())), ANY_CHAR):
        assert chars == ANY_CHAR
        assert all(char not in chars for char in "/\0\ud800\udfff")
    assert complement(ANY_CHAR) == Chars(())


def test_two_sets_share_what_both_hold() -> None:
    """Overlapping spans are cut to their common part, from either side."""
    left, right = union(((97, 105), (110, 120))), union(((100, 112), (119, 130)))
    assert shared(left, right) == Chars(((100, 105), (110, 112), (119, 120)))
    assert shared(right, left) == shared(left, right)


def test_a_witness_is_spelled_with_readable_characters() -> None:
    """Letters come before digits, those before signs and spaces, and the dot is kept apart."""
    assert common_samples(ANY_CHAR, ANY_CHAR) == ("a", ".")
    assert common_samples(union(((0x30, 0x5A),)), ANY_CHAR) == ("0",)
    assert common_samples(union(((0x20, 0x2F),)), ANY_CHAR) == ("!", ".")
    assert common_samples(union(((0x01, 0x20),)), ANY_CHAR) == ("\x01",)
    assert common_samples(union(((0x2E, 0x2E),)), ANY_CHAR) == (".",)
    assert common_samples(union(((97, 97),)), union(((98, 98),))) == ()


def test_a_written_out_extension_names_files() -> None:
    """A bare star says nothing about what it matches."""
    assert not ANY_NAME.names_files
