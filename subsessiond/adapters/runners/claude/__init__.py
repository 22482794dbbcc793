"""The `claude` runner: Claude Code in its JSON mode, kept open over many turns.

`control` carries what each side asks of the other; `answers` and `permissions` answer what the
agent asks; `reading` says what a line tells, `turns` what is to be said and when, `metering` what a
turn used, `ending` what the end of one makes of the child; `child` lives one run, `runner` makes
children.

Every use of a tool is asked about twice: by a hook of ours, which holds whatever its user's
settings allow, and by the question that Claude Code asks in its manual mode.
"""
