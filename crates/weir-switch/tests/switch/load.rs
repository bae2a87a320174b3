//! Programs that cannot become a switch are refused with the place and the reason.

use crate::bench::{Bench, arrivals_with_field, config, executor, packet, send};
use weir_ir::{Program, ValidProgram};
use weir_switch::{LoadErrorKind, Switch, arch};

fn valid(program: Program) -> ValidProgram {
    weir_ir::validate(program).expect("the program is valid")
}

fn refused(bench: Bench) -> String {
    bench.load(config()).err().expect("the program is refused").to_string()
}

#[test]
fn unknown_packages() {
    assert_eq!(
        refused(Bench { package: "V1Swich", ..Bench::default() }),
        "bench.p4:99:1: Weir has no architecture with the package `V1Swich`; Weir runs programs of `V1Switch`, `PSA_Switch`, `PNA_NIC`, `ebpfFilter`, `xdp`, `ubpf`, `Switch`; did you mean `V1Switch`?"
    );
    let empty = Switch::new(executor(valid(Program::default())), config());
    assert_eq!(
        empty.err().map(|e| e.to_string()).as_deref(),
        Some(
            "the program has no `main` package; expected one of: `V1Switch`, `PSA_Switch`, `PNA_NIC`, `ebpfFilter`, `xdp`, `ubpf`, `Switch`"
        )
    );
}

#[test]
fn unknown_externs_and_overloads_are_refused() {
    let ingress = |ingress| refused(Bench { ingress, ..Bench::default() });
    assert!(ingress("if true { extern mark_to_dorp(); @61:9 }").starts_with(
        "bench.p4:61:9: extern `mark_to_dorp` is not supported; did you mean `mark_to_drop`? If not: there is no code"
    ));
    let own = ingress("extern InternetChecksum.add(in data = { hdr.tag.port }); @62:9");
    assert!(own.starts_with(
        "bench.p4:62:9: extern `InternetChecksum.add` is not supported; there is no code for this extern, which the program declares: "
    ));
    assert!(own.contains("on a host; v1model has: Checksum16.get, assert, "), "{own}");
}

/// Tests calls that lack an argument, have a list where one value is needed, or have the wrong
/// object.
#[test]
fn calls_that_do_not_fit_their_extern() {
    let items = "extern ingress.cells: register<bit<16>>(32w16)
                 extern ingress.counts: counter(32w16, CounterType::packets)
                 extern ingress.pace: meter(32w16, MeterType::packets)
                 extern ingress.rate: direct_meter<bit<8>>(MeterType::packets)
                 extern ingress.sum: Checksum16()";
    let list = "{ hdr.tag.port, hdr.tag.count }";
    let two = "&[meta.count, meta.lost]";
    let sum = "in algo = HashAlgorithm::csum16";
    let calls = [
        ("assert", "()".to_owned(), "it needs an argument 1"),
        ("assume", format!("(in check = {list})"), "argument 1 must be a single value"),
        ("clone", "(in type = CloneType::I2E)".to_owned(), "it needs an argument 2"),
        (
            "clone3",
            format!("(in type = CloneType::I2E, in session = {list})"),
            "argument 2 must be a single value",
        ),
        (
            "clone_preserving_field_list",
            "(in type = CloneType::I2E, in session = 32w1)".to_owned(),
            "it needs an argument 3",
        ),
        ("counter.count on ingress.counts", "()".to_owned(), "it needs an argument 1"),
        (
            "counter.count on ingress.cells",
            "(in index = 32w1)".to_owned(),
            "`ingress.cells` is a register, not a counter",
        ),
        ("digest", "(in receiver = 32w1)".to_owned(), "it needs an argument 2"),
        (
            "direct_meter.read on ingress.rate",
            format!("(out result = {two})"),
            "argument 1 must be a single value",
        ),
        (
            "direct_meter.read on ingress.pace",
            "(out result = &[tmp16])".to_owned(),
            "`ingress.pace` is a meter, not a direct_meter",
        ),
        (
            "hash",
            format!("(out result = {two}, {sum}, in base = 16w0, in data = {list}, in max = 16w9)"),
            "argument 1 must be a single value",
        ),
        (
            "hash",
            format!("(out result = &[tmp16], {sum}, in base = 16w0, in data = {list})"),
            "it needs an argument 5",
        ),
        ("meter.execute_meter on ingress.pace", "(in index = 32w1)".to_owned(), "it needs an argument 2"),
        (
            "meter.execute_meter on ingress.sum",
            "(in index = 32w1, out result = &[tmp16])".to_owned(),
            "`ingress.sum` is a Checksum16, not a meter",
        ),
        ("random", "(out result = &[tmp16], in lo = 16w0)".to_owned(), "it needs an argument 3"),
        ("recirculate_preserving_field_list", "()".to_owned(), "it needs an argument 1"),
        (
            "resubmit_preserving_field_list",
            format!("(in index = {list})"),
            "argument 1 must be a single value",
        ),
        ("register.read on ingress.cells", "(out result = &[tmp16])".to_owned(), "it needs an argument 2"),
        (
            "register.read on ingress.counts",
            "(out result = &[tmp16], in index = 32w1)".to_owned(),
            "`ingress.counts` is a counter, not a register",
        ),
        (
            "register.write on ingress.cells",
            format!("(in index = {list}, in value = 16w1)"),
            "argument 1 must be a single value",
        ),
        ("register.write", "(in index = 32w1, in value = 16w1)".to_owned(), "it needs an object"),
        ("truncate", format!("(in length = {list})"), "argument 1 must be a single value"),
        (
            "update_checksum",
            format!("(in condition = true, in data = {list}, inout checksum = &[tmp16])"),
            "it needs an argument 4",
        ),
        (
            "verify_checksum",
            format!("(in condition = {list}, in data = {list}, in checksum = 16w1, {sum})"),
            "argument 1 must be a single value",
        ),
        ("Checksum16.get on ingress.sum", "()".to_owned(), "it needs an argument 1"),
    ];
    for (callee, args, problem) in calls {
        let ingress = format!("extern {callee}{args}; @63:9").leak();
        let name = callee.split(' ').next().unwrap();
        assert_eq!(
            refused(Bench { items, ingress, ..Bench::default() }),
            format!("bench.p4:63:9: this call of `{name}` does not fit its extern: {problem}")
        );
    }
}

#[test]
fn missing_extern_objects() {
    let items = |items| refused(Bench { items, ..Bench::default() });
    let own = items("extern ingress.sum: InternetChecksum() @12:5");
    assert!(own.starts_with(
        "bench.p4:12:5: extern object `ingress.sum` of type `InternetChecksum` is not supported; there is no code for "
    ));
    assert!(own.ends_with(
        "supported: Checksum16, action_profile, action_selector, counter, direct_counter, direct_meter, meter, register"
    ));
    assert_eq!(
        items(
            "extern ingress.places: counter(32w16, CounterType::packets)
             table ingress.t @10:5 { action NoAction default NoAction() implementation ingress.places }"
        ),
        "bench.p4:10:5: `implementation` of table `ingress.t` must be an action_profile or an action_selector, not a counter"
    );
    assert_eq!(
        items(
            "table ingress.t @14:5 { key hdr.tag.port: exakt hdr.tag.port @15:9 action NoAction default NoAction() }"
        ),
        "bench.p4:15:9: match kind `exakt` of table `ingress.t` is not supported"
    );
    assert_eq!(
        items(
            "table ingress.t @14:5 { key hdr.tag.port: lpm hdr.tag.port @15:9 action NoAction default NoAction()
             entry (16w5 &&& 16w5) -> NoAction() @16:9 }"
        ),
        "bench.p4:16:9: this entry of table `ingress.t` does not fit its `lpm` key `hdr.tag.port`"
    );
}

/// Returns the bench program as a compiler leaves it: each block has its own variables, which
/// blocks share only after binding.
fn unbound_program() -> Program {
    let bench = Bench {
        ingress: "sm.egress_spec = bit<9>(hdr.tag.port); meta.count = 8w3;",
        egress: "hdr.tag.seen = bit<16>(meta.count);",
        ..Bench::default()
    };
    let mut text = weir_ir::text::print(&bench.program());
    let storage = ["header hdr.", "var meta.", "var sm."];
    let declarations = text.lines().filter(|line| storage.iter().any(|begin| line.starts_with(begin)));
    let declarations = declarations.collect::<Vec<_>>().join("\n");
    for block in ["vr", "ig", "eg", "ck", "dep"] {
        let own = |text: &str| {
            let prefixed = |text: String, name: &&str| text.replace(name, &format!("{block}.{name}"));
            ["hdr.", "meta.", "sm."].iter().fold(text.to_owned(), prefixed)
        };
        let start = text.find(&format!("control {block} ")).unwrap();
        let end = start + text[start..].find("\n}\n").unwrap();
        text =
            format!("{}{}\n{}{}", &text[..start], own(&declarations), own(&text[start..end]), &text[end..]);
    }
    weir_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn unbound_blocks_are_refused() {
    let load = |program| Switch::new(executor(program), config());
    let error = load(valid(unbound_program())).err().expect("it is not bound");
    assert_eq!((error.kind, error.place), (LoadErrorKind::NotBound, None));
    assert!(error.message.starts_with("the blocks of `V1Switch` do not share"), "{}", error.message);
    let bound = arch::bind(valid(unbound_program())).unwrap();
    assert_eq!(arch::bind(bound.clone()).as_ref(), Ok(&bound), "binding what is bound changes nothing");
    let mut switch = load(bound).unwrap();
    assert_eq!(arrivals_with_field(&send(&mut switch, 0, 1, packet(0, 2, b""))), [(1_000, 2, 3)]);
}

#[test]
fn blocks_that_do_not_fit_each_other() {
    let mut program = unbound_program();
    let ingress = program.controls.values_mut().find(|control| control.name == "ig").unwrap();
    ingress.params[1].storage.vars.pop();
    ingress.params[1].storage.paths.pop();
    let message = arch::bind(valid(program)).unwrap_err().to_string();
    assert!(message.starts_with("bench.p4:99:1: "), "{message}");
    assert!(message.contains("metadata_t"), "{message}");
}

/// Tests that all cells of a program are counted together, before any is made, and that the switch
/// names the object that is too large.
#[test]
fn cells_have_a_limit_in_bytes() {
    let items = |items: &str| {
        let items: &str = items.to_owned().leak();
        Bench { items, ..Bench::default() }.load(config()).map(drop)
    };
    let refused = |text: &str| items(text).expect_err("the program is refused");
    let counter = |name: &str, cells: &str| {
        format!("extern ingress.{name}: counter({cells}, CounterType::packets_and_bytes) @13:5\n")
    };
    let error = refused(&(counter("half", "32w0x2000000") + &counter("rest", "32w0x2000001")));
    assert_eq!(error.kind, LoadErrorKind::TooLarge);
    assert_eq!(
        error.to_string(),
        "bench.p4:13:5: counter `ingress.rest` is too large: its 33554433 cells take up to 16 bytes each, and \
         536870912 bytes are left; a program's counters, meters and registers may take 1024 MiB together; \
         direct ones do not count"
    );
    let all = counter("half", "32w0x2000000") + &counter("rest", "32w0x2000000");
    assert!(items(&all).is_ok(), "cells that nobody uses take no memory");
    let more = [
        ("register<bit<1>>(1w1)", "1 cells take up to 8 bytes each, and 0 bytes"),
        ("meter(32w3, MeterType::bytes)", "its 3 cells take up to "),
    ];
    for (object, expected) in more {
        let error = refused(&format!("{all}extern ingress.more: {object}")).to_string();
        assert!(error.contains("`ingress.more` is too large") && error.contains(expected), "{error}");
    }
    let alone = [
        "register<bit<48>>(64w0xffffffffffffffff)",
        "register<bit<2048>>(32w0x1000000)",
        "meter(32w0x4000000, MeterType::packets)",
        "counter(128w0x10000000000000000, CounterType::packets)",
    ];
    for object in alone {
        let error = refused(&format!("extern ingress.alone: {object} @9:2")).to_string();
        assert!(
            error.starts_with("bench.p4:9:2: ") && error.contains("1073741824 bytes are left"),
            "{error}"
        );
    }
}

#[test]
fn entry_memory() {
    let table = |name: &str, attached: &str| {
        format!(
            "table ingress.{name} @20:5 {{ key hdr.tag.port: exact hdr.tag.port @21:9 action NoAction default NoAction()
             attached {attached} }}"
        )
    };
    let items = |tables: &[String]| {
        let objects = "extern ingress.hits: direct_counter(CounterType::packets)
                       extern ingress.pace: direct_meter<bit<8>>(MeterType::bytes)
                       extern ingress.memory: register<bit<8>>(32w4)";
        refused(Bench {
            items: Box::leak(format!("{objects}\n{}", tables.join("\n")).into_boxed_str()),
            ..Bench::default()
        })
    };
    assert_eq!(
        items(&[table("t", "counters = ingress.pace")]),
        "bench.p4:20:5: `counters` of table `ingress.t` must be a direct_counter, not a direct_meter"
    );
    assert_eq!(
        items(&[table("t", "registers = ingress.memory")]),
        "bench.p4:20:5: `registers` of table `ingress.t` (register) is not supported; v1model's tables have `counters`, a \
         direct_counter, and `meters`, a direct_meter"
    );
    assert_eq!(
        items(&[table("t", "counters = ingress.hits"), table("u", "counters = ingress.hits")]),
        "bench.p4:20:5: the direct_counter `ingress.hits` has a cell for each entry of one table, but tables `ingress.t` and \
         `ingress.u` both name it"
    );
}
