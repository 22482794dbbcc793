"""The `acp` runner: any agent that speaks the Agent Client Protocol, of which we are the client.

`connection` speaks JSON-RPC over lines; `handshake` opens the one session; `turns` says what is to
be said and judges how a turn ended; `updates` and `toolcalls` remember what the agent tells of
itself; `permissions` and `files` answer what it asks; `child` lives one run, `runner` makes
children.

We offer to write files, and no terminal; reading is answered though it is not offered. `_meta` of
any message is never looked at.
"""
