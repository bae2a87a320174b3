//! Valid P4 programs for the architecture of `testdata/lower/pipe.p4`, the same for the same seed
//! and length.
//!
//! They use what programs use: headers, stacks, unions, structs, enums, constants, functions,
//! parsers with selects and loops, sub-controls, actions, tables with entries, switches and loops.
//! Nothing is divided and nothing recurs; loops are short.

mod expression;

use std::fmt::Write;

/// The seeded choices (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `count`.
    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    fn chance(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }
}

/// A type of the programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ty {
    Bool,
    Bit(u32),
    Int(u32),
}

impl std::fmt::Display for Ty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ty::Bool => f.write_str("bool"),
            Ty::Bit(width) => write!(f, "bit<{width}>"),
            Ty::Int(width) => write!(f, "int<{width}>"),
        }
    }
}

const WIDTHS: [u32; 7] = [8, 1, 4, 16, 32, 48, 77];

/// A name in scope: how it is written, its type, and whether it can be assigned.
#[derive(Clone, Debug)]
struct Name {
    text: String,
    ty: Ty,
    writable: bool,
}

struct Maker {
    random: Random,
    out: String,
    indent: usize,
    scope: Vec<Name>,
    /// Functions: name, result, types of their `in` parameters.
    functions: Vec<(String, Ty, Vec<Ty>)>,
    /// Functions without result: name, types of their parameters, the last of which is `in`, the
    /// others `inout`.
    procedures: Vec<(String, Vec<Ty>)>,
    /// Instances of a control with parameters of these types, the last of which is `in`, the others
    /// `inout`.
    leaves: Vec<String>,
    /// Extern objects that they are given.
    cells: Vec<String>,
    /// An instance that applies one of them.
    shell: Option<String>,
    /// The action of the control at hand with a parameter that tables bind.
    bound: Option<String>,
    /// Actions of the control at hand that take one `bit<8>`.
    actions: Vec<String>,
    tables: Vec<String>,
    /// How deep the statement at hand is nested.
    depth: usize,
    in_loop: bool,
    fresh: usize,
    /// Whether header names are in scope.
    headers: bool,
}

/// A program of about `lines` lines, at least a hundred or so.
pub fn program(seed: u64, lines: usize) -> String {
    let mut maker = Maker {
        random: Random(seed),
        out: String::new(),
        indent: 0,
        scope: Vec::new(),
        functions: Vec::new(),
        procedures: Vec::new(),
        leaves: Vec::new(),
        cells: Vec::new(),
        shell: None,
        bound: None,
        actions: Vec::new(),
        tables: Vec::new(),
        depth: 0,
        in_loop: false,
        fresh: 0,
        headers: false,
    };
    maker.types();
    maker.parser();
    maker.leaf_control();
    let mut controls = 0;
    // What follows the sub-controls takes a line for each of them and some more.
    while controls == 0 || maker.out.lines().count() + controls + 60 < lines {
        let before = maker.out.len();
        maker.function();
        maker.procedure();
        maker.sub_control(controls);
        controls += 1;
        let per_control = maker.out[before..].lines().count().max(1);
        // Counting all lines again for each control would take longer than making them.
        let rest = lines.saturating_sub(maker.out.lines().count() + controls + 60) / (per_control * 4);
        for _ in 0..rest {
            maker.function();
            maker.procedure();
            maker.sub_control(controls);
            controls += 1;
        }
    }
    maker.main(controls);
    maker.out
}

impl Maker {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:width$}{text}", "", width = 4 * self.indent);
    }

    fn open(&mut self, text: &str) {
        self.line(&format!("{text} {{"));
        self.indent += 1;
    }

    fn close(&mut self, tail: &str) {
        self.indent -= 1;
        self.line(&format!("}}{tail}"));
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.fresh += 1;
        format!("{stem}{}", self.fresh)
    }

    fn width(&mut self) -> u32 {
        WIDTHS[self.random.below(WIDTHS.len())]
    }

    fn ty(&mut self) -> Ty {
        match self.random.below(6) {
            0 => Ty::Bool,
            1 => Ty::Int(self.width().max(2)),
            _ => Ty::Bit(self.width()),
        }
    }

    fn name(&mut self, text: &str, ty: Ty, writable: bool) {
        self.scope.push(Name { text: text.to_string(), ty, writable });
    }

    fn types(&mut self) {
        self.line("#include \"pipe.p4\"");
        self.line("error { Odd, Even }");
        self.line("enum bit<8> Kind { First = 1, Second = 2, Third = 7 }");
        self.line("enum Mode { Slow, Fast }");
        self.line("typedef bit<16> port_t;");
        self.line("type bit<8> tag_t;");
        for position in 0..2 {
            let number = self.random.below(200);
            self.line(&format!("const bit<16> LIMIT{position} = {number};"));
        }
        let tail = 8 * (1 + self.random.below(6));
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

    /// What every control sees of the packet.
    fn packet_names(&mut self) {
        for (text, ty) in [
            ("hdr.first.kind", Ty::Bit(8)),
            ("hdr.first.a", Ty::Bit(8)),
            ("hdr.first.left", Ty::Bit(4)),
            ("hdr.items[0].label", Ty::Bit(8)),
            ("hdr.items[1].last", Ty::Bit(1)),
            ("hdr.items[meta.pair.y].label", Ty::Bit(8)),
            ("hdr.wide.address", Ty::Bit(48)),
            ("hdr.wide.port", Ty::Bit(16)),
            ("hdr.wide.offset", Ty::Int(16)),
            ("hdr.either.small.label", Ty::Bit(8)),
            ("meta.pair.x", Ty::Bit(16)),
            ("meta.pair.y", Ty::Bit(8)),
            ("meta.flag", Ty::Bool),
            ("meta.long", Ty::Bit(77)),
        ] {
            self.name(text, ty, true);
        }
        self.name("LIMIT0", Ty::Bit(16), false);
        self.headers = true;
    }

    fn parser(&mut self) {
        self.open("parser P(packet_in packet, out headers hdr, inout meta_t meta)");
        self.line("bit<8> count = 0;");
        self.open("state start");
        self.line("packet.extract(hdr.first);");
        self.line("count = hdr.first.flags & 3;");
        self.open("transition select(hdr.first.kind, hdr.first.left)");
        self.line("(1, _): items;");
        let low = self.random.below(50);
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

    fn function(&mut self) {
        let name = self.fresh("f");
        let result = self.ty();
        let params: Vec<Ty> = (0..self.random.below(3)).map(|_| self.ty()).collect();
        let outer = std::mem::take(&mut self.scope);
        self.actions.clear();
        self.tables.clear();
        self.headers = false;
        let mut written = Vec::new();
        for (position, ty) in params.iter().enumerate() {
            self.name(&format!("p{position}"), *ty, false);
            written.push(format!("in {ty} p{position}"));
        }
        self.open(&format!("{result} {name}({})", written.join(", ")));
        self.statements(2);
        let value = self.expression(result, 3);
        self.line(&format!("return {value};"));
        self.close("");
        self.scope = outer;
        self.functions.push((name, result, params));
        // Those that lie far back are not called any more, so that call trees stay small.
        if self.functions.len() > 6 {
            self.functions.remove(0);
        }
    }

    /// A function that changes what it is given.
    fn procedure(&mut self) {
        let name = self.fresh("g");
        let params: Vec<Ty> = (0..2 + self.random.below(2)).map(|_| self.ty()).collect();
        let outer = std::mem::take(&mut self.scope);
        let mut written = Vec::new();
        for (position, ty) in params.iter().enumerate() {
            let last = position + 1 == params.len();
            self.name(&format!("q{position}"), *ty, !last);
            written.push(format!("{} {ty} q{position}", if last { "in" } else { "inout" }));
        }
        self.open(&format!("void {name}({})", written.join(", ")));
        self.statements(2);
        let condition = self.expression(Ty::Bool, 2);
        self.line(&format!("if ({condition}) {{ return; }}"));
        self.statements(2);
        self.close("");
        self.scope = outer;
        self.procedures.push((name, params));
        if self.procedures.len() > 4 {
            self.procedures.remove(0);
        }
    }

    /// A control that copies in and out, and leaves everything now and then.
    fn leaf_control(&mut self) {
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

    fn sub_control(&mut self, number: usize) {
        self.scope.clear();
        self.actions.clear();
        self.tables.clear();
        self.open(&format!("control C{number}(inout headers hdr, inout meta_t meta)"));
        self.packet_names();
        for _ in 0..2 {
            let (name, ty) = (self.fresh("local"), self.ty());
            let value = self.expression(ty, 1);
            self.line(&format!("{ty} {name} = {value};"));
            self.name(&name, ty, true);
        }
        self.leaves.clear();
        self.cells.clear();
        for _ in 0..2 {
            let leaf = self.fresh("leaf");
            self.line(&format!("Leaf() {leaf};"));
            self.leaves.push(leaf);
        }
        for initial in 1..3 {
            let cell = self.fresh("cell");
            self.line(&format!("cell({initial}) {cell};"));
            self.cells.push(cell);
        }
        let shell = self.fresh("shell");
        let leaf = self.leaves[0].clone();
        self.line(&format!("Shell({leaf}) {shell};"));
        self.shell = Some(shell);
        let bound = self.fresh("bound");
        self.line(&format!(
            "action {bound}(inout bit<8> to, in bit<16> by, bit<8> given) {{ to = to + given; hdr.first.a = (bit<8>)by ^ to; }}"
        ));
        self.bound = Some(bound);
        for _ in 0..2 {
            let name = self.fresh("act");
            self.open(&format!("action {name}(bit<8> given)"));
            self.name("given", Ty::Bit(8), false);
            self.statements(2);
            self.scope.pop();
            self.close("");
            self.actions.push(name);
        }
        for _ in 0..1 + self.random.below(2) {
            self.table();
        }
        self.open("apply");
        let count = 4 + self.random.below(5);
        self.statements(count);
        self.close("");
        self.close("");
    }

    fn table(&mut self) {
        let name = self.fresh("t");
        let kinds = ["exact", "ternary", "lpm", "range"];
        let count = 1 + self.random.below(3);
        let mut keys: Vec<(Ty, &str)> = Vec::new();
        self.open(&format!("table {name}"));
        self.open("key =");
        for position in 0..count {
            let ty = Ty::Bit(self.width());
            let value = self.expression(ty, 2);
            // At most one key is lpm, and then the others are exact.
            let kind = if position == 0 { kinds[self.random.below(4)] } else { "exact" };
            self.line(&format!("{value}: {kind} @name(\"key{position}\");"));
            keys.push((ty, kind));
        }
        self.close("");
        let actions = self.actions.clone();
        let mut listed = actions.join("; ");
        let bound = self.bound.clone();
        if let (Some(bound), Some(place)) = (&bound, self.place(8)) {
            let by = self.expression(Ty::Bit(16), 1);
            listed = format!("{listed}; {bound}({place}, {by})");
        }
        let with_bound = listed.len() > actions.join("; ").len();
        self.line(&format!("actions = {{ {listed}; NoAction; }}"));
        let given = self.random.below(256);
        self.line(&format!("default_action = {}({given});", actions[0]));
        if self.random.chance(2) {
            self.open("const entries =");
            let mut given: Vec<Vec<String>> = Vec::new();
            for value in 1..3 + self.random.below(3) {
                let sets: Vec<String> = keys.iter().map(|(ty, kind)| keyset(*ty, kind, value)).collect();
                let action = &actions[self.random.below(actions.len())];
                let by_bound = bound.as_ref().filter(|_| with_bound && self.random.chance(3));
                let action = by_bound.unwrap_or(action);
                if given.contains(&sets) {
                    continue;
                }
                given.push(sets.clone());
                self.line(&format!("({}): {action}({value});", sets.join(", ")));
            }
            self.close("");
        }
        if self.random.chance(2) {
            let size = 16 << self.random.below(4);
            self.line(&format!("size = {size};"));
        }
        self.close("");
        self.tables.push(name);
    }

    fn main(&mut self, controls: usize) {
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

/// A set for a key; values differ as far as the key's width allows.
fn keyset(ty: Ty, kind: &str, value: usize) -> String {
    let width = match ty {
        Ty::Bit(width) | Ty::Int(width) => width,
        Ty::Bool => 1,
    };
    let most = if width >= 8 { 255 } else { (1 << width) - 1 };
    let value = value.min(most);
    match kind {
        "ternary" => format!("{value} &&& {most}"),
        "range" => format!("{value} .. {most}"),
        _ => value.to_string(),
    }
}
