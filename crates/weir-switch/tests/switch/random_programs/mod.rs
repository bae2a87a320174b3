//! Random P4 programs. Those for v1model use every extern and every path that a packet can take.

mod expressions;
pub mod psa;
mod shared;
mod statements;

use rand_pcg::Pcg64Mcg;

use shared::{TYPES, states};

use crate::random_traffic::below;

/// A program under construction.
pub struct Maker {
    random: Pcg64Mcg,
    /// The declarations of the current control.
    objects: String,
    /// The number of names so far.
    names: u32,
    /// The block in which the current statements run.
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Ingress,
    Egress,
}

impl Maker {
    fn new(seed: u64) -> Self {
        Self {
            random: Pcg64Mcg::new(u128::from(seed) << 1 | 1),
            objects: String::new(),
            names: 0,
            place: Place::Ingress,
        }
    }

    fn below(&mut self, end: u64) -> u64 {
        below(&mut self.random, end)
    }

    fn chance(&mut self, cases: u64) -> bool {
        self.below(cases) == 0
    }

    fn pick<'t>(&mut self, items: &[&'t str]) -> &'t str {
        items[self.below(items.len() as u64) as usize]
    }

    fn name(&mut self, kind: &str) -> String {
        self.names += 1;
        format!("{kind}{}", self.names)
    }

    /// Declares an extern object; returns its name.
    fn object(&mut self, kind: &str, declared: &str) -> String {
        let name = self.name(kind);
        self.objects += &format!("    {declared} {name};\n");
        name
    }

    /// Returns a checksum over a few values, verified or updated.
    fn checksum(&mut self, updates: bool) -> String {
        let payload = if self.chance(3) { "_with_payload" } else { "" };
        let verb = if updates { "update" } else { "verify" };
        let condition = self.pick(&["true", "hdr.first.isValid()", "hdr.more[0].isValid()"]);
        let data = self.summed();
        let field = self.pick(&["hdr.first.sum", "hdr.more[0].y", "hdr.first.d"]);
        let algorithm =
            if self.chance(3) { self.pick(&["crc16", "xor16", "crc32", "identity"]) } else { "csum16" };
        format!("{verb}_checksum{payload}({condition}, {{ {data} }}, {field}, HashAlgorithm.{algorithm});\n")
    }

    /// Returns the data of a checksum: fields, some of them apart, in any order.
    fn summed(&mut self) -> String {
        let all = [
            "hdr.first.a",
            "hdr.first.b",
            "hdr.first.c",
            "hdr.first.d",
            "hdr.first.e",
            "hdr.first.kind",
            "hdr.more[0].y",
            "hdr.more[1].x",
            "meta.kept",
        ];
        if self.chance(3) {
            return self.pick(&["hdr.first.b, hdr.first.d", "hdr.first.d, hdr.first.b"]).to_owned();
        }
        let count = 1 + self.below(4);
        (0..count).map(|_| self.pick(&all)).collect::<Vec<_>>().join(", ")
    }

    /// Returns the declarations and statements of a control.
    fn block(&mut self, place: Place) -> (String, String) {
        self.place = place;
        self.objects.clear();
        let tables = self.tables();
        let count = 6 + self.below(8);
        let body: String = (0..count).map(|_| self.statement(2)).collect();
        (format!("{}{tables}", self.objects), body)
    }
}

/// Returns the text of a program; the same one for the same seed.
pub fn random_program(seed: u64) -> String {
    let mut maker = Maker::new(seed);
    let checked = maker.below(5);
    let verify: String = (0..maker.below(3)).map(|_| maker.checksum(false)).collect();
    let update: String = (0..maker.below(3)).map(|_| maker.checksum(true)).collect();
    let (ingress_objects, ingress) = maker.block(Place::Ingress);
    let (egress_objects, egress) = maker.block(Place::Egress);
    let (emits, states) = (maker.emits(), states("", checked));
    format!(
        "#include <v1model.p4>
{TYPES}
struct meta_t {{
    @field_list(1, 2) bit<8> turns;
    @field_list(1) bit<16> kept;
    bit<16> lost;
    bit<8> colour;
    bit<16> r16;
    pair_t pair;
}}
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {{
{states}
}}
control V(inout headers_t hdr, inout meta_t meta) {{
    apply {{
        {verify}
    }}
}}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {{
{ingress_objects}
    apply {{
        standard.egress_spec = (bit<9>) (hdr.first.a & 15);
        {ingress}
    }}
}}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {{
{egress_objects}
    apply {{
        {egress}
    }}
}}
control U(inout headers_t hdr, inout meta_t meta) {{
    apply {{
        {update}
    }}
}}
control D(packet_out packet, in headers_t hdr) {{
    apply {{ {emits} }}
}}
V1Switch(P(), V(), I(), E(), U(), D()) main;
"
    )
}
