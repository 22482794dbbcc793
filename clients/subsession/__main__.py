"""`python -m subsession` is the command."""

import sys

from subsession.entry import main

sys.exit(main())
