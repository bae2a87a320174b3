//! Random P4 programs for PSA. They use every extern and every path that a packet can take.

use super::shared::{TYPES, Tables, states};
use super::{Maker, Place};

const ALGORITHMS: [&str; 6] =
    ["CRC32", "CRC32_CUSTOM", "CRC16", "CRC16_CUSTOM", "ONES_COMPLEMENT16", "IDENTITY"];

impl Maker {
    /// Returns the declarations and statements of a PSA control.
    fn psa_block(&mut self, place: Place) -> (String, String) {
        self.place = place;
        self.objects.clear();
        let tables = self.psa_tables();
        let count = 4 + self.below(6);
        let body: String = (0..count).map(|_| self.psa_statement(2)).collect();
        (format!("{}{tables}", self.objects), body)
    }

    fn psa_tables(&mut self) -> String {
        let counted = self.pick(&["PACKETS", "BYTES", "PACKETS_AND_BYTES"]);
        let metered = self.pick(&["PACKETS", "BYTES"]);
        let (one, other) =
            (self.pick(&["exact", "ternary", "lpm", "range"]), self.pick(&["exact", "ternary"]));
        let (to, gone) = match self.place {
            Place::Ingress => (
                "send_to_port(output, (PortId_t) (PortIdUint_t) (bit<32>) (port & 15));",
                "ingress_drop(output);",
            ),
            Place::Egress => ("meta.lost = (bit<16>) port;", "egress_drop(output);"),
        };
        let has_direct = self.chance(2);
        let direct = format!(
            "    DirectCounter<bit<64>>(PSA_CounterType_t.{counted}) hits;\n    DirectMeter(PSA_MeterType_t.{metered}) pace;\n"
        );
        let if_direct = |text| if has_direct { text } else { "" };
        let words = Tables {
            direct: if_direct(&direct).to_owned(),
            metered: if_direct("meta.colour = pace.execute() == PSA_MeterColor_t.RED ? 8w2 : 8w1;"),
            counted: if_direct("hits.count();"),
            to,
            gone,
            properties: if_direct("psa_direct_counter = hits; psa_direct_meter = pace;").to_owned(),
            selector: "ActionSelector(PSA_HashAlgorithm_t.CRC16, 16, 14)".to_owned(),
            profile: "ActionProfile(16)",
            implementation: "psa_implementation",
        };
        self.table_texts([one, other], &words)
    }

    fn psa_statement(&mut self, depth: u32) -> String {
        if depth > 0 && self.chance(4) {
            let (condition, then) = (self.condition(2), self.psa_statement(depth - 1));
            let otherwise = self.psa_statement(depth - 1);
            return format!("if ({condition}) {{ {then} }} else {{ {otherwise} }}\n");
        }
        let text = match self.below(10) {
            0 => format!("{} = {};", self.byte_place(), self.byte(3)),
            1 => format!("{} = {};", self.word_place(), self.word(3)),
            2 => self.headers(),
            3 | 4 => self.tables_applied(),
            5 => self.psa_computing(),
            6 => self.psa_stateful(),
            7 => {
                let (verb, most) = (self.pick(&["assert", "assume"]), self.pick(&["3", "5"]));
                format!("{verb}({} & 15 != {most});", self.byte(0))
            }
            _ => self.psa_path(),
        };
        text + "\n"
    }

    /// Statements with hashes, checksums or random numbers.
    fn psa_computing(&mut self) -> String {
        match self.below(4) {
            0 => {
                let algorithm = self.pick(&ALGORITHMS);
                let hash = self.object("hash", &format!("Hash<bit<16>>(PSA_HashAlgorithm_t.{algorithm})"));
                let (to, data) = (self.word_place(), self.summed());
                if self.chance(2) {
                    format!("{to} = {hash}.get_hash({{ {data} }});")
                } else {
                    format!(
                        "{to} = {hash}.get_hash({}, {{ {data} }}, 16w{});",
                        self.word(0),
                        1 + self.below(99)
                    )
                }
            }
            1 => {
                let random = self.object("random", "Random<bit<16>>(3, 9)");
                format!("{} = {random}.read();", self.word_place())
            }
            2 => {
                let algorithm = self.pick(&ALGORITHMS);
                let sum = self.object("sum", &format!("Checksum<bit<16>>(PSA_HashAlgorithm_t.{algorithm})"));
                let (one, other, to) = (self.summed(), self.summed(), self.word_place());
                format!(
                    "{sum}.clear(); {sum}.update({{ {one} }}); {sum}.update({{ {other} }}); {to} = {sum}.get();"
                )
            }
            _ => self.internet_checksum(),
        }
    }

    /// Statements with an `InternetChecksum`: cleared or not, with parts of any width.
    fn internet_checksum(&mut self) -> String {
        let sum = self.object("sum", "InternetChecksum()");
        let mut text = if self.chance(2) { format!("{sum}.clear(); ") } else { String::new() };
        for _ in 0..1 + self.below(3) {
            let verb = self.pick(&["add", "add", "subtract"]);
            let data = self.word_data();
            let step = match self.below(6) {
                0 => format!("{sum}.set_state({}); ", self.word(1)),
                1 => format!("if ({}) {{ {sum}.{verb}({{ {data} }}); }} ", self.condition(1)),
                _ => format!("{sum}.{verb}({{ {data} }}); "),
            };
            text += &step;
        }
        let get = self.pick(&["get", "get", "get_state"]);
        format!("{text}{} = {sum}.{get}();", self.pick(&["hdr.first.sum", "hdr.first.d", "meta.kept"]))
    }

    /// Returns the data of an `InternetChecksum`: whole words of 16 bits.
    fn word_data(&mut self) -> String {
        let all = [
            "hdr.first.kind, hdr.first.a",
            "hdr.first.b",
            "hdr.first.c, hdr.first.turn",
            "hdr.first.d",
            "hdr.first.e",
            "hdr.first.c ++ hdr.first.a",
            "hdr.more[0].y",
            "meta.kept",
            "hdr.first.d, hdr.first.sum",
        ];
        let count = 1 + self.below(3);
        (0..count).map(|_| self.pick(&all)).collect::<Vec<_>>().join(", ")
    }

    /// Statements with counters, meters or registers.
    fn psa_stateful(&mut self) -> String {
        let index = self.index();
        match self.below(4) {
            0 => {
                let kind = "Counter<bit<64>, bit<32>>(8, PSA_CounterType_t.PACKETS_AND_BYTES)";
                format!("{}.count({index});", self.object("counter", kind))
            }
            1 => {
                let kind = self.pick(&["PACKETS", "BYTES"]);
                let meter = self.object("meter", &format!("Meter<bit<32>>(8, PSA_MeterType_t.{kind})"));
                format!("meta.colour = {meter}.execute({index}) == PSA_MeterColor_t.GREEN ? 8w3 : 8w4;")
            }
            _ => {
                let cells = self.object("cells", "Register<bit<16>, bit<32>>(8, 5)");
                let (to, value) = (self.word_place(), self.word(1));
                format!("{to} = {cells}.read({index}); {cells}.write({index}, {to} + {value});")
            }
        }
    }

    /// Returns the path of the packet: copies, another pass, an end.
    fn psa_path(&mut self) -> String {
        let session = self.below(12);
        let wish = self.condition(1);
        let text = match (self.place, self.below(7)) {
            (Place::Ingress, 0) => {
                format!("output.clone = true; output.clone_session_id = (CloneSessionId_t) {session};")
            }
            (Place::Egress, 0 | 1) => format!(
                "if (input.packet_path != PSA_PacketPath_t.CLONE_E2E) {{ output.clone = true; output.clone_session_id = (CloneSessionId_t) {session}; }}"
            ),
            (Place::Ingress, 1) => {
                "if (hdr.first.isValid() && hdr.first.turn < 3) { hdr.first.turn = hdr.first.turn + 1; send_to_port(output, PSA_PORT_RECIRCULATE); }".into()
            }
            (Place::Ingress, 2) => "if (meta.turns < 2) { output.resubmit = true; output.drop = false; }".into(),
            (Place::Ingress, 3) => format!(
                "multicast(output, (MulticastGroup_t) (MulticastGroupUint_t) (bit<32>) ({} & 15));",
                self.byte(0)
            ),
            (Place::Ingress, 4) => format!(
                "output.class_of_service = (ClassOfService_t) (ClassOfServiceUint_t) ({} & 15);",
                self.byte(0)
            ),
            (Place::Ingress, 5) => self.pick(&["ingress_drop(output);", "gone();", "exit;", "return;"]).into(),
            (Place::Ingress, _) => format!(
                "send_to_port(output, (PortId_t) (PortIdUint_t) (bit<32>) ({} & 15));",
                self.byte(0)
            ),
            (Place::Egress, 2 | 3) => {
                self.pick(&["egress_drop(output);", "gone();", "exit;", "return;"]).into()
            }
            (Place::Egress, 4) => "meta.kept = (bit<16>) (InstanceUint) input.instance;".replace("InstanceUint", "EgressInstanceUint_t"),
            (Place::Egress, 5) => {
                "hdr.first.a = (bit<8>) (ClassOfServiceUint_t) input.class_of_service;".into()
            }
            (Place::Egress, _) => "hdr.first.b = ((bit<32>) (PortIdUint_t) input.egress_port)[15:0];".into(),
        };
        format!("if ({wish}) {{ {text} }}")
    }

    /// Returns the objects and statements of a deparser before it emits headers.
    fn psa_deparser(&mut self, digests: bool) -> (String, String) {
        self.objects.clear();
        let mut body = String::new();
        for _ in 0..self.below(4) {
            body += &match self.below(4) {
                0 | 1 => self.internet_checksum().replace("meta.kept = ", "hdr.first.b = "),
                2 if digests => {
                    let digest = self.object("digest", "Digest<pair_t>()");
                    let (wish, low, high) = (self.condition(1), self.word(1), self.byte(1));
                    format!("if ({wish}) {{ {digest}.pack({{ {low}, {high} }}); }}")
                }
                2 => format!("hdr.first.e = hdr.first.e + {};", self.below(9)),
                _ => format!("hdr.more[{}].setInvalid();", self.below(3)),
            };
            body += "\n        ";
        }
        (self.objects.clone(), body)
    }
}

/// Returns the text of a PSA program; the same one for the same seed.
pub fn random_psa_program(seed: u64) -> String {
    let mut maker = Maker::new(seed);
    let checked = maker.below(5);
    let (ingress_objects, ingress) = maker.psa_block(Place::Ingress);
    let (egress_objects, egress) = maker.psa_block(Place::Egress);
    let (ingress_sums, ingress_deparser) = maker.psa_deparser(true);
    let (egress_sums, egress_deparser) = maker.psa_deparser(false);
    let (ingress_emits, egress_emits) = (maker.emits(), maker.emits());
    let ingress_states =
        states("meta.turns = resubmitted.turns; meta.kept = resubmitted.kept + recirculated.kept;", checked);
    let wide = if maker.chance(2) { "bit<100> wide;" } else { "bit<60> wide;" };
    // The shortest egress parser reads nothing.
    let (egress_start, egress_first) = if maker.chance(4) {
        ("accept;", "")
    } else {
        ("select(input.packet_path) { default: first; }", EGRESS_STATES)
    };
    format!(
        "#include <core.p4>
#include <psa.p4>
{TYPES}
struct meta_t {{ bit<8> turns; bit<16> kept; bit<16> lost; bit<8> colour; bit<16> r16; pair_t pair; }}
struct carried_t {{ bit<8> turns; bit<16> kept; bool flag; {wide} }}
parser IP(packet_in packet, out headers_t hdr, inout meta_t meta,
          in psa_ingress_parser_input_metadata_t input, in carried_t resubmitted, in carried_t recirculated) {{
{ingress_states}
}}
control I(inout headers_t hdr, inout meta_t meta, in psa_ingress_input_metadata_t input,
          inout psa_ingress_output_metadata_t output) {{
{ingress_objects}
    apply {{
        send_to_port(output, (PortId_t) (PortIdUint_t) (bit<32>) (hdr.first.a & 15));
        if (input.parser_error == error.PacketTooShort) {{ meta.kept = meta.kept + 1; }}
        {ingress}
    }}
}}
control ID(packet_out packet, out carried_t clone_meta, out carried_t resubmit_meta, out carried_t normal_meta,
           inout headers_t hdr, in meta_t meta, in psa_ingress_output_metadata_t output) {{
{ingress_sums}
    apply {{
        clone_meta.kept = meta.kept;
        resubmit_meta.turns = meta.turns + 1;
        resubmit_meta.kept = meta.lost;
        normal_meta.kept = hdr.first.d;
        normal_meta.flag = meta.colour > 2;
        normal_meta.wide = (bit<32>) 0 ++ meta.pair.low ++ hdr.first.e[11:0] == 0 ? 7 : 9;
        if (psa_clone_i2e(output)) {{ clone_meta.turns = 3; }}
        {ingress_deparser}
        {ingress_emits}
    }}
}}
parser EP(packet_in packet, out headers_t hdr, inout meta_t meta,
          in psa_egress_parser_input_metadata_t input, in carried_t normal, in carried_t i2e, in carried_t e2e) {{
    state start {{
        meta.kept = normal.kept + i2e.kept + e2e.kept;
        meta.lost = normal.wide[15:0];
        meta.turns = normal.flag ? 8w1 : i2e.turns;
        transition {egress_start}
    }}
{egress_first}
}}
control E(inout headers_t hdr, inout meta_t meta, in psa_egress_input_metadata_t input,
          inout psa_egress_output_metadata_t output) {{
{egress_objects}
    apply {{
        {egress}
    }}
}}
control ED(packet_out packet, out carried_t clone_meta, out carried_t recirculate_meta, inout headers_t hdr,
           in meta_t meta, in psa_egress_output_metadata_t output, in psa_egress_deparser_input_metadata_t input) {{
{egress_sums}
    apply {{
        clone_meta.kept = meta.kept;
        if (psa_recirculate(output, input)) {{ recirculate_meta.kept = meta.kept; }}
        {egress_deparser}
        {egress_emits}
    }}
}}
IngressPipeline(IP(), I(), ID()) ip;
EgressPipeline(EP(), E(), ED()) ep;
PSA_Switch(ip, PacketReplicationEngine(), ep, BufferingQueueingEngine()) main;
"
    )
}

/// The states of an egress parser that reads the same headers as ingress.
const EGRESS_STATES: &str = "    state first {
        packet.extract(hdr.first);
        transition select(hdr.first.kind) { 0 &&& 1: more; default: accept; }
    }
    state more {
        packet.extract(hdr.more.next);
        transition select(hdr.more.last.kind) { 0 &&& 3: more; default: accept; }
    }";
