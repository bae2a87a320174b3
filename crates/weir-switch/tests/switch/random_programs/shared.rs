//! The parts that random programs of all architectures have in common: headers, the states of
//! parsers, tables, and the ends of deparsers.

use super::Maker;

/// The types of the headers, and of a pair of values.
pub(super) const TYPES: &str = "header first_t {
    bit<8> kind; bit<8> a; bit<16> b; bit<8> c; bit<8> turn; bit<16> d; bit<16> sum; int<8> s; bit<32> e;
}
header more_t { bit<8> kind; bit<8> x; bit<16> y; }
header rest_t { bit<8> length; varbit<64> data; }
struct headers_t { first_t first; more_t[3] more; rest_t rest; }
struct pair_t { bit<16> low; bit<8> high; }";

/// Returns the states of a parser. The first one runs `before`, and fails for one value.
pub(super) fn states(before: &str, checked: u64) -> String {
    format!(
        "    state start {{
        {before}
        packet.extract(hdr.first);
        verify(hdr.first.a != {checked}, error.HeaderTooShort);
        transition select(hdr.first.kind) {{
            0x02 &&& 0x03: more;
            0x01 &&& 0x03: rest;
            20 .. 60: more;
            default: accept;
        }}
    }}
    state more {{
        packet.extract(hdr.more.next);
        transition select(hdr.more.last.kind) {{ 0 &&& 1: more; default: accept; }}
    }}
    state rest {{
        packet.extract(hdr.rest, (bit<32>) (packet.lookahead<bit<8>>() & 7) * 8);
        transition accept;
    }}"
    )
}

/// The words in which the tables of architectures differ.
pub(super) struct Tables<'t> {
    /// The declarations of the direct counter and the direct meter.
    pub direct: String,
    /// The statements of the action `seen` for the meter, and of `marked` for the counter.
    pub metered: &'t str,
    pub counted: &'t str,
    /// The statements of the actions `to`, which has a `port`, and `gone`.
    pub to: &'t str,
    pub gone: &'t str,
    /// The properties of the first table, besides its key and its actions.
    pub properties: String,
    /// The constructors of a selector and a profile, and the property that names them.
    pub selector: String,
    pub profile: &'t str,
    pub implementation: &'t str,
}

impl Maker {
    /// Returns the tables of a control: one with a direct counter and a direct meter, one whose
    /// entries name groups of a selector, one whose entries name members of a profile. The first
    /// one has keys of these kinds.
    pub(super) fn table_texts(&mut self, [one, other]: [&str; 2], words: &Tables<'_>) -> String {
        let (first, second) = (self.byte(1), self.word(1));
        let of_another = self.pick(&["NoAction()", "seen(3)", "marked(4, 5)"]);
        let Tables { direct, metered, counted, to, gone, properties, selector, profile, implementation } =
            words;
        format!(
            "{direct}    action seen(bit<8> v) {{ {metered} hdr.first.c = v; }}
    action marked(bit<16> v, bit<8> w) {{ {counted} meta.kept = v; meta.pair.high = w; }}
    action to(bit<9> port) {{ {to} }}
    action set(bit<16> v) {{ meta.lost = v; hdr.first.d = v; }}
    action gone() {{ {gone} }}
    table plain {{
        key = {{ {first}: {one} @name(\"one\"); {second}: {other} @name(\"other\"); }}
        actions = {{ seen; marked; NoAction; }}
        {properties}
        default_action = {of_another};
    }}
    {selector} ways;
    table spread {{
        key = {{
            hdr.first.c: ternary @name(\"c\");
            hdr.first.b: selector @name(\"b\");
            hdr.first.kind: selector @name(\"kind\");
        }}
        actions = {{ to; set; NoAction; }}
        {implementation} = ways;
    }}
    {profile} shared;
    table named {{
        key = {{ hdr.first.a: exact @name(\"a\"); }}
        actions = {{ to; set; gone; NoAction; }}
        {implementation} = shared;
    }}
"
        )
    }

    /// Returns the statements with which a deparser emits. Some deparsers may end early: before the
    /// first header, or between two of them.
    pub(super) fn emits(&mut self) -> String {
        let headers = self.pick(&[
            "packet.emit(hdr);",
            "packet.emit(hdr.first); packet.emit(hdr.more); packet.emit(hdr.rest);",
            "packet.emit(hdr.more[1]); packet.emit(hdr.first); packet.emit(hdr.rest);",
        ]);
        let mut text = String::new();
        for emit in headers.split_inclusive(';') {
            if self.chance(5) {
                let condition = self.pick(&[
                    "hdr.first.a & 1 == 0",
                    "hdr.first.c < 4",
                    "!hdr.more[0].isValid()",
                    "hdr.rest.isValid()",
                ]);
                text += &format!("if ({condition}) {{ {} }} ", self.pick(&["exit;", "return;"]));
            }
            text += emit;
        }
        text
    }
}
