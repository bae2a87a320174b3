"""Draws all pictures: ``python docs/build/pictures``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from pictures import draw_all

for path in draw_all(Path("out/pictures").resolve()).values():
    print(path)
