"""A port on loopback, for what speaks no unix socket: MCP over HTTP.

Any program of any user of this machine can reach it, and so can any page in a browser. So nothing
here is known by the kernel: a request shows a token or is refused, and before that it has to come
by one of this port's own names. `gate` says no, `listener` owns the port; what is served there are
the routes it is given.
"""
