"""Starts loops: knows where the key is, and loads the library when the first child needs it."""

import asyncio
import importlib
import importlib.util
import os
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from subsessiond.adapters.runners.model.child import ModelChild
from subsessiond.adapters.runners.model.retries import FIRST_WAIT_MS
from subsessiond.adapters.runners.model.speech import Endpoint, Measure, OpenSpeaker, Speaker
from subsessiond.model.role import AgentProfile
from subsessiond.ports import (
    ChildOrder,
    ChildTools,
    OfferedTool,
    Processes,
    RunnerFault,
    Transcripts,
    Voice,
)

PROVIDER: Final = "subsessiond.adapters.runners.model.provider"

NOT_INSTALLED: Final = (
    "the runner model needs pydantic-ai, which is not installed: "
    "install subsessiond with its extra, subsessiond[model]"
)


class ModelRunner:
    """Asks models in the daemon itself.

    Args:
        processes: containers for what a model runs.
        tools: the daemon's own tools.
        transcripts: keep what went between.
        environment: the daemon's, where keys are.
        first_wait_ms: the first wait after a request that came to nothing.
    """

    def __init__(
        self,
        processes: Processes,
        tools: ChildTools,
        transcripts: Transcripts,
        environment: Mapping[str, str] = os.environ,
        first_wait_ms: int = FIRST_WAIT_MS,
    ) -> None:
        self._parts = (processes, tools, transcripts)
        self._environment = environment
        self._first_wait_ms = first_wait_ms
        self._open: OpenSpeaker | None = None
        self._loading = asyncio.Lock()

    def start(self, order: ChildOrder, voice: Voice) -> ModelChild:
        """Make a child ready.

        Raises:
            RunnerFault: its profile names no model, or its key or the library is not there.
        """
        endpoint = endpoint_of(order.profile, self._environment)
        return ModelChild(order, voice, endpoint, self._parts, self._make, self._first_wait_ms)

    async def _make(
        self, endpoint: Endpoint, tools: tuple[OfferedTool, ...], measure: Measure
    ) -> Speaker:
        async with self._loading:
            if self._open is None:
                # Why in a thread: loading takes two seconds, in which others are to be served.
                self._open = await asyncio.to_thread(load_provider)
        try:
            return self._open(endpoint, tools, measure)
        except Exception as fault:
            # Why every one: the library checks its own settings, and its faults have no one base.
            raise RunnerFault(f"the model {endpoint.model} cannot be asked: {fault}") from fault


def problem_of(profile: AgentProfile, environment: Mapping[str, str]) -> str:
    """Say why no child of a profile could start now; empty where nothing is known against it."""
    try:
        endpoint_of(profile, environment)
    except RunnerFault as fault:
        return str(fault)
    return ""


def load_provider() -> OpenSpeaker:
    """Import the library's side of this package.

    Raises:
        RunnerFault: it is not installed, or not whole.
    """
    try:
        found: OpenSpeaker = importlib.import_module(PROVIDER).open_speaker
    except ImportError as fault:
        raise RunnerFault(f"{NOT_INSTALLED} ({fault})") from fault
    return found


def is_installed() -> bool:
    """Tell whether the library is there, without loading it."""
    return importlib.util.find_spec("pydantic_ai") is not None


def endpoint_of(profile: AgentProfile, environment: Mapping[str, str]) -> Endpoint:
    """Read from a profile which model is asked, and find its key.

    Raises:
        RunnerFault: something is missing, be it the library; the words hold no key.
    """
    if not is_installed():
        raise RunnerFault(NOT_INSTALLED)
    if not profile.endpoint or not profile.model:
        raise RunnerFault(f"agent {profile.name} names no endpoint or no model")
    if not _is_address(profile.endpoint):
        raise RunnerFault(f"agent {profile.name}: its endpoint is no http or https address")
    key = environment.get(profile.key_from, "") if profile.key_from else ""
    if profile.key_from and not key:
        raise RunnerFault(
            f"agent {profile.name} takes its key from {profile.key_from}, which is not set "
            "in the environment of the daemon"
        )
    return Endpoint(url=profile.endpoint, model=profile.model, dialect=profile.dialect, key=key)


def _is_address(endpoint: str) -> bool:
    try:
        address = urlsplit(endpoint)
        _ = address.port
    except ValueError:
        return False
    return address.scheme in ("http", "https") and bool(address.hostname)
