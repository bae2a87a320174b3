//! The parts that all programs have in common, except for a few numbers: types, the parser, leaf
//! controls, the package.

use super::Maker;

impl Maker {
    pub(super) fn types(&mut self) {
        self.line("#include \"pipe.p4\"");
        self.line("error { Odd, Even }");
        self.line("enum bit<8> Kind { First = 1, Second = 2, Third = 7 }");
        self.line("enum Mode { Slow, Fast }");
        self.line("typedef bit<16> port_t;");
        self.line("type bit<8> tag_t;");
        for position in 0..2 {
            let number = self.random.random_below(200);
            self.line(&format!("const bit<16> LIMIT{position} = {number};"));
        }
        let tail = 8 * (1 + self.random.random_below(6));
        self.open("header first_t");
        for field in ["kind", "flags", "a"] {
            self.line(&format!("bit<8> {field};"));
        }
        self.line("bit<4> left;");
        self.line("bit<4> right;");
        self.line(&format!("bit<{tail}> rest;"));
        self.close("");
        self.line("header item_t { bit<8> label; bit<7> value; bit<1> last; }");
        self.line("header wide_t { bit<48> address; port_t port; int<16> offset; }");
        self.line("header_union either_t { item_t small; wide_t large; }");
        self.line("struct pair_t { bit<16> x; bit<8> y; }");
        self.open("struct headers");
        self.line("first_t first;");
        self.line("item_t[3] items;");
        self.line("either_t either;");
        self.line("wide_t wide;");
        self.close("");
        self.open("struct meta_t");
        self.line("pair_t pair;");
        self.line("bool flag;");
        self.line("bit<77> long;");
        self.line("Mode mode;");
        self.line("Kind kind;");
        self.line("tag_t tag;");
        self.close("");
    }

    pub(super) fn parser(&mut self) {
        self.open("parser P(packet_in packet, out headers hdr, inout meta_t meta)");
        self.line("bit<8> count = 0;");
        self.open("state start");
        self.line("packet.extract(hdr.first);");
        self.line("count = hdr.first.flags & 3;");
        self.open("transition select(hdr.first.kind, hdr.first.left)");
        self.line("(1, _): items;");
        let low = self.random.random_below(50);
        self.line(&format!("({low} .. {}, 4w3 &&& 4w3): wide;", low + 100));
        self.line("(_, 9): peek;");
        self.line("(255, 15): reject;");
        self.line("default: accept;");
        self.close("");
        self.close("");
        self.open("state items");
        self.line("packet.extract(hdr.items.next);");
        self.line("verify(hdr.items.last.label != 0xee, error.Odd);");
        self.open("transition select(hdr.items.last.last)");
        self.line("1: accept;");
        self.line("0: items;");
        self.close("");
        self.close("");
        self.open("state wide");
        self.line("packet.extract(hdr.wide);");
        self.line("meta.pair.x = hdr.wide.port;");
        self.line("transition accept;");
        self.close("");
        self.open("state peek");
        self.line("bit<8> ahead = packet.lookahead<bit<8>>();");
        self.line("meta.pair.y = ahead + count;");
        self.open("transition select(ahead)");
        self.line("0x10: either_small;");
        self.line("0x20 &&& 0xf0: either_large;");
        self.line("_: accept;");
        self.close("");
        self.close("");
        for (state, member) in [("either_small", "small"), ("either_large", "large")] {
            self.open(&format!("state {state}"));
            self.line(&format!("packet.extract(hdr.either.{member});"));
            self.line("transition accept;");
            self.close("");
        }
        self.close("");
    }

    /// A control that copies its parameters in and out, and sometimes executes an `exit`.
    pub(super) fn leaf_control(&mut self) {
        self.open("item_t relabelled(in item_t item, inout bit<8> count)");
        self.line("item_t made = item;");
        self.line("count = count + 1;");
        self.line("if (count[1:0] == 2) { return { count, 7w3, item.last }; }");
        self.line("made.label = made.label ^ count;");
        self.line("return made;");
        self.close("");
        self.line("control Leaf_t(inout bit<8> x, inout bit<16> y, in bit<8> z, cell c);");
        self.open("control Leaf(inout bit<8> x, inout bit<16> y, in bit<8> z, cell c)");
        self.line("cell(1) own;");
        self.line("action add(inout bit<8> to, in bit<8> by) {");
        self.line("    to = to + by + c.get();");
        self.line("    if (to[4:0] == 0x1c) { exit; }");
        self.line("}");
        self.line("action tell(bit<8> by) { c.set(c.get() + by); own.set(own.get() + z); }");
        self.open("table turns");
        self.line("key = { own.get() & 3: exact @name(\"turn\"); x: ternary; }");
        self.line("actions = { add(x, z); tell; }");
        self.line("default_action = tell(2);");
        self.line("const entries = { (1, _): tell(5); (2, 1 &&& 1): add(x, z); }");
        self.close("");
        self.open("apply");
        self.line("item_t fresh;");
        self.line("if (fresh.isValid()) { note(0xbd); }");
        self.line("fresh.setValid();");
        self.line("turns.apply();");
        self.line("for (bit<8> i = 0; i < 4; i = i + 1) {");
        self.line("    if (i[1:0] == z[1:0]) { continue; }");
        self.line("    add(x, i);");
        self.line("    y[11:4] = x + y[7:0];");
        self.line("    if (y[3:0] == z[3:0]) { return; }");
        self.line("}");
        self.line("y = y |+| 16w0x1000;");
        self.close("");
        self.close("");
        self.open("control Shell(inout bit<8> x)(Leaf_t leaf)");
        self.line("cell(3) mine;");
        self.open("apply");
        self.line("bit<16> y = 0x1234;");
        self.line("leaf.apply(x, y, y[7:0], mine);");
        self.line("x = x ^ y[15:8] ^ mine.get();");
        self.close("");
        self.close("");
    }

    pub(super) fn main(&mut self, controls: usize) {
        self.open("control Main(inout headers hdr, inout meta_t meta)");
        for number in 0..controls {
            self.line(&format!("C{number}() c{number};"));
        }
        self.open("apply");
        for number in 0..controls {
            self.line(&format!("c{number}.apply(hdr, meta);"));
        }
        self.line("show(meta.pair);");
        self.line("show(hdr.first);");
        self.close("");
        self.close("");
        self.open("control D(packet_out packet, in headers hdr, in meta_t meta)");
        self.open("apply");
        self.line("packet.emit(hdr);");
        self.close("");
        self.close("");
        self.line("Pipe(P(), Main(), D()) main;");
    }
}
