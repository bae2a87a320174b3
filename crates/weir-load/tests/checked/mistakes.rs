//! Tests mistakes that only the whole check finds, such as mistakes in the use of an architecture.

use std::fs;

use weir_load::{Checked, check};
use weir_syntax::preprocess::{LoadError, LoadedSource, SourceLoader};

use crate::program::{Text, checked, p4info, root};

fn rendered(text: &str) -> String {
    let Checked { diagnostics, sources } = checked(text);
    diagnostics.render(&sources, false)
}

/// Returns a program for v1model with these declarations before its ingress, these declarations in
/// its ingress, and these statements in the `apply` of its ingress.
fn v1model(before: &str, locals: &str, apply: &str) -> String {
    format!(
        "#include <core.p4>
#include <v1model.p4>
header tag_t {{ bit<16> port; varbit<32> rest; }}
struct headers_t {{ tag_t tag; }}
struct meta_t {{ }}
{before}
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {{
    state start {{ packet.extract(hdr.tag, 8); transition accept; }}
}}
control V(inout headers_t hdr, inout meta_t meta) {{ apply {{ }} }}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {{
    {locals}
    apply {{ {apply} }}
}}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {{ apply {{ }} }}
control D(packet_out packet, in headers_t hdr) {{ apply {{ packet.emit(hdr.tag); }} }}
V1Switch(P(), V(), I(), E(), V(), D()) main;
"
    )
}

#[test]
fn loadable_programs_have_no_diagnostics() {
    assert_eq!(rendered(&v1model("", "", "mark_to_drop(sm);")), "");
}

/// Like [`Text`], but the ports of v1model.p4 have this width.
struct PortWidth(Text, u32);

impl SourceLoader for PortWidth {
    fn load(&self, name: &str, system: bool, from: Option<&str>) -> Result<LoadedSource, LoadError> {
        let mut source = self.0.load(name, system, from)?;
        if name == "v1model.p4" {
            source.text = source.text.replace("bit<9>", &format!("bit<{}>", self.1));
        }
        Ok(source)
    }
}

#[test]
fn ports_have_at_most_32_bits() {
    let text = v1model("", "", "sm.egress_spec = 2;");
    let rendered = |width| {
        let Checked { diagnostics, sources } =
            check("main.p4", &PortWidth(Text(text.clone()), width), &[], p4info, None);
        diagnostics.render(&sources, false)
    };
    for width in [8, 9, 16, 32] {
        assert_eq!(rendered(width), "");
    }
    for width in [33, 64] {
        let rendered = rendered(width);
        let first =
            format!("error[unsupported-by-architecture]: `ingress_port` of {width} bits is not supported\n");
        assert!(rendered.starts_with(&first), "{rendered}");
        assert!(rendered.contains("--> main.p4:7:92"), "{rendered}");
        let help = "the ports of v1model have 9 bits, those of its variants up to 32: include <v1model.p4>";
        assert!(rendered.replace("\n  ", "").contains(help), "{rendered}");
    }
}

#[test]
fn wrong_ids_in_headers_for_controllers_have_a_place() {
    let header = "@controller_header(\"packet_in\") header in_t { @id(0) bit<16> port; }";
    let apply = "x.setValid(); x.port = 1; sm.egress_spec = x.port[8:0];";
    let rendered = rendered(&v1model(header, "in_t x;", apply));
    let at = rendered.find("warning[p4info]: `port` of the controller header `packet_in`").expect(&rendered);
    let place = rendered[at..].lines().nth(1).expect("a place is below");
    assert!(place.trim_start().starts_with("--> main.p4:"), "{rendered}");
}

#[test]
fn unknown_externs_are_refused() {
    let text = v1model("extern void mark_to_dorp(inout standard_metadata_t sm);", "", "mark_to_dorp(sm);");
    assert_eq!(
        rendered(&text),
        "error[unsupported-by-architecture]: extern `mark_to_dorp` is not supported
  --> main.p4:13:13
   |
13 |     apply { mark_to_dorp(sm); }
   |             ^^^^^^^^^^^^
   |
   = note: did you mean `mark_to_drop`? If not: there is no code for this extern, which the program declares: give the code in Python (`weir.compile(…, externs=…)`), compute it in a function, action or table, keep state in a `register`, or send the packet to a program on a host
"
    );
}

#[test]
fn unknown_match_kinds_are_refused() {
    let text = v1model(
        "match_kind { nearly }",
        "table t { key = { hdr.tag.port: nearly; } actions = { NoAction; } }",
        "t.apply();",
    );
    let message = rendered(&text);
    let place = "  --> main.p4:12:23
   |
12 |     table t { key = { hdr.tag.port: nearly; } actions = { NoAction; } }
   |                       ^^^^^^^^^^^^
";
    assert!(
        message.starts_with("error[unsupported-by-architecture]: ") && message.contains(place),
        "{message}"
    );
}

#[test]
fn a_selector_key_without_an_action_selector() {
    let table = |rest: &str| {
        let text = "action_profile(8) p; action_selector(HashAlgorithm.crc16, 8, 8) s;
    table t { key = { hdr.tag.port: selector; } actions = { NoAction; } ";
        v1model("", &format!("{text}{rest} }}"), "t.apply();")
    };
    let ignored = "warning[ignored-selector]: the `selector` key `hdr.tag.port` of table `I.t` is ignored
  --> main.p4:13:23
";
    let said = rendered(&table(""));
    assert!(said.contains(ignored), "{said}");
    assert!(!checked(&table("")).diagnostics.has_errors());
    let said = rendered(&table("implementation = p;"));
    assert!(said.contains(ignored), "{said}");
    assert!(!rendered(&table("implementation = s;")).contains("ignored-selector"));
}

#[test]
fn a_register_of_varbit() {
    let message = rendered(&v1model("", "register<varbit<32>>(4) r;", "r.write(0, hdr.tag.rest);"));
    let place = "  --> main.p4:12:29
   |
12 |     register<varbit<32>>(4) r;
   |                             ^
";
    assert!(message.starts_with("error[architecture-mismatch]: register `I.r`: "), "{message}");
    assert!(message.contains(place), "{message}");
}

#[test]
fn a_program_without_main_gets_a_note() {
    assert_eq!(
        rendered("control c() { apply { } }\n\n"),
        "note[no-main]: this program has no `main`: it is checked, but it cannot be loaded
 --> main.p4:1:26
  |
1 | control c() { apply { } }
  |                          ^ no instance of a package called `main`
"
    );
    assert!(!checked("control c() { apply { } }").diagnostics.has_errors());
    let wrong = rendered("control c() { apply { x = 1; } }");
    assert!(wrong.contains("error[unknown-name]") && !wrong.contains("no-main"), "{wrong}");
}

#[test]
fn a_missing_main_names_the_package_of_the_program() {
    let blocks = "parser P(packet_in p) { state start { transition accept; } } control C() { apply { } }\n";
    let nested = "parser Any(packet_in p); package Inner(Any a); package Outer<T>(T a);\n";
    let output = rendered(&format!("#include <core.p4>\n{nested}{blocks}"));
    assert!(output.contains("an instance of the package: `Outer(…) main;`"), "{output}");
}

#[test]
fn unknown_architectures_are_noted() {
    let text = "control c() { apply { } }\ncontrol any();\npackage Top(any a);\nTop(c()) main;\n";
    assert_eq!(
        rendered(text),
        "note[unknown-architecture]: Weir has no architecture with the package `Top`: the program is checked, but it cannot be loaded
 --> main.p4:4:1
  |
4 | Top(c()) main;
  | ^^^^^^^^^^^^^^
  |
  = note: Weir runs programs of `V1Switch`, `PSA_Switch`, `PNA_NIC`, `ebpfFilter`, `xdp`, `ubpf`, `Switch`
"
    );
}

#[test]
fn a_package_with_only_the_name_of_an_architecture_is_noted() {
    let text = "control c() { apply { } }\ncontrol any();\npackage V1Switch(any a);\nV1Switch(c()) main;\n";
    assert_eq!(
        rendered(text),
        "note[unknown-architecture]: this package `V1Switch` is not v1model's: its argument 1 is not a parser with 4 parameters
 --> main.p4:4:15
  |
4 | V1Switch(c()) main;
  |               ^^^^
  |
  = note: the program is checked, but it cannot be loaded
"
    );
}

#[test]
fn instance_errors_are_found() {
    let findings = |name: &str| -> Vec<&str> {
        let path = root().join("testdata/lower/refused").join(name);
        let result = checked(&fs::read_to_string(path).unwrap());
        let errors = result.diagnostics.iter().filter(|found| found.severity == weir_syntax::Severity::Error);
        errors.map(|found| found.id).collect()
    };
    let names = findings("names.p4");
    assert!(!names.is_empty() && names.iter().all(|id| *id == "duplicate-control-plane-name"), "{names:?}");
    assert_eq!(findings("several.p4"), [""; 0], "it is valid, and its architecture decides nothing");
}

#[test]
fn the_target_is_a_macro() {
    let text = "#ifdef __TARGET_BMV2__
const bit<8> OURS = __TARGET_BMV2__;
#elif defined(__TARGET_OTHER__)
const bool OTHER = 1;
#endif";
    assert!(!checked(text).diagnostics.has_errors());
    let other = [("__TARGET_OTHER__".to_owned(), String::new())];
    assert!(check("main.p4", &Text(text.to_owned()), &other, p4info, None).diagnostics.has_errors());
}

#[test]
fn externs_of_the_program_are_refused_with_what_to_do() {
    let object = v1model(
        "extern Sketch { Sketch(bit<32> size); void add(in bit<16> x); }",
        "Sketch(64) sketch;",
        "sketch.add(hdr.tag.port);",
    );
    let function = v1model("extern void count_down(inout bit<16> x);", "", "count_down(hdr.tag.port);");
    for (program, what) in [(object, "`I.sketch` of type `Sketch`"), (function, "extern `count_down`")] {
        let text = rendered(&program);
        assert!(text.contains(&format!("{what} is not supported")), "{text}");
        assert!(text.contains("keep state in a `register`"), "{text}");
    }
}

#[test]
fn action_data_may_be_an_argument_without_direction() {
    let render = |locals: &str, apply: &str| {
        rendered(&v1model(
            "extern void send(bit<16> port); bool is(bit<16> a, in bit<16> b) { return a == b; }",
            locals,
            apply,
        ))
    };
    let output = render(
        "action to(bit<16> port) { send(port); send(port + 1); if (is(port, 3)) { send(3); } }",
        "to(3);",
    );
    assert!(!output.contains("not-constant"), "{output}");
    let output = render("", "send(hdr.tag.port);");
    assert!(output.contains("error[not-constant]"), "{output}");
    let output = render("action again(bit<8> index) { resubmit_preserving_field_list(index); }", "again(1);");
    assert!(!output.contains("error["), "{output}");
}

#[test]
fn a_translation_of_no_new_type_is_a_warning() {
    let translated = "@p4runtime_translation(\"example.org/port\", 32)";
    for declaration in ["typedef bit<16> port_t;", "struct port_t { bit<16> number; }"] {
        let text = v1model(&format!("{translated} {declaration}"), "", "mark_to_drop(sm);");
        let output = rendered(&text);
        assert!(
            output.starts_with("warning[ignored-annotation]: `@p4runtime_translation` has no effect on "),
            "{output}"
        );
        assert!(
            output.contains("main.p4:6:1") && output.contains("on a type declared with `type`"),
            "{output}"
        );
    }
    let text = v1model(&format!("{translated} type bit<16> port_t;"), "", "mark_to_drop(sm);");
    assert_eq!(rendered(&text), "");
}

/// `simple_switch` exits when it runs such a call.
#[test]
fn log_lines_have_as_many_placeholders_as_values() {
    let said = |call: &str| rendered(&v1model("", "", call));
    let few = said("log_msg(\"port {}, {}\", { sm.ingress_port });");
    let warning = "warning[log-places]: the text of `log_msg` has 2 placeholders, but the call has 1 value: the other placeholders stay `{}`
  --> main.p4:";
    assert!(few.contains(warning), "{few}");
    let many = said("log_msg(\"port {}\", { sm.ingress_port, hdr.tag.port, 8w1 });");
    let warning = "warning[log-places]: the text of `log_msg` has 1 placeholder, but the call has 3 values: the other values are not shown
  --> main.p4:";
    assert!(many.contains(warning), "{many}");
    for call in [
        "log_msg(\"port {}, {}\", { sm.ingress_port, hdr.tag.port });",
        "log_msg(\"nothing\");",
        "log_msg(\"a \\\\{brace\\\\} {}\", { sm.ingress_port });",
        "log_msg(\"list {} {}\", { { 8w1, 8w2 }, 8w3 });",
    ] {
        assert!(!said(call).contains("log-places"), "{call}: {}", said(call));
    }
}
