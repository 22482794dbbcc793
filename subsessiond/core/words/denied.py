"""What a child is answered that may not use a tool in the way it wanted to."""


def denied(why: str, blocker: str) -> str:
    """Tell what was refused, and how to leave it to a person.

    Args:
        why: a sentence; bounded.
        blocker: to be named in a blocked final.
    """
    return (
        f"Refused: {why}. Asking again is no use: nobody is there to allow it. If you can finish "
        f"without it, go on. If not, report with stage final and outcome blocked, and name this "
        f"blocker: {blocker}"
    )
