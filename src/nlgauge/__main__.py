"""`python -m nlgauge` is the `nlgauge` command."""

import sys

from nlgauge.cli import main

sys.exit(main())
