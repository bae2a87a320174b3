//! Controls with actions and tables.

use super::{Maker, Ty};

impl Maker {
    /// Puts the fields of the packet, which every control sees, in scope.
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

    pub(super) fn sub_control(&mut self, number: usize) {
        self.scope.clear();
        self.actions.clear();
        self.tables.clear();
        self.open(&format!("control C{number}(inout headers hdr, inout meta_t meta)"));
        self.packet_names();
        for _ in 0..2 {
            let (name, ty) = (self.new_name("local"), self.ty());
            let value = self.expression(ty, 1);
            self.line(&format!("{ty} {name} = {value};"));
            self.name(&name, ty, true);
        }
        self.leaves.clear();
        self.cells.clear();
        for _ in 0..2 {
            let leaf = self.new_name("leaf");
            self.line(&format!("Leaf() {leaf};"));
            self.leaves.push(leaf);
        }
        for initial in 1..3 {
            let cell = self.new_name("cell");
            self.line(&format!("cell({initial}) {cell};"));
            self.cells.push(cell);
        }
        let shell = self.new_name("shell");
        let leaf = self.leaves[0].clone();
        self.line(&format!("Shell({leaf}) {shell};"));
        self.shell = Some(shell);
        let bound = self.new_name("bound");
        self.line(&format!(
            "action {bound}(inout bit<8> to, in bit<16> by, bit<8> given) {{ to = to + given; hdr.first.a = (bit<8>)by ^ to; }}"
        ));
        self.bound = Some(bound);
        for _ in 0..2 {
            let name = self.new_name("act");
            self.open(&format!("action {name}(bit<8> given)"));
            self.name("given", Ty::Bit(8), false);
            self.statements(2);
            self.scope.pop();
            self.close("");
            self.actions.push(name);
        }
        for _ in 0..1 + self.random.random_below(2) {
            self.table();
        }
        self.open("apply");
        let count = 4 + self.random.random_below(5);
        self.statements(count);
        self.close("");
        self.close("");
    }

    fn table(&mut self) {
        let name = self.new_name("t");
        let kinds = ["exact", "ternary", "lpm", "range"];
        let count = 1 + self.random.random_below(3);
        let mut keys: Vec<(Ty, &str)> = Vec::new();
        self.open(&format!("table {name}"));
        self.open("key =");
        for position in 0..count {
            let ty = Ty::Bit(self.random_width());
            let value = self.expression(ty, 2);
            // At most one key is lpm, and then the others are exact.
            let kind = if position == 0 { kinds[self.random.random_below(4)] } else { "exact" };
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
        let given = self.random.random_below(256);
        self.line(&format!("default_action = {}({given});", actions[0]));
        if self.random.one_in(2) {
            self.open("const entries =");
            let mut given: Vec<Vec<String>> = Vec::new();
            for value in 1..3 + self.random.random_below(3) {
                let sets: Vec<String> = keys.iter().map(|(ty, kind)| keyset(*ty, kind, value)).collect();
                let action = &actions[self.random.random_below(actions.len())];
                let by_bound = bound.as_ref().filter(|_| with_bound && self.random.one_in(3));
                let action = by_bound.unwrap_or(action);
                if given.contains(&sets) {
                    continue;
                }
                given.push(sets.clone());
                self.line(&format!("({}): {action}({value});", sets.join(", ")));
            }
            self.close("");
        }
        if self.random.one_in(2) {
            let size = 16 << self.random.random_below(4);
            self.line(&format!("size = {size};"));
        }
        self.close("");
        self.tables.push(name);
    }
}

/// Returns a keyset for a key; values differ as far as the key's width allows.
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
