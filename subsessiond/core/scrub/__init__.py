"""Taking secrets out of texts that others wrote, before anybody is shown them.

For what the runtime passes on of programs, providers and exceptions: diagnostics, its own reports,
the log, transcripts on display. What a child says in a report is its own word and is not touched.

The rules, each a finder of places in the text (linear in its length, whatever stands in it):

- keys whose shape is well known (`shapes`), and signed tokens of three parts;
- private-key blocks (`blocks`), also without an end or, where a text was cut, without a beginning;
- credentials of headers (`headers`), of addresses and their queries (`urls`);
- what is assigned to a name that says secret (`pairs`): `API_KEY=`, `"token":`, `--password`; a
  line that begins with such a name in capitals and `=` is taken for a line of an environment,
  whose value reaches to the end of the line;
- the same with the value on the line below (`folded`), as YAML and long JSON have it;
- passwords that known programs take on their command line (`commands`), and those of `netrc` files;
- values that the operator named (`listed`), plain and in base64, over several lines too.

What is found is replaced by one mark. Scrubbing a scrubbed text changes nothing. Texts are scrubbed
first and cut afterwards (`Scrubber.head`, `Scrubber.tail`): no half of a key is left.
"""

from subsessiond.core.scrub.listed import SHORTEST, usable
from subsessiond.core.scrub.names import is_secret_name
from subsessiond.core.scrub.scrubber import Scrubber
from subsessiond.core.scrub.spans import MARK
from subsessiond.core.scrub.spoken import scrubbed

__all__ = ["MARK", "SHORTEST", "Scrubber", "is_secret_name", "scrubbed", "usable"]
