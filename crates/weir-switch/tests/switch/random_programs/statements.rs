//! Random statements, and the tables that they apply.

use super::shared::Tables;
use super::{Maker, Place};

impl Maker {
    pub(super) fn tables(&mut self) -> String {
        let counted = self.pick(&["packets", "bytes", "packets_and_bytes"]);
        let metered = self.pick(&["packets", "bytes"]);
        let algorithm = self.pick(&["crc16", "crc32", "identity", "csum16", "xor16"]);
        let kinds = ["exact", "ternary", "lpm", "range", "optional"];
        let (one, other) = (self.pick(&kinds), self.pick(&["exact", "ternary", "optional"]));
        let timeout = if self.chance(4) { "support_timeout = true;" } else { "" };
        let words = Tables {
            direct: format!(
                "    direct_counter(CounterType.{counted}) hits;\n    direct_meter<bit<8>>(MeterType.{metered}) pace;\n"
            ),
            metered: "pace.read(meta.colour);",
            counted: "hits.count();",
            to: "standard.egress_spec = port & 15;",
            gone: "mark_to_drop(standard);",
            properties: format!("counters = hits; meters = pace; {timeout}"),
            selector: format!("action_selector(HashAlgorithm.{algorithm}, 16, 14)"),
            profile: "action_profile(16)",
            implementation: "implementation",
        };
        self.table_texts([one, other], &words)
    }

    /// Returns a random statement, or several statements if one alone makes no sense.
    pub(super) fn statement(&mut self, depth: u32) -> String {
        if depth > 0 && self.chance(4) {
            let (condition, then) = (self.condition(2), self.statement(depth - 1));
            let otherwise = self.statement(depth - 1);
            return format!("if ({condition}) {{ {then} }} else {{ {otherwise} }}\n");
        }
        let text = match self.below(10) {
            0 => format!("{} = {};", self.byte_place(), self.byte(3)),
            1 => format!("{} = {};", self.word_place(), self.word(3)),
            2 => self.headers(),
            3 | 4 => self.tables_applied(),
            5 | 6 => self.computing_statement(),
            7 => self.stateful_statement(),
            8 => self.messages(),
            _ => self.path(),
        };
        text + "\n"
    }

    pub(super) fn headers(&mut self) -> String {
        match self.below(8) {
            0 => format!("hdr.more.push_front({});", 1 + self.below(2)),
            1 => format!("hdr.more.pop_front({});", 1 + self.below(2)),
            2 => format!("hdr.more[{}].setValid();", self.below(3)),
            3 => format!("hdr.more[{}].setInvalid();", self.below(3)),
            4 => format!("hdr.more[{}] = hdr.more[{}];", self.below(3), self.below(3)),
            5 => "hdr.rest.setInvalid();".into(),
            6 => {
                format!("hdr.more[{} & 3].y = {};", self.pick(&["hdr.first.a", "hdr.first.c"]), self.word(1))
            }
            _ => "meta.pair = { hdr.first.b, hdr.first.c };".into(),
        }
    }

    pub(super) fn tables_applied(&mut self) -> String {
        match self.below(5) {
            0 => "plain.apply();".into(),
            1 => "spread.apply();".into(),
            2 => "named.apply();".into(),
            3 => format!("if (plain.apply().hit) {{ {} = {}; }}", self.byte_place(), self.byte(1)),
            _ => format!(
                "switch (plain.apply().action_run) {{ seen: {{ {} = {}; }} marked: {{ {} = {}; }} default: {{ }} }}",
                self.byte_place(),
                self.byte(1),
                self.word_place(),
                self.word(1)
            ),
        }
    }

    /// Statements with hashes, checksums or random numbers.
    fn computing_statement(&mut self) -> String {
        match self.below(5) {
            0 | 1 => {
                let algorithm = self.pick(&[
                    "crc32",
                    "crc32_custom",
                    "crc16",
                    "crc16_custom",
                    "random",
                    "identity",
                    "csum16",
                    "xor16",
                ]);
                let (base, most) = (self.word(0), self.pick(&["16w16", "16w1000", "16w0", "32w0x10000"]));
                let data = if self.chance(3) { "hdr.first".to_owned() } else { self.summed() };
                let to = self.word_place();
                format!("hash({to}, HashAlgorithm.{algorithm}, {base}, {{ {data} }}, {most});")
            }
            2 => {
                let (low, span) = (self.below(9), self.below(4));
                format!("random({}, 16w{low}, 16w{});", self.word_place(), low + span)
            }
            3 => {
                let sum = self.object("sum", "Checksum16()");
                format!("{} = {sum}.get({{ {} }});", self.word_place(), self.summed())
            }
            _ => self.checksum(true),
        }
    }

    /// Statements with counters, meters or registers.
    fn stateful_statement(&mut self) -> String {
        let index = self.index();
        match self.below(5) {
            0 => {
                let counter = self.object("counter", "counter(8, CounterType.packets_and_bytes)");
                format!("{counter}.count({index});")
            }
            1 => {
                let kind = self.pick(&["packets", "bytes"]);
                let meter = self.object("meter", &format!("meter(8, MeterType.{kind})"));
                format!("{meter}.execute_meter<bit<8>>({index}, meta.colour);")
            }
            2 => {
                let pairs = self.object("pairs", "register<pair_t>(8)");
                let (low, high) = (self.word(1), self.byte(1));
                format!("{pairs}.read(meta.pair, {index}); {pairs}.write({index}, {{ {low}, {high} }});")
            }
            _ => {
                let cells = self.object("cells", "register<bit<16>>(8)");
                let (to, value) = (self.word_place(), self.word(1));
                format!("{cells}.read({to}, {index}); {cells}.write({index}, {to} + {value});")
            }
        }
    }

    /// Statements that send messages to the control plane, and checks that can fail.
    fn messages(&mut self) -> String {
        match self.below(6) {
            0 | 1 => {
                let (low, high) = (self.word(1), self.byte(1));
                format!("digest<pair_t>(1, {{ {low}, {high} }});")
            }
            2 => format!("log_msg(\"{{}} and {{}}\", {{ {}, hdr.first.s }});", self.word(1)),
            3 => "log_msg(\"here\");".into(),
            4 => format!("assert({} & 7 != 3);", self.byte(0)),
            _ => format!("assume({} & 7 != 5);", self.byte(0)),
        }
    }

    /// Returns the path of the packet: copies, another pass, an end.
    fn path(&mut self) -> String {
        let session = self.below(12);
        let wish = self.condition(1);
        let text = match self.below(9) {
            0 | 1 => {
                let kind = if self.place == Place::Ingress { "I2E" } else { "E2E" };
                let call = match self.below(4) {
                    0 => format!("clone(CloneType.{kind}, {session});"),
                    1 => format!("clone3(CloneType.{kind}, {session}, {{ meta.kept, hdr.first.b }});"),
                    _ => {
                        let list = 1 + self.below(3);
                        format!("clone_preserving_field_list(CloneType.{kind}, {session}, {list});")
                    }
                };
                // Egress clones that clone themselves would become too many.
                if self.place == Place::Ingress {
                    call
                } else {
                    format!("if (standard.instance_type == 0) {{ {call} }}")
                }
            }
            2 | 3 => {
                let call = match self.below(3) {
                    0 => "recirculate({ meta.kept });".to_owned(),
                    _ => format!("recirculate_preserving_field_list({});", self.below(3)),
                };
                format!(
                    "if (hdr.first.isValid() && hdr.first.turn < 3) {{ hdr.first.turn = hdr.first.turn + 1; {call} }}"
                )
            }
            4 | 5 if self.place == Place::Ingress => {
                let call = match self.below(3) {
                    0 => "resubmit({ meta.turns, meta.lost });".to_owned(),
                    _ => format!("resubmit_preserving_field_list({});", 1 + self.below(2)),
                };
                format!("if (meta.turns < 2) {{ meta.turns = meta.turns + 1; {call} }}")
            }
            6 if self.place == Place::Ingress => {
                format!("standard.mcast_grp = (bit<16>) ({} & 15);", self.byte(0))
            }
            4..=6 => format!("truncate({});", 4 + self.below(30)),
            7 => self
                .pick(&["mark_to_drop(standard);", "mark_to_drop();", "gone();", "exit;", "return;"])
                .into(),
            _ => format!("truncate({});", 4 + self.below(30)),
        };
        format!("if ({wish}) {{ {text} }}")
    }
}
