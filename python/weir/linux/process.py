"""The class of programs on hosts, under the name that users import."""

from weir.system.process import Process

__all__ = ["Process"]
