"""``python -m pluecker.articulated`` is the command ``pluecker``."""

import sys

from pluecker.articulated.app.cli import main

sys.exit(main())
