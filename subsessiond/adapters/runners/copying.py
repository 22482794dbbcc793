"""Copying what an agent writes as errors into its transcript."""

from subsessiond.ports import Process, Transcript


async def copy_errors(process: Process, transcript: Transcript) -> None:
    """Copy until the end; what was read past while nobody looked is counted as lost.

    Why counted exactly: a transcript must know of every hole, or half a secret beside one would be
    none to it, and be shown.
    """
    seen = 0
    while chunk := await process.read_stderr():
        # No await between these: the count is of the moment at which the chunk was given.
        transcript.lose(process.stderr_bytes - seen - len(chunk))
        seen = process.stderr_bytes
        transcript.write("err", chunk)
