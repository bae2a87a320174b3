"""The control plane from Python: a switch's tables, read and changed."""

from weir.control.switch import Switch
from weir.control.table import Table, TableEntry

__all__ = ["Switch", "Table", "TableEntry"]
