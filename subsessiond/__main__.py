"""`python -m subsessiond` is the daemon's own command line."""

import sys

from subsessiond.cli import main

sys.exit(main())
