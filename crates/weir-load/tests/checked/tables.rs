//! The parts of v1model's tables: their properties, and the counters and meters of their entries.

use weir_load::Checked;

use crate::program::checked;

/// Returns the output of `weir check` for a program with a table. The arguments are the
/// declarations before the table, a statement of its action, its key, its properties, and the
/// statements of ingress after the table is applied.
fn rendered(locals: &str, act: &str, key: &str, properties: &str, after: &str) -> String {
    let key = if key.is_empty() { String::new() } else { format!("key = {{ {key} }}") };
    let text = format!(
        "#include <v1model.p4>
header h_t {{ bit<32> a; bit<8> b; }}
struct headers_t {{ h_t h; }}
struct meta_t {{ @noWarn(\"unwritten-metadata\") bit<2> colour; }}
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {{
    state start {{ packet.extract(hdr.h); transition accept; }}
}}
control V(inout headers_t hdr, inout meta_t meta) {{ apply {{ }} }}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {{
    {locals}
    action to(bit<9> port) {{ sm.egress_spec = port; {act} }}
    table t {{
        {key}
        actions = {{ to; NoAction; }}
        {properties}
    }}
    apply {{ t.apply(); {after} }}
}}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {{
    apply {{ hdr.h.b = (bit<8>) meta.colour; }}
}}
control D(packet_out packet, in headers_t hdr) {{ apply {{ packet.emit(hdr.h); }} }}
V1Switch(P(), V(), I(), E(), V(), D()) main;
"
    );
    let Checked { diagnostics, sources } = checked(&text);
    let rendered = diagnostics.render(&sources, false);
    rendered.replace("\n          ", " ")
}

fn of_properties(properties: &str) -> String {
    rendered("", "", "hdr.h.a: exact;", properties, "")
}

const COUNTERS: &str = "direct_counter(CounterType.packets) c1; direct_counter(CounterType.bytes) c2;";
const METERS: &str = "direct_meter<bit<2>>(MeterType.packets) m1; direct_meter<bit<2>>(MeterType.bytes) m2; ";

/// p4c refuses lists of counters and meters, and a table of `simple_switch` has at most one counter
/// and one meter.
#[test]
fn a_table_has_one_counter_and_one_meter() {
    let counters = rendered(COUNTERS, "c1.count();", "hdr.h.a: exact;", "counters = { c1, c2 };", "");
    let expected = "error[architecture-mismatch]: `counters` of table `I.t` names several objects, but a \
                  table has one direct_counter\n";
    assert!(counters.starts_with(expected), "{counters}");
    assert!(counters.contains("--> main.p4:15:9"), "{counters}");
    let meters = rendered(METERS, "m1.read(meta.colour);", "hdr.h.a: exact;", "meters = { m1, m2 };", "");
    let expected = "error[architecture-mismatch]: `meters` of table `I.t` names several objects, but a \
                  table has one direct_meter\n";
    assert!(meters.starts_with(expected), "{meters}");
    let one =
        |locals: &str, act: &str, properties: &str| rendered(locals, act, "hdr.h.a: exact;", properties, "");
    assert_eq!(one("direct_counter(CounterType.packets) c;", "", "counters = c;"), "");
    assert_eq!(one("direct_counter(CounterType.packets) c;", "c.count();", "counters = c;"), "");
    assert_eq!(one("direct_meter<bit<2>>(MeterType.packets) m;", "m.read(meta.colour);", "meters = m;"), "");
}

#[test]
fn counters_and_meters_belong_to_tables() {
    let locals = "direct_counter(CounterType.packets) c;";
    let counter = rendered(locals, "c.count(); c.count();", "hdr.h.a: exact;", "", "");
    let expected =
        "warning[detached-counter]: `I.c` counts nothing: no table names this direct_counter in `counters`\n";
    assert!(counter.starts_with(expected), "{counter}");
    assert_eq!(counter.matches("warning").count(), 1, "once for each counter: {counter}");
    assert!(counter.contains("write `counters = c;` in the table whose hits it counts"), "{counter}");
    let locals = "direct_meter<bit<2>>(MeterType.packets) m;";
    let meter = rendered(locals, "m.read(meta.colour);", "hdr.h.a: exact;", "", "");
    let expected = "error[architecture-mismatch]: `I.m` meters nothing here: no table names this direct_meter in `meters`\n";
    assert!(meter.starts_with(expected), "{meter}");
    assert!(meter.contains("write `meters = m;` in the table whose packets it meters"), "{meter}");
}

#[test]
fn unknown_properties() {
    for (property, meant) in [
        ("suport_timeout = true;", "support_timeout"),
        ("counter = 5;", "counters"),
        ("implementaton = 3;", "implementation"),
        ("Size = 1024;", "size"),
    ] {
        let output = of_properties(property);
        let name = property.split(' ').next().unwrap();
        let expected =
            format!("warning[unknown-property]: the property `{name}` of table `I.t` has no effect\n");
        assert!(output.starts_with(&expected), "{output}");
        assert!(output.contains(&format!("did you mean `{meant}`?")), "{output}");
        assert!(output.contains("--> main.p4:15:9"), "{output}");
    }
    let timeout = of_properties("support_timeout = true; const entries = { 1: NoAction(); }");
    let expected = "warning[ignored-property]: `support_timeout` of table `I.t` has no effect\n";
    assert!(timeout.starts_with(expected), "{timeout}");
    assert!(timeout.contains("--> main.p4:15:9"), "{timeout}");
    for silent in ["support_timeout = true; entries", "support_timeout = false; const entries"] {
        assert_eq!(of_properties(&format!("{silent} = {{ 1: NoAction(); }}")), "", "{silent}");
    }
    let output = of_properties("alpm = true;");
    assert!(output.contains("v1model's tables have: actions, counters,"), "{output}");
    for known in ["size = 5;", "support_timeout = true;", "support_timeout = false;"] {
        assert_eq!(of_properties(known), "", "{known}");
    }
}

#[test]
fn properties_that_name_objects_take_nothing_else() {
    for (property, expected) in [
        ("counters", "a direct_counter"),
        ("meters", "a direct_meter"),
        ("implementation", "an action_profile or an action_selector"),
    ] {
        for value in ["5", "true", "\"c\""] {
            let output = of_properties(&format!("{property} = {value};"));
            let expected =
                format!("error[architecture-mismatch]: `{property}` of table `I.t` must be {expected}\n");
            assert!(output.starts_with(&expected), "{value}: {output}");
            assert!(output.contains("--> main.p4:15:9"), "{output}");
        }
        let output = of_properties(&format!("{property} = {{}};"));
        assert!(output.starts_with("error[not-supported-yet]"), "{output}");
        assert!(output.contains("an empty list as a table property"), "{output}");
    }
    let output = of_properties("unheard_of = {};");
    assert!(output.contains("an empty list as a table property"), "nothing is ignored: {output}");
}

/// A table without a key has a default action, and no entries. Counters and meters count its
/// default action, which may be a profile's member.
#[test]
fn tables_without_keys_have_no_entries() {
    let render = |locals: &str, properties: &str| rendered(locals, "", "", properties, "");
    for (property, name) in [
        ("support_timeout = true;", "support_timeout"),
        ("size = 4;", "size"),
        ("largest_priority_wins = false;", "largest_priority_wins"),
        ("priority_delta = 5;", "priority_delta"),
    ] {
        let output = render("", property);
        let expected = format!("warning[ignored-property]: `{name}` of table `");
        assert!(output.starts_with(&expected), "{property}: {output}");
        assert!(output.contains("a table without a key has no entries"), "{output}");
    }
    assert_eq!(render("direct_counter(CounterType.packets) c;", "counters = c;"), "");
    assert_eq!(render("", "implementation = action_profile(4);"), "");
}

#[test]
fn time_outs_are_on_or_off() {
    for value in ["5", "\"on\"", "8w1"] {
        let output = of_properties(&format!("support_timeout = {value};"));
        let expected =
            "error[architecture-mismatch]: `support_timeout` of table `I.t` must be true or false\n";
        assert!(output.starts_with(expected), "{value}: {output}");
        assert!(output.contains("--> main.p4:15:9"), "{output}");
    }
}

#[test]
fn several_prefixes_need_priorities() {
    let output = rendered("", "", "hdr.h.a: lpm; hdr.h.b: lpm;", "", "");
    let expected = "warning[several-lpm-keys]: table `I.t` has more than one lpm key, so each entry needs a \
                  priority\n";
    assert!(output.starts_with(expected), "{output}");
    assert!(output.contains("--> main.p4:13:31"), "{output}");
    for key in ["hdr.h.a: lpm; hdr.h.b: exact;", "hdr.h.a: lpm; hdr.h.b: ternary;"] {
        assert_eq!(rendered("", "", key, "", ""), "", "{key}");
    }
}

/// p4c-bm2-ss refuses the program, because its output contains a table's next node; Weir runs it.
#[test]
fn a_table_may_be_applied_twice() {
    assert_eq!(rendered("", "", "hdr.h.a: exact;", "", "t.apply();"), "");
}

/// A direct counter counts the hits of its own table. A call outside the actions of that table has
/// no entry to count for.
#[test]
fn direct_counters_belong_to_the_actions_of_their_table() {
    let locals = "direct_counter(CounterType.packets) c; action other() { c.count(); } \
                  table u { key = { hdr.h.a: exact; } actions = { other; NoAction; } }";
    let counter = rendered(locals, "c.count();", "hdr.h.a: exact;", "counters = c;", "u.apply(); c.count();");
    let expected =
        "warning[detached-counter]: `I.c` counts nothing here: it counts the hits of table `I.t`\n";
    assert_eq!(counter.matches(expected).count(), 2, "{counter}");
    assert_eq!(counter.matches("warning").count(), 2, "{counter}");
    // The colour of the packet's last hit is also available afterwards.
    let locals = "direct_meter<bit<2>>(MeterType.packets) m; action other() { m.read(meta.colour); }";
    let meter = rendered(locals, "m.read(meta.colour);", "hdr.h.a: exact;", "meters = m;", "other();");
    assert_eq!(meter, "");
    let called = "direct_counter(CounterType.packets) c; action count() { c.count(); }";
    assert_eq!(rendered(called, "count();", "hdr.h.a: exact;", "counters = c;", ""), "");
}

#[test]
fn sizes_of_profiles_and_hashes() {
    let selector = |algorithm: &str, size: &str, width: &str| {
        let property =
            format!("implementation = action_selector(HashAlgorithm.{algorithm}, {size}, {width});");
        rendered("", "", "hdr.h.a: exact; hdr.h.b: selector;", &property, "")
    };
    for (algorithm, most) in
        [("crc16", 16), ("csum16", 16), ("xor16", 16), ("crc32", 32), ("crc32_custom", 32)]
    {
        assert_eq!(selector(algorithm, "8", &most.to_string()), "");
        let output = selector(algorithm, "8", &(most + 1).to_string());
        let expected = format!(
            "warning[ignored-selector]: `I.t.implementation` uses {} bits of a hash that has {most}\n",
            most + 1
        );
        assert!(output.starts_with(&expected), "{output}");
    }
    assert_eq!(selector("identity", "8", "64"), "");
    let none = selector("crc16", "8", "0");
    assert!(none.starts_with("warning[zero-size]: `I.t.implementation` uses no bit of its hash\n"), "{none}");
    let empty = selector("crc16", "0", "8");
    let expected =
        "warning[zero-size]: the size 0 of `action_selector` `I.t.implementation` limits nothing\n";
    assert!(empty.starts_with(expected), "{empty}");
    let profile = of_properties("implementation = action_profile(0);");
    let expected = "warning[zero-size]: the size 0 of `action_profile` `I.t.implementation` limits nothing\n";
    assert!(profile.starts_with(expected), "{profile}");
    assert_eq!(of_properties("implementation = action_profile(1);"), "");
}

/// A property that names an object under a name that is almost right.
#[test]
fn misspelt_properties_of_objects() {
    let output =
        rendered("direct_counter(CounterType.packets) c;", "", "hdr.h.a: exact;", "counter = c;", "");
    assert!(output.contains("did you mean `counters`?"), "{output}");
    let output = of_properties("implementations = action_profile(4);");
    assert!(output.contains("did you mean `implementation`?"), "{output}");
}

/// Ranges compare unsigned numbers, so 5 to -5 would be 5 to 251.
#[test]
fn ranges_of_signed_keys_have_an_order() {
    let entries = |range: &str| {
        let entries = format!("const entries = {{ {range}: to(1); }}");
        rendered("", "", "(int<8>)hdr.h.b: range @name(\"b\");", &entries, "")
    };
    for range in ["5 .. -5", "-1 .. -5", "5 .. 1"] {
        let output = entries(range);
        let expected = "error[architecture-mismatch]: this entry of table `I.t` does not fit its `range` key";
        assert!(output.contains(expected), "{range}: {output}");
    }
    for range in ["-5 .. -1", "1 .. 5", "-5 .. -5", "0 .. 127", "-5 .. 5", "-128 .. 127"] {
        assert_eq!(entries(range), "", "{range}");
    }
}
