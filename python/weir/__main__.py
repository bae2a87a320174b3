"""``python -m weir`` is the command ``weir``."""

import sys

from weir.cli import main

sys.exit(main())
