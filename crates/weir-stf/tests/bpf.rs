//! Tests of the models of p4c's BPF targets: the programs of `testdata/bpf` with their packets, on
//! the interpreter and on native code.

#![expect(clippy::disallowed_methods, reason = "tests read their programs")]

#[path = "portable/mod.rs"]
mod portable;

use std::fs;
use std::path::Path;

use portable::{both_executors, compile_and_bind, load_errors, run_test};
use weir_ir::ValidProgram;
use weir_switch::control::Schema;
use weir_switch::{LoadError, arch};
use weir_syntax::preprocess::MemoryLoader;

const MODELS: [&str; 3] = ["ebpf_model", "ubpf_model", "xdp_model"];

fn text(file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/bpf");
    fs::read_to_string(folder.join(file)).expect("the file exists")
}

fn bind(text: &str) -> Result<ValidProgram, LoadError> {
    let loader = MemoryLoader::new()
        .with("program.p4", text)
        .with("core.p4", include_str!("../../../p4include/core.p4"))
        .with("ebpf_model.p4", include_str!("../../../p4include/ebpf_model.p4"))
        .with("ubpf_model.p4", include_str!("../../../p4include/ubpf_model.p4"))
        .with("xdp_model.p4", include_str!("../../../p4include/xdp_model.p4"));
    compile_and_bind(&loader)
}

/// Returns the errors of a model's program after the replacement of a text in it.
fn errors(model: &str, from: &str, to: &str) -> String {
    let text = text(&format!("{model}.p4"));
    assert!(text.contains(from), "{from}");
    load_errors(bind(&text.replacen(from, to, 1)))
}

#[test]
fn packets_take_the_paths_of_each_model_and_externs_compute() {
    for model in MODELS {
        let test = text(&format!("{model}.stf"));
        run_test(
            model,
            both_executors(bind(&text(&format!("{model}.p4"))).expect("it binds")),
            &test,
            (9, 7),
        );
    }
}

#[test]
fn blocks_without_headers_are_prepared_too() {
    let filter = "#include <ebpf_model.p4>
        struct headers_t { }
        parser P(packet_in packet, out headers_t headers) { state start { transition accept; } }
        control F(inout headers_t headers, out bool accept) { apply { accept = true; } }
        ebpfFilter(P(), F()) main;";
    assert_eq!(load_errors(bind(filter)), "");
}

#[test]
fn maps_give_tables_their_sizes_and_are_no_profiles() {
    let program = bind(&text("ebpf_model.p4")).expect("it binds");
    let view = arch::control_view(&program);
    let schema = Schema::from_program(&program, view);
    let tables: Vec<_> =
        schema.tables.iter().map(|table| (table.name.as_str(), table.size, table.profile)).collect();
    assert_eq!(tables, [("F.blocked", Some(64), None), ("F.ranges", Some(64), None)]);
    assert_eq!(view.name, Some("ebpf_model"));
}

#[test]
fn features_of_no_model_are_refused() {
    let found = errors("ebpf_model", "hash_table(64)", "hash_table(0)");
    assert!(found.contains("a map has room for at least one entry"), "{found}");
    let found = errors("xdp_model", "BPF_KTIME_GET_NS()", "BPF_PERF_EVENT_OUTPUT()");
    assert!(found.contains("nothing in Weir reads the kernel's ring of events"), "{found}");
    let found = errors("ubpf_model", "packet.emit(headers.note);", "mark_to_drop();");
    assert!(found.contains("`mark_to_drop` cannot be called in the deparser"), "{found}");
}

#[test]
fn a_sparse_array_is_warned_about() {
    let text = text("ebpf_model.p4").replacen("seen;", "seen; CounterArray(9, true) sparse;", 1);
    let text = text.replacen("seen.increment(", "sparse.increment(1); seen.increment(", 1);
    let warnings = arch::warnings(&bind(&text).expect("it binds"));
    let messages: Vec<_> = warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(messages, ["the sparse `CounterArray` `F.sparse` counts only indices below 9"]);
}
