"""`python -m subsession` is the command."""

import sys

from subsession.cli import main

sys.exit(main())
