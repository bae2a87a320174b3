"""The stand-ins for p4c's compilers."""

import json
import re
import shutil
from pathlib import Path

import pytest

import weir
from weir.dropin.p4c import bm2_ss, p4c
from weir.dropin.p4c.flags import BM2_SS, P4C
from weir.dropin.simple_switch.flags import GRPC, SIMPLE_SWITCH

PROGRAM = Path(__file__).parent / "everything.p4"
PAGE = Path(__file__).parents[2] / "docs/how-to/drop-in.md"


def test_the_json_carries_the_program_with_its_files(tmp_path: Path):
    here = tmp_path / "here"
    (here / "lib").mkdir(parents=True)
    shutil.copy(PROGRAM, here)
    shutil.copy(PROGRAM.with_name("widths.h"), here / "lib")
    out = tmp_path / "out.json"
    program = str(here / "everything.p4")
    options = ["-I", str(here / "lib"), "-DDEFAULT_PORT=3", "-D", "CELLS_ARE=8", "-U", "CELLS_ARE"]
    assert bm2_ss(["--p4v", "16", *options, "-o", str(out), program]) == 0
    compiled = weir.compile(program, [here / "lib"], {"DEFAULT_PORT": "3"}).digest
    shutil.rmtree(here)
    assert weir.compile(out).digest == compiled
    document = json.loads(out.read_text())
    assert document["program"] == program
    assert document["weir"]["defines"] == {"DEFAULT_PORT": "3"}
    assert document["__meta__"]["version"][0] == 2
    assert sorted(document["weir"]["files"]) == [program, str(here / "lib" / "widths.h")]


@pytest.mark.parametrize("architecture", ["psa", "pna"])
def test_programs_of_other_architectures_compile(architecture: str, tmp_path: Path):
    program = Path(__file__).parents[2] / "testdata" / architecture / "paths.p4"
    out = tmp_path / "out.json"
    assert bm2_ss(["--arch", architecture, "-o", str(out), str(program)]) == 0
    assert weir.compile(out).digest == weir.compile(program).digest


def test_controllers_see_its_objects_in_the_json(tmp_path: Path):
    out = tmp_path / "out.json"
    assert bm2_ss(["-o", str(out), str(PROGRAM)]) == 0
    document = json.loads(out.read_text())
    tables = {table["name"]: table for table in document["pipelines"][0]["tables"]}
    assert [(key["match_type"], key["target"]) for key in tables["In.exactly"]["key"]] == [
        ("exact", ["frame", "$valid$"]),
        ("exact", ["frame", "dst"]),
    ]
    assert [(key["match_type"], key["target"]) for key in tables["In.rules"]["key"]] == [
        ("ternary", ["frame", "type"]),
        ("range", ["scalars", "sm.ingress_port"]),
        ("ternary", ["frame", "src"]),
    ]
    kinds = {name: (table["match_type"], table["type"]) for name, table in tables.items()}
    assert kinds == {
        "In.exactly": ("exact", "simple"),
        "In.prefixes": ("lpm", "simple"),
        "In.rules": ("range", "simple"),
        "In.chosen": ("exact", "indirect_ws"),
    }
    # The field of each key is in a header, and each action has a number.
    fields = {
        one["name"]: {field[0]: field[1] for field in one["fields"]} for one in document["header_types"]
    }
    types = {one["name"]: one["header_type"] for one in document["headers"]}
    actions = {one["id"]: one for one in document["actions"]}
    for table in tables.values():
        assert [actions[number]["name"] for number in table["action_ids"]] == table["actions"]
        for header, field in (key["target"] for key in table["key"]):
            assert field == "$valid$" or fields[types[header]][field] in (9, 16, 48)
    assert actions[tables["In.rules"]["action_ids"][0]]["runtime_data"] == [
        {"name": "port", "bitwidth": 9},
        {"name": "dst", "bitwidth": 48},
    ]
    arrays = {
        one["name"]: one for kind in ("counter", "meter", "register") for one in document[f"{kind}_arrays"]
    }
    assert arrays["In.hits"]["binding"] == "In.exactly"
    assert arrays["In.rates"]["rate_count"] == 2 and arrays["In.rates"]["type"] == "bytes"
    assert arrays["In.seen"] == {"name": "In.seen", "id": 0, "size": 8, "bitwidth": 48}
    assert document["parse_vsets"] == [{"name": "Parse.known", "id": 0, "compressed_bitwidth": 16}]


def test_p4info_has_the_format_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    program = weir.compile(PROGRAM)
    assert bm2_ss(["--p4runtime-files", "a.txt,a.p4info.txtpb,a.json,a.bin", str(PROGRAM)]) == 0
    assert bm2_ss(["--p4runtime-file", "b", "--p4runtime-format", "text", str(PROGRAM)]) == 0
    for name, format in (
        ("a.txt", "text"),
        ("a.p4info.txtpb", "text"),
        ("a.json", "json"),
        ("a.bin", "binary"),
    ):
        assert Path(name).read_bytes() == program.p4info(format)
    assert Path("b").read_bytes() == program.p4info("text")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a.bin",
        "a.json",
        "a.p4info.txtpb",
        "a.txt",
        "b",
    ]


def test_the_driver_fills_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    line = [
        "--target",
        "bmv2",
        "--arch=v1model",
        "--std",
        "p4-16",
        "-Xp4c",
        "-DDEFAULT_PORT=4",
        "-o",
        "build/x",
    ]
    assert p4c([*line, str(PROGRAM)]) == 0
    folder = tmp_path / "build" / "x"
    assert sorted(path.name for path in folder.iterdir()) == ["everything.json", "everything.p4i"]
    one, other = (
        weir.compile(folder / "everything.json"),
        weir.compile(PROGRAM, defines={"DEFAULT_PORT": "4"}),
    )
    assert one.digest == other.digest
    # The preprocessor's output is the same program.
    assert "#include" not in (folder / "everything.p4i").read_text()
    assert weir.compile(folder / "everything.p4i").digest == other.digest


def test_the_preprocessors_output_and_its_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert bm2_ss(["-E", str(PROGRAM)]) == 0
    assert "typedef bit<9> port_t;" in capsys.readouterr().out
    assert bm2_ss(["-M", "-MT", "all", str(PROGRAM)]) == 0
    assert capsys.readouterr().out == f"all: \\\n {PROGRAM} \\\n {PROGRAM.with_name('widths.h')}\n"


def test_json_that_carries_a_program_is_preprocessed_as_the_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "out.json"
    assert bm2_ss(["-o", str(out), str(PROGRAM)]) == 0
    assert bm2_ss(["-E", str(PROGRAM)]) == 0
    left = capsys.readouterr().out
    assert bm2_ss(["-E", str(out)]) == 0
    # JSON has other names for Weir's own files.
    texts = [re.sub(r"^#line .*$", "", text, flags=re.MULTILINE) for text in (left, capsys.readouterr().out)]
    assert texts[0] == texts[1] and "typedef bit<9> port_t;" in texts[0]
    out.write_text("{}")
    assert bm2_ss(["-E", str(out)]) == 1
    assert "this JSON carries no P4 program" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "--p4runtime-fiels x a.p4",
            'p4c-bm2-ss: error: there is no option "--p4runtime-fiels"; did you mean "--p4runtime-files"?',
        ),
        ("\udcff.p4", 'error: argument 1 is not UTF-8 text (character 1, "\\udcff.p4")'),
        ("--toJSON x a.p4", "error: --toJSON is not supported: "),
        ("a.p4 -o", "-o needs a value: -o FILE"),
        ("--help=1 a.p4", "--help takes no value"),
        ("", "no P4 program is given"),
        ("a.p4 b.p4", "expected one P4 program, found a.p4, b.p4"),
        ("a.p4", "a.p4: no such file"),
        ("--p4v 14 a.p4", 'there is no language "14" here, only p4-16'),
        ("--arch tna a.p4", 'there is no architecture "tna" here, only v1model, psa and pna'),
        ("--p4runtime-files x.yaml PROGRAM", '"x.yaml" does not end in a format of P4Info'),
        ("-o nowhere/x.json PROGRAM", "nowhere/x.json: No such file or directory"),
    ],
)
def test_mistakes_have_a_diagnosis(line: str, expected: str, tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert bm2_ss([str(PROGRAM) if word == "PROGRAM" else word for word in line.split()]) == 1
    out, err = capsys.readouterr()
    assert expected in err
    assert out == ""


def test_errors_and_warnings_of_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    wrong, odd = tmp_path / "wrong.p4", tmp_path / "odd.p4"
    wrong.write_text(PROGRAM.read_text().replace("bit<48> dst;", "bit<48> dst", 1))
    odd.write_text(PROGRAM.read_text().replace("apply { }", "apply { bit<8> unused; }", 1))
    include = ["-I", str(PROGRAM.parent)]
    assert bm2_ss([*include, "-o", str(tmp_path / "x.json"), str(wrong)]) == 1
    assert f"{wrong}:" in (output := capsys.readouterr().err) and "missing-semicolon" in output
    assert not (tmp_path / "x.json").exists()
    assert bm2_ss([*include, str(odd)]) == 0
    assert "warning[unused]" in capsys.readouterr().err
    assert bm2_ss([*include, "--Wdisable", str(odd)]) == 0
    assert capsys.readouterr().err == ""
    assert bm2_ss([*include, "--Werror", str(odd)]) == 1
    assert bm2_ss([*include, "--Werror=mismatch", "--Wdisable=unused", str(odd)]) == 0


def test_json_that_only_names_a_program_is_refused(tmp_path: Path):
    (tmp_path / "build").mkdir()
    shutil.copy(PROGRAM, tmp_path / "build" / "x.p4")
    shutil.copy(PROGRAM.with_name("widths.h"), tmp_path / "build")
    json_file = tmp_path / "build" / "x.json"
    for text, expected in (
        (
            '{"program": "x.p4", "tables": []}',
            "this JSON carries no P4 program, and p4c did not compile it",
        ),
        ('{"program": "x.p4", "pipelines": [], "parsers": [], "headers": []}', 'no "egress_spec"'),
        ('{"weir": {"program": "x.p4"}}', 'missing key "files"'),
        ("{", "x.json:1:1: is not JSON"),
    ):
        json_file.write_text(text)
        with pytest.raises(weir.FileError, match=re.escape(expected)):
            weir.compile(json_file)


def test_help_and_the_guide_have_every_option(capsys: pytest.CaptureFixture[str]):
    page = PAGE.read_text()
    for option in {*BM2_SS, *P4C, *SIMPLE_SWITCH, *GRPC}:
        for name in option.names:
            assert f"`{name}`" in page, name
    assert bm2_ss(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(option.names[0] in text for option in BM2_SS)
    assert p4c(["--version"]) == 0
    assert capsys.readouterr().out == f"p4c stand-in of Weir {weir.__version__}\n"
