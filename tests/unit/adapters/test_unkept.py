from subsessiond.adapters.unkept import UnkeptTranscripts
from subsessiond.model.ids import NodeId

NODE = NodeId("n-1")


async def test_what_is_written_is_counted_and_not_kept() -> None:
    """Bytes, texts and objects add to the size; nothing can be read of them."""
    transcripts = UnkeptTranscripts()
    made = transcripts.open(NODE)
    made.write("out", b"12345")
    made.write("in", "é")
    made.write("note", {"a": 1})
    made.close()
    assert made.total_bytes == 5 + 2 + len('{"a":1}')
    page = await transcripts.read(NODE, 7, 1_000)
    assert (page.entries, page.upto, page.more) == ((), 7, False)
