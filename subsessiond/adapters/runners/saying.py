"""One thing to say to an agent, and whether it has been read."""

import asyncio


class Said:
    """Something to say to the agent.

    Args:
        text: the words.
        message_id: of the message it is; none for what is no message.
        is_mail: whether it is all mail that waited.
    """

    def __init__(self, text: str, message_id: str | None = None, *, is_mail: bool = False) -> None:
        self.text = text
        self.message_id = message_id
        self.is_mail = is_mail
        self.read: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    def settle(self, *, read: bool) -> None:
        """Let whoever waits know."""
        if not self.read.done():
            self.read.set_result(read)
