//! Programs of PNA that Weir refuses, each with the reason.

use weir_switch::arch;

use crate::portable::load_errors;
use crate::{bind, text};

/// Returns the errors that keep a variant of a program from loading.
fn errors(file: &str, from: &str, to: &str) -> String {
    let original = text(file);
    assert!(original.contains(from), "{from}");
    load_errors(bind(&original.replacen(from, to, 1)))
}

#[test]
fn mistakes_in_pna_programs_are_refused() {
    let cases = [
        ("add_on_miss = true;", "", "write `add_on_miss = true;` in the table"),
        ("add_on_miss = true;", "add_on_miss = 3;", "must be true or false"),
        (
            "\"seen\"",
            "\"sen\"",
            "entries of table `Learn.flows` cannot have an action `sen`; did you mean `seen`?",
        ),
        ("\"seen\"", "\"learn\"", "cannot have an action `learn`"),
        ("mark = 0x55 }", "mark = 0x55 }", ""),
        ("bit<8> mark;", "bit<9> mark;", "have 32, 8 bits, but this call gives 32, 9 bits"),
        ("hdr.flow.source: exact;", "hdr.flow.source: lpm;", "its key `hdr.flow.source` is lpm, not exact"),
        (
            "        add_on_miss = true;\n        pna_idle_timeout = PNA_IdleTimeout_t.AUTO_DELETE;",
            "        add_on_miss = true;",
            "no action of a table with time-outs calls this `update_expire_info`",
        ),
        (
            "pna_idle_timeout = PNA_IdleTimeout_t.AUTO_DELETE",
            "pna_idle_timeout = true",
            "must be a PNA_IdleTimeout_t",
        ),
        (
            "pna_direct_counter = packets",
            "pna_direct_meter = packets",
            "must be a DirectMeter, not a DirectCounter",
        ),
        (
            "packet.extract(hdr.flow);",
            "packet.extract(hdr.flow); drop_packet();",
            "cannot be called in the main parser",
        ),
    ];
    for (from, to, message) in cases {
        let reported = errors("pna/learning.p4", from, to);
        assert!(reported.contains(message) && reported.is_empty() == message.is_empty(), "{to}: {reported}");
    }
    let renamed =
        text("pna/learning.p4").replace("bit<8> mark;", "bit<8> sign;").replace("mark = 0x55", "sign = 0x55");
    let reported = arch::check(&bind(&renamed).expect("it binds"));
    let texts: Vec<_> = reported.iter().map(ToString::to_string).collect();
    assert!(texts[0].contains("the member `sign` is where action `seen`"), "{texts:?}");
}

#[test]
fn devices_that_weir_does_not_have_are_refused() {
    let reported = errors(
        "pna/externs.p4",
        "    Random<bit<8>>(10, 12) drawn;",
        "    Random<bit<8>>(10, 12) drawn; ipsec_accelerator() crypt;",
    );
    assert!(reported.contains("Weir has no accelerator that encrypts packets"), "{reported}");
    let reported = errors("pna/externs.p4", "PNA_HashAlgorithm_t.IDENTITY", "PNA_HashAlgorithm_t.TOEPLITZ");
    assert!(reported.contains("Weir does not compute PNA_HashAlgorithm_t.TOEPLITZ"), "{reported}");
    let tc = text("pna/learning.p4").replace("<bmv2/pna.p4>", "<tc/pna.p4>");
    assert_eq!(arch::check(&bind(&tc).expect("it binds")), []);
    let tc = tc.replace("flows.apply();", "flows.apply(); hdr.flow.number = skb_get_mark();");
    let reported = arch::check(&bind(&tc).expect("it binds"));
    assert!(reported[0].help.as_ref().is_some_and(|help| help.contains("no `sk_buff`")), "{reported:?}");
}
