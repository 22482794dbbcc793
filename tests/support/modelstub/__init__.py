"""A model server on loopback that plays what the prompt tells it to.

    async with Stub() as stub:
        ...                                    # an agent whose endpoint is stub.url
        assert not stub.faults
        assert stub.requests[0].usage.input == what_the_agent_says_it_used

It speaks OpenAI chat completions, OpenAI responses, Anthropic messages and Gemini, streaming and
not. It holds no plan of its own, so that any number of sessions can share it: the newest user
message with a script is what it plays. A script is the word `PLAY:` and JSON after it, anywhere in
the message; `script(...)` writes one:

    PLAY: [STEP, ...]
    PLAY: {"steps": [STEP, ...], "when": {REGEX: [STEP, ...], ...}}

The step played is the one after as many tool results as came since that message. A later message
without a script that a REGEX of `when` is found in starts the steps beside it. A step has any of:

    call, args     one call of a tool: its name, the last part of its name, or `re:` and a regex;
                   args is an object, or text for a tool that takes free text
    calls          several calls at once: [{"call": ..., "args": ...}, ...]
    text           what is said: alone it ends the turn, with calls it comes before them
    repeat         how often the text is said
    finish         "limit" or "refusal" in place of an ordinary end
    usage          figures to tell in place of counted ones: input, cache_read, cache_write, output
    wait           seconds before it answers, or a name: held until `stub.release(name)`
    error, times   an HTTP status to answer with; times says how often before the step is played
    retry_after    seconds, told with the error
    chunk, pace    characters in a piece of a stream, and seconds between two pieces
    cut            pieces after which the connection breaks
    take           {NAME: REGEX}: `<NAME>` in the step is the group of the newest match in what was
                   heard since the script, from tools and later messages
    until          [REGEX, ...]: calls are made again until each is found in a result
    junk           text to send in place of an answer

A request that offers no tools (for a title, a router, a review) is not the agent's turn: it gets
plain text, or the smallest instance of the schema it asks for. Four bytes count as a token.

By hand: `python -m tests.support.modelstub --port 8099`.
"""

from subsessiond.loopback.count import Usage
from tests.support.modelstub.record import Request
from tests.support.modelstub.script import script
from tests.support.modelstub.server import Stub

__all__ = ["Request", "Stub", "Usage", "script"]
