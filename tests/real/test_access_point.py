"""The switch of an access point, controlled by ``weir ap``."""


def test_stations_are_isolated_blocked_limited_and_counted(play):
    assert play("access_point.py", timeout=120) == "done\n"
