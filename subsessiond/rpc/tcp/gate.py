"""What a request must be before anybody looks at what it asks for.

A page in a browser can send here without knowing anything: by a name of its own that it lets point
at this machine (its `Host` is then foreign), or across origins (its `Origin` is, or its body is no
JSON). Each is refused on its own, so no browser has to be trusted for the others.
"""

from collections.abc import Mapping
from typing import Final

from aiohttp import hdrs, web

from subsessiond.rpc.refusals import is_json, refusal

NAMES: Final = ("127.0.0.1", "localhost", "[::1]")
"""How this machine may be called."""

_HTTP_PORT: Final = 80
"""Left out of what a client writes."""


def names_of(port: int) -> frozenset[str]:
    """Give every spelling of this port's address."""
    bare = NAMES if port == _HTTP_PORT else ()
    return frozenset((*(f"{name}:{port}" for name in NAMES), *bare))


def refuse_stranger(request: web.BaseRequest, port: int) -> web.Response | None:
    """Refuse a request that came by another name, or from a page of another origin."""
    names = names_of(port)
    hosts = request.headers.getall(hdrs.HOST, [])
    if len(hosts) != 1 or hosts[0].lower() not in names:
        return refusal(403, "host", "must be this port of this machine")
    for origin in request.headers.getall(hdrs.ORIGIN, []):
        scheme, _, name = origin.partition("://")
        if scheme != "http" or name not in names:
            return refusal(403, "origin", "pages of other origins are not served here")
    return None


def refuse_form(
    request: web.BaseRequest, routes: Mapping[str, tuple[str, ...]]
) -> web.Response | None:
    """Refuse a request that no route takes, has parameters in its address, or a body not JSON.

    Args:
        request: It comes by a name of ours.
        routes: Paths, and the methods each takes.
    """
    path, mark, _ = request.raw_path.partition("?")
    methods = routes.get(path)
    if methods is None:
        return refusal(404, "path", "there is nothing here")
    if request.method not in methods:
        refused = refusal(405, "method", "is not one of this path")
        refused.headers[hdrs.ALLOW] = ", ".join(methods)
        return refused
    if mark:
        return refusal(400, "path", "takes no parameters, and a token least of all")
    if request.method == hdrs.METH_POST and not is_json(request):
        return refusal(415, "content-type", "must be application/json, not compressed")
    return None
