"""The two shapes that every value here is made of."""

import msgspec


class Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """An immutable value: compared by content, copied by `msgspec.structs.replace`."""


class Tagged(Value, frozen=True, kw_only=True, tag_field="type", tag=True):
    """A value that carries its own class name, so that a union of them can be read back."""
