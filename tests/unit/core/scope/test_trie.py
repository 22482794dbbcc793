import random

from subsessiond.core.scope.trie import LEAF_ENTRIES, STOP, Trie

WORDS = tuple(sorted({f"{a}{b}{c}" for a in ("", "ab", "abc", "b") for b in "xyz" for c in "12"}))


def trie_of(words: tuple[str, ...]) -> Trie[int]:
    """File words under their own numbers."""
    trie = Trie[int]()
    for number, word in enumerate(words):
        trie = trie.put(word + STOP, number)
    return trie


def test_what_was_put_is_found_in_order() -> None:
    """Keys come back sorted, each with its value, below and above the size of a leaf."""
    for words in (WORDS[:5], WORDS):
        trie = trie_of(words)
        assert [key for key, _ in trie.items()] == [word + STOP for word in words]
        assert [trie.find(word + STOP) for word in words] == list(range(len(words)))
        assert trie.find("absent" + STOP) is None
        assert trie.size == len(words)
        assert trie.put(words[0] + STOP, 99).size == len(words)
        assert trie.put(words[0] + STOP, 99).find(words[0] + STOP) == 99


def test_the_shape_is_a_function_of_the_content() -> None:
    """Whatever the order of putting and dropping, equal content is an equal value."""
    draw = random.Random(7)
    for _ in range(40):
        kept = tuple(draw.sample(WORDS, draw.randint(0, len(WORDS))))
        trie = trie_of(tuple(draw.sample(WORDS, len(WORDS))))
        for word in draw.sample(WORDS, len(WORDS)):
            trie = trie if word in kept else trie.drop(word + STOP)
        for word in kept:
            trie = trie.put(word + STOP, 0)
        assert trie == trie_of(()) or kept
        expected = Trie[int]()
        for word in kept:
            expected = expected.put(word + STOP, 0)
        assert trie == expected


def test_dropping_what_is_not_there_changes_nothing() -> None:
    """An absent key leaves the very same trie, wherever it would lie."""
    trie = trie_of(WORDS)
    for key in ("absent", "ab", "abx", "abx1x", "", "q"):
        assert trie.drop(key + STOP) is trie


def test_agreeing_keys_begin_alike_as_far_as_both_go() -> None:
    """A text agrees with the keys it begins and with those that begin it."""
    words = (*WORDS, "abcx1longer", "ab")
    for trie in (trie_of(words), trie_of(words[-5:])):
        held = [key.partition(STOP)[0] for key, _ in trie.items()]
        for text in ("", "a", "ab", "abc", "abcx1longest", "abcx", "bx1", "q", "xq", "ax"):
            found = [key.partition(STOP)[0] for key, _ in trie.agreeing(text)]
            wanted = [word for word in held if word.startswith(text) or text.startswith(word)]
            assert found == wanted
            assert 0 <= trie.count_agreeing(text) - len(found) <= 2 * LEAF_ENTRIES


def test_keys_alike_up_to_the_stop_are_told_apart_behind_it() -> None:
    """A hundred keys with one beginning agree with it together."""
    trie = Trie[int]()
    for number in range(100):
        trie = trie.put(f"head{STOP}{number}{STOP}", number)
    assert len(tuple(trie.agreeing("he"))) == len(tuple(trie.agreeing("header"))) == 100
    assert not tuple(trie.agreeing("hat"))
    assert trie.count_agreeing("head") == 100
