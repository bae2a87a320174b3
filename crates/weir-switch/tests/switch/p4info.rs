//! Ids, names and aliases of a program's objects.

use crate::bench;

use weir_switch::arch::control_view;
use weir_switch::p4info::{ObjectKind, P4Info};

/// Returns a v1model program with these declarations at the top level and in the ingress control.
fn program(top: &str, ingress: &str) -> String {
    format!(
        "#include <v1model.p4>
header h_t {{ bit<8> a; bit<16> b; }}
struct headers {{ h_t h; }}
struct meta_t {{ bit<8> m; }}
{top}
parser P(packet_in p, out headers hdr, inout meta_t meta, inout standard_metadata_t sm) {{
    @id(9) value_set<bit<8>>(4) known;
    state start {{ p.extract(hdr.h); transition select(hdr.h.a) {{ known: accept; _: accept; }} }}
}}
control V(inout headers hdr, inout meta_t meta) {{ apply {{}} }}
control MyIngress(inout headers hdr, inout meta_t meta, inout standard_metadata_t sm) {{ {ingress} }}
control E(inout headers hdr, inout meta_t meta, inout standard_metadata_t sm) {{ apply {{}} }}
control D(packet_out p, in headers hdr) {{ apply {{ p.emit(hdr); }} }}
V1Switch(P(), V(), MyIngress(), E(), V(), D()) main;
"
    )
}

fn info(top: &str, ingress: &str) -> P4Info {
    let program = bench::compile(&program(top, ingress), &[]);
    P4Info::new(&program, control_view(&program)).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn problems(ingress: &str) -> Vec<String> {
    let program = bench::compile(&program("", ingress), &[]);
    P4Info::new(&program, control_view(&program))
        .unwrap_err()
        .into_iter()
        .map(|error| error.problem)
        .collect()
}

const TABLES: &str = r#"
    counter(4, CounterType.packets) hits;
    @hidden register<bit<8>>(4) secret;
    direct_counter(CounterType.bytes) bytes;
    action drop() { mark_to_drop(sm); }
    @brief("forwards") @description("to a port")
    action ipv4_forward(bit<48> dst, @id(7) @meaning("port") bit<9> port) { sm.egress_spec = port; }
    table ipv4_lpm {
        key = { hdr.h.a: exact @name("address"); hdr.h.b: lpm @id(5); meta.m: ternary; }
        actions = { drop; ipv4_forward; NoAction; }
        counters = bytes;
    }
    @id(0x20000ff) @alias("second") table other { actions = { drop; NoAction; } }
    @id(77) table third { actions = { drop; NoAction; } }
    apply { hits.count(1); ipv4_lpm.apply(); other.apply(); third.apply(); }
"#;

#[test]
fn objects_have_the_ids_of_the_specification() {
    let info = info("@controller_header(\"packet_in\") header in_t { bit<9> port; bit<7> pad; }", TABLES);
    let id = |kind, name: &str| info.find(kind, name).map(|object| object.id);
    // The hashes are those of published P4Info files.
    assert_eq!(id(ObjectKind::Table, "MyIngress.ipv4_lpm"), Some(37_375_156));
    assert_eq!(id(ObjectKind::Action, "MyIngress.ipv4_forward"), Some(28_792_405));
    assert_eq!(id(ObjectKind::Action, "MyIngress.drop"), Some(25_652_968));
    assert_eq!(id(ObjectKind::Action, "NoAction"), Some(21_257_015));
    assert_eq!(id(ObjectKind::Table, "MyIngress.other"), Some(0x0200_00ff));
    assert_eq!(id(ObjectKind::Table, "MyIngress.third"), Some(0x0200_004d));
    assert_eq!(id(ObjectKind::ValueSet, "P.known"), Some(0x0300_0009));
    assert_eq!(id(ObjectKind::Counter, "MyIngress.hits").map(|id| id >> 24), Some(0x12));
    assert_eq!(id(ObjectKind::DirectCounter, "MyIngress.bytes").map(|id| id >> 24), Some(0x13));
    assert_eq!(id(ObjectKind::Register, "MyIngress.secret"), None, "it is hidden");
}

#[test]
fn ids_start_at_one_by_default() {
    let info = info("", TABLES);
    let table = info.find(ObjectKind::Table, "MyIngress.ipv4_lpm").unwrap();
    let parts = |object: &weir_switch::p4info::Object| -> Vec<(u32, String, u32)> {
        object.parts.iter().map(|part| (part.id, part.name.clone(), part.width)).collect()
    };
    assert_eq!(parts(table), [(1, "address".into(), 8), (5, "hdr.h.b".into(), 16), (3, "meta.m".into(), 8)]);
    let action = info.find(ObjectKind::Action, "MyIngress.ipv4_forward").unwrap();
    assert_eq!(parts(action), [(1, "dst".into(), 48), (7, "port".into(), 9)]);
    let annotation_names: Vec<&str> = action.parts[1].annotations.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(annotation_names, ["meaning"]);
    assert_eq!(action.brief.as_deref(), Some("forwards"));
    assert_eq!(action.description.as_deref(), Some("to a port"));
    assert!(action.annotations.is_empty());
}

#[test]
fn aliases_are_the_shortest_unique_suffixes() {
    let twice = "
        Inner() first; Inner() second;
        action own() {}
        @alias(\"named\") table t { actions = { own; NoAction; } }
        apply { first.apply(hdr); second.apply(hdr); t.apply(); }";
    let inner = "control Inner(inout headers hdr) {
        action set() { hdr.h.a = 1; }
        table t { actions = { set; NoAction; } }
        apply { t.apply(); }
    }";
    let info = info(inner, twice);
    let aliases: Vec<(&str, &str)> =
        info.objects.iter().map(|object| (object.name.as_str(), object.alias.as_str())).collect();
    for expected in [
        ("MyIngress.first.set", "first.set"),
        ("MyIngress.second.set", "second.set"),
        ("MyIngress.own", "own"),
        ("MyIngress.first.t", "first.t"),
        ("MyIngress.t", "named"),
        ("P.known", "known"),
    ] {
        assert!(aliases.contains(&expected), "{expected:?} is not among {aliases:?}");
    }
}

#[test]
fn an_action_bound_by_several_tables_is_one_object() {
    let bound = "
        action set(inout bit<8> place, bit<8> value) { place = value; }
        table t { actions = { set(hdr.h.a); NoAction; } }
        table u { actions = { set(meta.m); NoAction; } }
        apply { t.apply(); u.apply(); }";
    let info = info("", bound);
    let actions: Vec<&str> = info
        .objects
        .iter()
        .filter(|object| object.kind == ObjectKind::Action && object.name != "NoAction")
        .map(|object| object.name.as_str())
        .collect();
    assert_eq!(actions, ["MyIngress.set"]);
}

#[test]
fn errors_name_wrong_ids() {
    let two = "
        @id(5) action a(@id(2) bit<8> x, @id(2) bit<8> y) {}
        @id(5) action b() {}
        @id(0x01000006) table t { key = { hdr.h.a: exact @id(0); } actions = { a; b; NoAction; } }
        @alias(\"t\") table u { actions = { b; NoAction; } }
        apply { t.apply(); u.apply(); }";
    assert_eq!(
        problems(two),
        [
            "the action `MyIngress.b` has the id 0x01000005, which is `MyIngress.a`'s already",
            "`@id(0x01000006)` does not fit the table `MyIngress.t`: the first byte of its kind is 0x02",
            "`x` and `y` of the action `MyIngress.a` both have the id 2; give one of them another with `@id`",
            "`hdr.h.a` of the table `MyIngress.t`: `@id` takes one number from 1 to 0xffffffff",
            "the table `MyIngress.u` has the alias `t`, which is `MyIngress.t`'s already",
        ]
    );
}

#[test]
fn bound_actions_are_one_action() {
    let source = program(
        "",
        r#"
        action put(out bit<8> to, bit<8> value) { to = value; }
        @name(".same") action one() { meta.m = 1; }
        table first { actions = { put(hdr.h.a); one; } default_action = put(hdr.h.a, 1); }
        table second { actions = { put(meta.m); one; } default_action = put(meta.m, 2); }
        apply { first.apply(); second.apply(); }
    "#,
    );
    let program = bench::compile(&source, &[]);
    let info = P4Info::new(&program, control_view(&program)).unwrap_or_else(|errors| panic!("{errors:?}"));
    let mut actions: Vec<&str> = info
        .objects
        .iter()
        .filter(|object| object.kind == ObjectKind::Action)
        .map(|object| object.name.as_str())
        .collect();
    actions.sort_unstable();
    assert_eq!(actions, ["MyIngress.put", "same"]);
    for table in program.tables.values() {
        let listed: Vec<&str> =
            table.actions.iter().map(|item| program.actions[item.action].control_plane_name()).collect();
        assert_eq!(&listed[..2], ["MyIngress.put", "same"], "{}", table.name);
    }
}
