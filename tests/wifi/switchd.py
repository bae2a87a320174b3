#!/usr/bin/python3
"""``weir-switchd`` in the guest: the switch of the Python package's extension, without the rest."""

import sys

sys.path.insert(0, "/usr/lib/weir")
import _core

sys.exit(_core.run_switch(["weir-switchd", *sys.argv[1:]]))
