"""A client's errors when a server refuses something, or there is no server."""

from pathlib import Path

import pytest

from test_p4runtime import CONTROL, serve
from weir.errors import ControlError
from weir.p4runtime import Client


def test_a_large_batch_names_the_change_that_fails():
    def entry(number: int) -> dict[str, object]:
        return {
            "table": "prefixes",
            "match": {"answer": [f"10.{number // 256}.{number % 256}.0", 24]},
            "action_name": "drop",
            "action_params": {},
        }

    rows = [entry(number) for number in range(1001)]
    with serve(CONTROL) as net, Client(net.p4runtime.address("s1")) as client:
        client.table("prefixes").insert(rows[1000]["match"], "drop")
        with pytest.raises(ControlError, match="1 of 1001 updates failed, and no other was made") as failed:
            client.load_entries({"table_entries": rows})
        assert "update 1000" in str(failed.value) and "table_entries[1000]" in str(failed.value)
        assert len(client.table("prefixes")) == 1


def test_a_missing_server_is_named_once(tmp_path: Path):
    (tmp_path / "file").write_text("no socket")
    for address, reason in (
        (f"unix:{tmp_path}/none", f"there is no socket {tmp_path}/none; start the server first"),
        (f"unix:{tmp_path}/file", f"nothing listens on the socket {tmp_path}/file; start the server first"),
        ("127.0.0.1:1", "nothing listens there; start the server first"),
    ):
        with pytest.raises(ControlError) as failed:
            Client(address, 1, timeout="2s")
        assert str(failed.value).startswith(f"no P4Runtime server answers at {address}: {reason}")
        assert str(failed.value).count("os error") == 0


def test_the_number_that_stands_for_0_is_refused():
    with serve(CONTROL) as net, Client(net.p4runtime.address("s1")) as client:
        ways = client.action_profile("ways")
        largest = (1 << 32) - 1
        with pytest.raises(ControlError, match="stands for member 0; the largest is 4294967294"):
            ways.add_member("drop", number=largest)
        ways.add_member("drop", number=0)
        with pytest.raises(ControlError, match=f"member {largest}"):
            ways.modify_member(largest, "drop")
        assert sorted(ways.members()) == [0]
