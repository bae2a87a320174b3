"""Our descriptions of P4Runtime's messages are those of PyPI's package `p4runtime`."""

import json
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
PROTO = HERE.parents[1] / "crates" / "weir-p4runtime-proto" / "proto"


def test_messages_enums_and_services_are_those_of_the_public_package(
    interpreters: dict[str, Path], tmp_path: Path
):
    compiled = tmp_path / "ours.binpb"
    files = sorted(str(path.relative_to(PROTO)) for path in PROTO.rglob("*.proto"))
    protoc = [interpreters["protoc"], "-m", "grpc_tools.protoc", f"-I{PROTO}", "--include_imports"]
    subprocess.run([*protoc, f"--descriptor_set_out={compiled}", *files], check=True)
    command = [interpreters["p4runtime"], HERE / "describe_messages.py", compiled]
    document = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert len(document["public"]) > 600
    assert document["ours"] == document["public"]
