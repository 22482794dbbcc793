"""Which values are secret here: named by the operator, or given to agents under a secret name."""

from collections.abc import Mapping

from subsessiond.core.scrub import SHORTEST, is_secret_name, usable
from subsessiond.model.base import Value
from subsessiond.model.policy import Policy


class SecretValues(Value, frozen=True, kw_only=True):
    """What a daemon takes out of texts that others wrote."""

    values: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    """Names that give nothing to look for, and why; never a value."""

    def __repr__(self) -> str:
        """Tell how many there are, and nothing of them."""
        return f"SecretValues({len(self.values)} values)"


def find_secrets(
    environ: Mapping[str, str],
    named: tuple[str, ...],
    passed: tuple[str, ...],
    policy: Policy,
) -> SecretValues:
    """Gather secret values.

    Args:
        environ: The daemon's own environment.
        named: Variables that the operator calls secret.
        passed: Variables that children may see; of these, those whose names say secret.
        policy: Its agents' own variables count by their names too.
    """
    seen = (name for name in sorted(environ) if is_secret_name(name) and _is_passed(name, passed))
    agents = (pair for agent in policy.agents for pair in agent.env if is_secret_name(pair[0]))
    found = [environ[name] for name in (*named, *seen) if name in environ]
    values = (*found, *(value for _, value in agents))
    return SecretValues(
        values=tuple(dict.fromkeys(value for value in values if usable(value))),
        warnings=tuple(word for name in named for word in _problems(name, environ)),
    )


def _problems(name: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    if name not in environ:
        return (f"{name} is not set in the environment of this daemon",)
    if not usable(environ[name]):
        return (f"{name} has fewer than {SHORTEST} characters and is not looked for",)
    return ()


def _is_passed(name: str, passed: tuple[str, ...]) -> bool:
    return any(name.startswith(one[:-1]) if one.endswith("*") else name == one for one in passed)
