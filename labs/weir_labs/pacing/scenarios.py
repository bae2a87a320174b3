"""The parameters of the paper's scenarios, at which the lab compares its values with the
paper's."""

from __future__ import annotations

from typing import Any, Final

MODES: Final = {"regular": "cubic", "htb": "htb", "fq": "fq"}
"""The lab's mode for each mode of the paper.

The paper does not name its congestion control; Linux uses Cubic by default.
"""

SCENARIO_2: Final[dict[str, Any]] = {
    "hosts": 4,
    "rate": "100Mbit",
    "rtt": "20ms",
    "period": "15s",
    "queue": "16p",
    "reserve_percent": 0.5,
}
"""The parameters of scenario 2. The paper gives neither the length of the queue nor the reserve."""

SCENARIO_1: Final[dict[str, Any]] = SCENARIO_2 | {"rate": "300Mbit", "rtt": "0ms", "period": "3s"}
"""The parameters of scenario 1, with shorter periods than in the paper."""
