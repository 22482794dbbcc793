"""`python -m subsession.mcp` is the bridge; what its words mean `subsession mcp --help` says."""

import sys

from subsession.mcp.run import run
from subsession.mcp.words import OPTIONS, read_words

found = read_words(sys.argv[1:])
if found is None:
    sys.exit(f"usage: python -m subsession.mcp {' '.join(f'[{name} VALUE]' for name in OPTIONS)}")
sys.exit(run(found))
