#!/usr/bin/python3
"""Runs ``weir-switchd`` in the guest, from the Python package's extension, without the rest of the
package."""

import sys

sys.path.insert(0, "/usr/lib/weir")
import _core

sys.exit(_core.run_switch(["weir-switchd", *sys.argv[1:]]))
