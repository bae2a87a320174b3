"""``weir check`` and ``weir ir`` in a process of their own."""

import os
import re
from pathlib import Path

import pytest

import weir as weir_package
from command import NET, weir


def test_check_is_silent_about_a_valid_program():
    assert weir("check", NET / "router.p4") == (0, "", "")


def test_check_shows_the_place_of_an_error(tmp_path: Path):
    source = (NET / "router.p4").read_text()
    assert "hdr.ipv4.ttl - 1" in source
    wrong = tmp_path / "wrong.p4"
    wrong.write_text(source.replace("hdr.ipv4.ttl - 1", "hdr.ipv4.tll - 1"))
    line = wrong.read_text()[: wrong.read_text().index("tll")].count("\n") + 1
    code, out, err = weir("check", wrong)
    assert (code, out) == (1, "")
    assert f"{wrong}:{line}:" in err
    assert "hdr.ipv4.ttl = hdr.ipv4.tll - 1;" in err
    assert "^^^" in err
    assert "`ttl`" in err
    assert "\x1b" not in err


def test_ir_shows_what_a_program_becomes():
    code, out, err = weir("ir", NET / "router.p4")
    assert (code, err) == (0, "")
    assert out.startswith('file "')
    assert re.search(r"^package main: V1Switch @\d+:\d+ {$", out, re.MULTILINE)
    assert "\x1b" not in out


def test_ir_after_a_pass(tmp_path: Path):
    outputs = {stage: weir("ir", NET / "router.p4", "--after", stage) for stage in ("lower", "bind")}
    assert all((code, err) == (0, "") for code, _, err in outputs.values())
    variables = {
        stage: len(re.findall("^(?:var|header) ", out, re.MULTILINE))
        for stage, (_, out, _) in outputs.items()
    }
    assert variables["lower"] > variables["bind"]
    assert weir("ir", NET / "router.p4") == outputs["bind"], "what runs is shown"
    code, out, _ = weir("ir", "--passes")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["pass", *outputs]


def test_mistakes_at_weir_ir(tmp_path: Path):
    assert weir("ir", NET / "router.p4", "--after", "bin") == (
        1,
        "",
        'error: there is no pass "bin"; did you mean "bind"?\n',
    )
    assert weir("ir") == (1, "", "error: name the program: weir ir FILE.p4\n")
    own = tmp_path / "own.p4"
    own.write_text(
        "control C(inout bit<8> x);\npackage Own(C c);\ncontrol A(inout bit<8> x) { apply { x = 1; } }\nOwn(A()) main;\n"
    )
    code, out, err = weir("ir", own, "--after", "lower")
    assert (code, err) == (0, "")
    assert "A.x = 8w1;" in out
    code, out, err = weir("ir", own)
    assert (code, out) == (1, "")
    assert "Own" in err
    assert "V1Switch" in err
    assert "`--after lower` shows the IR of its parts" in err
    library = tmp_path / "library.p4"
    library.write_text("const bit<8> X = 1;\nerror { Mine }\n")
    assert weir("ir", library, "--after", "lower") == (0, "errors { Mine }\n\n", "")
    library.write_text("const bit<8> X = 1\n")
    assert weir("ir", library)[0] == 1


def test_colours_only_add_colours():
    import click

    from weir.cli.ir import highlight

    plain = weir("ir", NET / "router.p4")[1]
    assert highlight(plain) != plain
    assert click.unstyle(highlight(plain)) == plain


def test_words_within_names_are_not_coloured():
    from weir.cli.ir import highlight

    for name in ("hdr.if.valid", "default.x", "meta.error", "key$", "hdr.bool[0]"):
        assert highlight(name) == name
    assert highlight("if") != "if"


def test_check_finds_includes(tmp_path: Path):
    headers = tmp_path / "headers"
    headers.mkdir()
    (headers / "eth.p4").write_text("header eth_t { bit<48> a; }\n")
    (tmp_path / "near.p4").write_text("const bit<8> NEAR = 1;\n")
    main = tmp_path / "main.p4"
    main.write_text('#include <core.p4>\n#include "near.p4"\n#include "eth.p4"\nstruct s { eth_t e; }\n')
    assert weir("check", main, "-I", headers, "-W", "no-no-main") == (0, "", "")
    code, _, err = weir("check", main)
    assert code == 1
    assert f"{main}:3:" in err
    assert "eth.p4" in err


def test_a_users_folder_comes_before_ours(tmp_path: Path):
    (tmp_path / "core.p4").write_text("#error this is mine\n")
    main = tmp_path / "main.p4"
    main.write_text("#include <core.p4>\n")
    code, _, err = weir("check", main, "-I", tmp_path)
    assert code == 1
    assert "this is mine" in err


@pytest.mark.parametrize("folder", ["bmv2", "dpdk", "tc"])
def test_a_target_s_folder_of_ours_comes_first(folder: str, tmp_path: Path):
    """Programs for a target include `pna.p4`, and `-I` chooses which `pna.p4`."""
    ours = Path(weir_package.__file__).parent / "p4include" / folder
    main = tmp_path / "main.p4"
    for name in sorted(path.name for path in ours.glob("*.p4")):
        main.write_text(f"#include <{name}>\n")
        assert weir("check", main, "-I", ours, "-W", "no-no-main") == (0, "", "")
    main.write_text("#include <pna.p4>\nconst PNA_HashAlgorithm_t X = PNA_HashAlgorithm_t.TOEPLITZ;\n")
    # Only the DPDK target has that algorithm.
    assert weir("check", main, "-I", ours, "-W", "no-no-main")[0] == (0 if folder == "dpdk" else 1)


def test_folders_without_files_are_a_warning(tmp_path: Path):
    main = tmp_path / "main.p4"
    main.write_text("const bit<8> X = 1;\n")
    code, out, err = weir("check", main, "-I", "nowhere", "-I", main, "-I", tmp_path, "-W", "no-no-main")
    assert (code, out) == (0, "")
    assert err == f"warning: -I nowhere: there is no such folder\nwarning: -I {main}: is not a folder\n"


def test_check_defines(tmp_path: Path):
    main = tmp_path / "main.p4"
    main.write_text("#ifdef WRONG\n#error wrong\n#endif\nconst bit<8> X = WIDTH;\n")
    assert weir("check", main, "-D", "WIDTH=8", "-W", "no-no-main") == (0, "", "")
    assert weir("check", main, "-D", "WIDTH=8", "-D", "WRONG")[0] == 1


def test_unreadable_sources(tmp_path: Path):
    binary = tmp_path / "binary.p4"
    binary.write_bytes(b"\xff\xfd\0")
    (tmp_path / "router.p4").touch()
    for name, message in [
        ("missing.p4", "no such file"),
        ("routr.p4", f'no such file; did you mean "{tmp_path / "router.p4"}"?'),
        ("", "is a directory, expected a file"),
        ("binary.p4", "is not text (byte 2 is 0)"),
    ]:
        path = tmp_path / name
        assert weir("check", path) == (1, "", f"error: {path}: {message}\n")


def test_json_that_is_no_program(tmp_path: Path):
    (tmp_path / "topology.json").write_text('\n{"hosts": {}}\n')
    code, out, err = weir("check", tmp_path / "topology.json")
    assert (code, out) == (1, "")
    assert "topology.json:2:1: $: this JSON carries no P4 program, and p4c did not compile it" in err


def test_sources_with_other_characters(tmp_path: Path):
    """Comments and strings can contain any bytes; names cannot."""
    main = tmp_path / "main.p4"
    main.write_bytes(b'// r\xe9seau\n#include "inner.p4"\n@text("\xfc") const bit<8> X = Y;\n')
    (tmp_path / "inner.p4").write_bytes(b"const bit<8> Y = 1; // \xe9t\xe9\n")
    assert weir("check", main, "-W", "no-no-main") == (0, "", "")
    main.write_bytes(b"const bit<8> \xe9 = 1;\n")
    assert weir("check", main, "-W", "no-no-main")[0] == 1
    (tmp_path / "inner.p4").write_bytes(b"const bit<8> Y = 1; // \0\n")
    main.write_text('#include "inner.p4"\n')
    code, _, err = weir("check", main, "-W", "no-no-main")
    assert code == 1 and "is not text (byte 23 is 0)" in err


def test_a_file_without_end():
    if not Path("/dev/zero").exists():
        pytest.skip("this system has no /dev/zero")
    assert weir("check", "/dev/zero") == (1, "", "error: /dev/zero: is larger than 16 MiB\n")


def test_an_include_that_is_a_folder(tmp_path: Path):
    (tmp_path / "x.p4").mkdir()
    main = tmp_path / "main.p4"
    main.write_text('#include "x.p4"\n')
    code, _, err = weir("check", main)
    assert code == 1
    assert f"{main}:1:" in err
    assert "is a directory" in err


def test_an_include_that_is_a_pipe(tmp_path: Path):
    os.mkfifo(tmp_path / "x.p4")
    main = tmp_path / "main.p4"
    main.write_text('#include "x.p4"\n')
    code, out, err = weir("check", main)
    assert code == 1 and "x.p4 cannot be read: it is a pipe, socket or device" in out + err


def test_a_missing_include_lists_files_and_no_links_to_nowhere(tmp_path: Path):
    (tmp_path / "parts.p4").write_text("const bit<8> X = 1;\n")
    (tmp_path / "part.p4").symlink_to(tmp_path / "gone.p4")
    (tmp_path / "pars.p4").symlink_to(tmp_path / "parts.p4")
    program = tmp_path / "main.p4"
    program.write_text("#include <partz.p4>\n")
    code, _, err = weir("check", "-I", tmp_path, program)
    assert code == 1
    assert "parts.p4" in err
    assert "part.p4" not in err


def test_a_program_that_forgot_main_gets_a_warning(tmp_path: Path):
    file = tmp_path / "router.p4"
    text = (NET / "router.p4").read_text()
    file.write_text(text[: text.index("V1Switch(")])
    code, out, err = weir("check", file)
    assert code == 0
    assert "warning[no-main]: this program has no `main`: it is checked, but it cannot be loaded" in out + err
    assert "end the program with an instance of the package: `V1Switch(…) main;`" in out + err


def test_check_says_whether_large_frames_pass_whole(tmp_path: Path):
    router = NET / "router.p4"
    code, out, err = weir("check", "--gso", router)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "GSO frames pass the program as they are",
        "partial checksums pass the program as they are",
    ]
    source = router.read_text()
    counting = tmp_path / "counting.p4"
    counting.write_text(
        source.replace("hdr.ipv4.ttl - 1;", "hdr.ipv4.ttl - (bit<8>)standard_metadata.packet_length;")
    )
    assert counting.read_text() != source
    code, out, _ = weir("check", "--gso", counting)
    assert code == 0
    assert re.match(
        rf"GSO frames \(all\) are cut before the program runs: {counting}:\d+:\d+: "
        "the program reads `standard_metadata.packet_length`",
        out,
    )
