use super::*;

#[test]
fn slips_are_found_and_unlike_names_are_not() {
    assert_eq!(nearest("transtion", ["table", "transition"]), Some("transition"));
    assert_eq!(nearest("etherent", ["ipv4", "ethernet", "meta"]), Some("ethernet"));
    assert_eq!(nearest("frist", ["first", "last"]), Some("first"));
    assert_eq!(nearest("prot", ["proto", "port"]), Some("port"));
    assert_eq!(nearest("payload", ["ethernet", "ipv4"]), None);
    assert_eq!(nearest("ipv4", ["table"]), None);
    assert_eq!(nearest("src_mac", ["dst_mac", "ttl"]), None);
    assert_eq!(nearest("meta", ["data"]), None);
    assert_eq!(nearest("", ["a", "table"]), None);
}

#[test]
fn short_names_may_have_one_wrong_letter() {
    assert_eq!(nearest("fi", ["if", "in"]), Some("if"));
    assert_eq!(nearest("h9", ["h2", "h1", "s1"]), Some("h1"));
    assert_eq!(nearest("h33", ["h1", "h2", "h3"]), Some("h3"));
    assert_eq!(nearest("sfq", ["codel", "fq", "fq_codel"]), Some("fq"));
    assert_eq!(nearest("dst", ["src"]), None);
    assert_eq!(nearest("-j", ["-s", "-d"]), None);
    assert_eq!(nearest("x", ["y", "xy"]), None);
}

#[test]
fn case_does_not_count() {
    assert_eq!(nearest("TTL", ["tos", "ttl"]), Some("ttl"));
    assert_eq!(nearest("X", ["x", "y"]), Some("x"));
    assert_eq!(nearest("IPV4_LMP", ["ipv4_lpm"]), Some("ipv4_lpm"));
}

#[test]
fn abbreviations_are_found() {
    assert_eq!(nearest("port", ["egress_port", "instance"]), Some("egress_port"));
    assert_eq!(nearest("iface", ["interface", "payload"]), Some("interface"));
    assert_eq!(nearest("packets", ["packet_count", "byte_count"]), Some("packet_count"));
    assert_eq!(nearest("table_del", ["table_add", "table_delete"]), Some("table_delete"));
    assert_eq!(nearest("trys", ["tries", "size"]), Some("tries"));
    assert_eq!(nearest("ethernet_header", ["ethernet", "ipv4"]), Some("ethernet"));
    // A slip is more similar than an abbreviation.
    assert_eq!(nearest("port", ["prot", "egress_port"]), Some("prot"));
    assert_eq!(nearest("to", ["tool"]), None);
}

#[test]
fn parsers_take_slips_only() {
    assert_eq!(misspelt_word("contrl", ["control", "table"]), Some("control"));
    assert_eq!(misspelt_word("trans", ["transition"]), None);
    assert_eq!(nearest("trans", ["transition"]), Some("transition"));
}

#[test]
fn last_parts_of_names_match() {
    let names = ["MyEgress.drop", "MyIngress.drop", "MyIngress.ipv4_lpm"];
    assert_eq!(nearest_dotted("dorp", names), Some("MyEgress.drop"));
    assert_eq!(nearest_dotted("MyIngres.drop", names), Some("MyIngress.drop"));
    assert_eq!(nearest_dotted("ipv4_lmp", names), Some("MyIngress.ipv4_lpm"));
    assert_eq!(nearest_dotted("MyControl.ipv4_lpm", names), Some("MyIngress.ipv4_lpm"));
    assert_eq!(nearest_dotted("MyIngressdrop", names), Some("MyIngress.drop"));
    assert_eq!(nearest_dotted("completely_else", names), None);
    assert_eq!(nearest_dotted("MyIngress.count", names), None);
    assert_eq!(nearest_dotted("hdr.flow.source", ["hdr.flow.group"]), None);
    assert_eq!(nearest_dotted("MyIngress.drop", ["MyIngress.drop"]), None);
    assert_eq!(nearest("routr.p4", ["basic.p4", "router.p4"]), Some("router.p4"));
    assert_eq!(nearest("host.p4", ["basic.p4"]), None);
}

#[test]
fn the_order_of_the_known_names_does_not_matter() {
    let mut names = ["c1", "a1", "b1", "d1"];
    for _ in 0..names.len() {
        names.rotate_left(1);
        assert_eq!(nearest("x1", names), Some("a1"));
    }
}

#[test]
fn common_prefixes_are_not_similar() {
    let search = Search { least: 800, ..Search::default() };
    assert_eq!(search.nearest("on_evnt", ["on_event", "on_tick"]), Some("on_event"));
    assert_eq!(search.nearest("on_time", ["on_tick"]), None);
    assert_eq!(nearest("on_time", ["on_tick"]), Some("on_tick"));
    assert_eq!(search.nearest("h9", ["h1"]), Some("h1"));
}

#[test]
fn a_refused_name_is_not_suggested_again() {
    assert_eq!(nearest("acl", ["acl"]), None);
}

#[test]
fn very_long_names_are_not_compared() {
    let long = "a".repeat(100_000);
    let names: Vec<String> = (0..50).map(|i| format!("{long}{i}")).collect();
    assert_eq!(nearest(&long, names.iter().map(String::as_str)), None);
}
