"""What turns decisions into facts: one writer, one executor, one clock tick.

Nothing here decides. The registry asks the core, makes the answer durable, publishes it and hands
the effects on; the executor carries them out through ports and speaks back only in commands.
"""
