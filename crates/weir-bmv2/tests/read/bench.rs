//! Assembles documents from parts, and runs tests of the simple test framework on them.

use std::sync::Arc;

use weir_exec::Executor;
use weir_interp::Interpreter;
use weir_json::Document;
use weir_native::Native;
use weir_stf::{Outcome, Program};
use weir_switch::arch;

/// The parts of a document that matter to a test, with defaults for all other parts.
#[derive(Clone)]
pub struct Parts {
    /// The fields of the header `h`, which the parser extracts.
    pub fields: &'static str,
    /// Further header types, each with a comma before.
    pub types: &'static str,
    /// Further headers, each with a comma before.
    pub headers: &'static str,
    /// Further members of the document, each with a comma after it.
    pub members: &'static str,
    /// The parser's states.
    pub states: &'static str,
    /// The actions.
    pub actions: String,
    /// The pipeline `ingress` without its name.
    pub ingress: &'static str,
    /// The names of the headers that are emitted.
    pub order: &'static str,
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            fields: r#"["a", 8], ["b", 8], ["c", 16]"#,
            types: "",
            headers: "",
            members: "",
            states: r#"{"name": "start", "id": 0, "transition_key": [],
                "parser_ops": [{"op": "extract", "parameters": [{"type": "regular", "value": "h"}]}],
                "transitions": [{"type": "default", "value": null, "mask": null, "next_state": null}]}"#,
            actions: String::new(),
            ingress: r#""init_table": null, "tables": [], "conditionals": []"#,
            order: r#""h""#,
        }
    }
}

/// A pipeline that runs the action with the id 0 through a table that p4c would create for it.
pub const RUN: &str = r#""init_table": "tbl_run", "conditionals": [], "tables": [{"name": "tbl_run", "id": 0,
    "key": [], "match_type": "exact", "type": "simple", "max_size": 1024, "action_ids": [0], "actions": ["run"],
    "next_tables": {"run": null}, "base_default_next": null,
    "default_entry": {"action_id": 0, "action_const": true, "action_data": [], "action_entry_const": true}}]"#;

/// Returns an action that runs these primitives and sends every packet to port 1.
pub fn run(primitives: &str) -> String {
    action(0, "run", "", primitives)
}

/// Returns an action with its data and primitives.
pub fn action(id: u32, name: &str, data: &str, primitives: &str) -> String {
    format!(r#"{{"name": "{name}", "id": {id}, "runtime_data": [{data}], "primitives": [{primitives}]}}"#)
}

/// Returns a primitive that assigns a value to a field.
pub fn assign(header: &str, field: &str, value: &str) -> String {
    format!(
        r#"{{"op": "assign", "parameters": [{{"type": "field", "value": ["{header}", "{field}"]}}, {value}]}}"#
    )
}

/// Returns the primitive that sends to port 1.
pub fn send_to_port_1() -> String {
    assign("standard_metadata", "egress_spec", r#"{"type": "hexstr", "value": "0x1"}"#)
}

/// Returns a field as a value.
pub fn field_value(name: &str) -> String {
    format!(r#"{{"type": "field", "value": ["h", "{name}"]}}"#)
}

/// Returns a number as a value.
pub fn hex_value(digits: &str) -> String {
    format!(r#"{{"type": "hexstr", "value": "{digits}"}}"#)
}

/// Returns an operation as a value; `left` is `null` for an operation with a single operand.
pub fn operation(op: &str, left: &str, right: &str) -> String {
    format!(
        r#"{{"type": "expression", "value": {{"type": "expression", "value":
            {{"op": "{op}", "left": {left}, "right": {right}}}}}}}"#
    )
}

impl Parts {
    /// Returns the whole document.
    pub fn json(&self) -> String {
        let Self { fields, types, headers, members, states, actions, ingress, order } = self;
        format!(
            r#"{{{members}
            "header_types": [{{"name": "h_t", "id": 0, "fields": [{fields}]}},
                {{"name": "meta_t", "id": 1, "fields": [["x", 16, false], ["flag", 1, 0], ["s", 8, true]]}},
                {{"name": "standard_metadata", "id": 2, "fields": [["ingress_port", 9], ["egress_spec", 9],
                    ["egress_port", 9], ["instance_type", 32], ["packet_length", 32], ["mcast_grp", 16],
                    ["parser_error", 32], ["checksum_error", 1], ["_padding", 3]]}}{types}],
            "headers": [{{"name": "h", "id": 0, "header_type": "h_t", "metadata": false}},
                {{"name": "meta", "id": 1, "header_type": "meta_t", "metadata": true}},
                {{"name": "standard_metadata", "id": 2, "header_type": "standard_metadata", "metadata": true}}
                {headers}],
            "parsers": [{{"name": "parser", "id": 0, "init_state": "start", "parse_states": [{states}]}}],
            "deparsers": [{{"name": "deparser", "id": 0, "order": [{order}]}}],
            "actions": [{actions}],
            "pipelines": [{{"name": "ingress", "id": 0, {ingress}}},
                {{"name": "egress", "id": 1, "init_table": null, "tables": [], "conditionals": []}}],
            "program": "test.p4", "__meta__": {{"version": [2, 23]}}}}"#
        )
    }

    /// Checks the document with a test, on both executors.
    pub fn test(&self, text: &str) {
        for outcome in self.outcomes(text) {
            assert!(outcome.failures.is_empty(), "{:#?}", outcome.failures);
        }
    }

    /// Returns the outcomes of a test with both executors.
    pub fn outcomes(&self, text: &str) -> Vec<Outcome> {
        let document = Document::parse("test.json", self.json()).unwrap_or_else(|error| panic!("{error}"));
        let program = weir_bmv2::read(&document).unwrap_or_else(|error| panic!("{error}"));
        assert_round_trip(&program);
        let program = arch::bind(program).unwrap_or_else(|error| panic!("{error}"));
        let interpreter: Arc<dyn Executor> = Arc::new(Interpreter::new(program.clone()));
        let native: Arc<dyn Executor> = Arc::new(Native::new(program).expect("there is machine code"));
        let run = |untraced: Arc<dyn Executor>| {
            let traced = Arc::clone(&interpreter);
            let program = Program {
                file: "test.p4",
                untraced,
                traced,
                source: &|_| String::new(),
                interrupt: &|| false,
            };
            weir_stf::run(&program, text).unwrap_or_else(|mistake| panic!("{mistake:?}")).expect("it ends")
        };
        vec![run(Arc::clone(&interpreter)), run(native)]
    }

    /// Returns the reason why the document is refused.
    pub fn refusal(&self) -> String {
        let document = Document::parse("test.json", self.json()).unwrap_or_else(|error| panic!("{error}"));
        weir_bmv2::read(&document).map(drop).expect_err("it is refused").to_string()
    }
}

/// The text form of the IR holds all of a program.
fn assert_round_trip(program: &weir_ir::ValidProgram) {
    let text = weir_ir::text::print(program);
    let again = weir_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(&again, &**program);
}
