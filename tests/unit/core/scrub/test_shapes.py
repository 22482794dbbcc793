import pytest

from subsessiond.core.scrub.shapes import find_shapes
from subsessiond.core.scrub.spans import joined

TAIL = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcD4eFg7h"


@pytest.mark.parametrize(
    "key",
    [
        f"sk-ant-api03-{TAIL}-{TAIL}_AA",
        f"sk-proj-{TAIL}",
        f"sk-{TAIL}",
        f"ghp_{TAIL}",
        f"gho_{TAIL}",
        f"github_pat_11{TAIL}_{TAIL}",
        f"glpat-{TAIL[:20]}",
        "AKIA" + "IOSFODNN7EXAMPLE",
        "ASIA" + "IOSFODNN7EXAMPLE",
        f"AIza{TAIL[:35]}",
        f"xoxb-1234567890-{TAIL}",
        f"xapp-1-A0-{TAIL}",
        f"sk_live_{TAIL}",
        f"rk_test_{TAIL}",
        f"whsec_{TAIL}",
        f"npm_{TAIL}",
        f"pypi-AgEI{TAIL}",
        f"dckr_pat_{TAIL}",
        f"hf_{TAIL}",
        f"gsk_{TAIL}",
        f"SG.{TAIL[:22]}.{TAIL}",
        f"123456789:AA{TAIL[:33]}",
        f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{TAIL}",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.",
    ],
)
@pytest.mark.parametrize(
    "around", ["{}", "key {} was refused", "'{}'", '"{}",', "\\n{}\\n", "({})"]
)
def test_a_key_is_found_whole(key: str, around: str) -> None:
    """A key of a known shape is found from its first character to its last, and nothing else."""
    text = around.format(key)
    assert [text[start:end] for start, end in joined(find_shapes(text))] == [key]


@pytest.mark.parametrize(
    "words",
    [
        "task-management-of-several-things",
        "a sk-learn-compatible-estimator-class",
        "sk-ant-short",
        "eyJhbGciOiJIUzI1NiJ9",
        "hf_hub_download failed in npm_config_cache",
        "commit 3f786850e387550fdaf836ed7e6dc881de23001b",
        "at 12:30:45 on 2024-01-31",
    ],
)
def test_words_are_no_keys(words: str) -> None:
    """What only begins like a key, or is spelled like one without being one, stays."""
    assert not list(find_shapes(words))


def test_the_secret_half_of_a_pair_is_found_beside_the_public_one() -> None:
    """Forty mixed characters are a key where its public half is named; a commit id is none."""
    half = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    commit = "3f786850e387550fdaf836ed7e6dc881de23001b"
    text = f"AKIAIOSFODNN7EXAMPLE,{half} at {commit}"
    assert half in [text[start:end] for start, end in find_shapes(text)]
    assert commit not in [text[start:end] for start, end in find_shapes(text)]
    assert not list(find_shapes(f"a file {half}"))
