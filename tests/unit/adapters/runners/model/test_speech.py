"""What is common to all endpoints."""

from subsessiond.adapters.runners.model.speech import Endpoint, ModelFault


def test_an_endpoint_is_named_without_its_key() -> None:
    """In logs and in faults."""
    endpoint = Endpoint(url="http://host", model="m", dialect="openai", key="secret")
    assert repr(endpoint) == str(endpoint) == "Endpoint('m' at 'http://host')"


def test_a_fault_is_its_words() -> None:
    """And what else is known of it."""
    fault = ModelFault("slow down", status=429, retry_after_ms=5)
    assert (str(fault), fault.status, fault.retry_after_ms) == ("slow down", 429, 5)
