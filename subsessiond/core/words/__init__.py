"""Every text that a model reads. Nothing here holds a time, and only frames hold ids.

Why one place: a model's prompt cache and its habits depend on these words, so they change rarely,
here, with golden tests beside them.
"""

from subsessiond.core.words.answers import (
    ASK_FINAL,
    WRAP_UP,
    WRITE_A_FILE,
    accepted,
    ask_blocked,
    counted,
    mail_prompt,
    mail_text,
    saved,
)
from subsessiond.core.words.closing import final_refused, told_of_cap
from subsessiond.core.words.frames import (
    compact,
    frame_report,
    frame_settled,
    frame_steer,
    frame_succeeded,
    frame_unread,
    report_line,
)
from subsessiond.core.words.opening import (
    GUIDANCE,
    GUIDANCE_BY,
    Terms,
    opening_of,
    opening_text,
    title_of,
)
from subsessiond.core.words.unread import unread_told

__all__ = [
    "ASK_FINAL",
    "GUIDANCE",
    "GUIDANCE_BY",
    "WRAP_UP",
    "WRITE_A_FILE",
    "Terms",
    "accepted",
    "ask_blocked",
    "compact",
    "counted",
    "final_refused",
    "frame_report",
    "frame_settled",
    "frame_steer",
    "frame_succeeded",
    "frame_unread",
    "mail_prompt",
    "mail_text",
    "opening_of",
    "opening_text",
    "report_line",
    "saved",
    "title_of",
    "told_of_cap",
    "unread_told",
]
