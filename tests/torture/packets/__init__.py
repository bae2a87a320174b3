"""Packets that should not exist, on native code and on the interpreter."""

from torture.case import Class
from torture.packets.captures import captures
from torture.packets.differ import any_bytes

CLASS = Class("packets", {"any-bytes": (90, any_bytes), "captures": (10, captures)})
