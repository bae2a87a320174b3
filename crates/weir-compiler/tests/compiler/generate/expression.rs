//! Expressions and statements.

use super::{Maker, Ty};

impl Maker {
    /// Writes some statements in a scope of their own.
    pub(super) fn statements(&mut self, count: usize) {
        let outer = self.scope.len();
        for _ in 0..count {
            self.statement();
        }
        self.scope.truncate(outer);
    }

    fn nested(&mut self, head: &str, tail: &str) {
        self.open(head);
        self.depth += 1;
        let count = 1 + self.random.random_below(2);
        self.statements(count);
        self.depth -= 1;
        self.close(tail);
    }

    fn statement(&mut self) {
        if self.random.one_in(6) {
            return self.copying_statement();
        }
        let choices = if self.depth < 3 { 14 } else { 8 };
        match self.random.random_below(choices) {
            0..=3 => self.assignment(),
            4 => {
                let (ty, name) = (self.ty(), self.new_name("v"));
                let value = self.expression(ty, 3);
                self.line(&format!("{ty} {name} = {value};"));
                self.name(&name, ty, true);
            }
            5 => {
                let value = self.expression(Ty::Bit(8), 2);
                self.line(&format!("note({value});"));
            }
            6 if self.headers => self.header_statement(),
            7 if self.in_loop => {
                let condition = self.expression(Ty::Bool, 2);
                let jump = if self.random.one_in(2) { "break" } else { "continue" };
                self.line(&format!("if ({condition}) {{ {jump}; }}"));
            }
            8 | 9 => {
                let condition = self.expression(Ty::Bool, 3);
                self.nested(&format!("if ({condition})"), "");
                if self.random.one_in(2) {
                    self.nested("else", "");
                }
            }
            10 => self.switch(),
            11 => {
                let name = self.new_name("i");
                let last = self.random.random_below(5);
                let outer = std::mem::replace(&mut self.in_loop, true);
                self.name(&name, Ty::Bit(8), false);
                self.nested(&format!("for (bit<8> {name} in 0 .. {last})"), "");
                self.scope.pop();
                self.in_loop = outer;
            }
            12 if !self.tables.is_empty() => self.apply(),
            13 if !self.tables.is_empty() => {
                let action = self.actions[self.random.random_below(self.actions.len())].clone();
                let value = self.expression(Ty::Bit(8), 2);
                self.line(&format!("{action}({value});"));
            }
            _ => self.assignment(),
        }
    }

    fn assignment(&mut self) {
        let writable: Vec<_> = self.scope.iter().filter(|name| name.writable).cloned().collect();
        if writable.is_empty() {
            let (ty, name) = (self.ty(), self.new_name("v"));
            self.line(&format!("{ty} {name};"));
            let value = self.expression(ty, 3);
            self.line(&format!("{name} = {value};"));
            return self.name(&name, ty, true);
        }
        let target = &writable[self.random.random_below(writable.len())];
        match target.ty {
            Ty::Bit(width) if width > 4 && self.random.one_in(5) => {
                let low = self.random.random_below(width as usize - 2) as u32;
                let high = low + self.random.random_below((width - low) as usize) as u32;
                let value = self.expression(Ty::Bit(high - low + 1), 2);
                self.line(&format!("{}[{high}:{low}] = {value};", target.text));
            }
            Ty::Bit(_) if self.random.one_in(6) => {
                let value = self.expression(target.ty, 2);
                let operator = ["+=", "-=", "^=", "|=", "&="][self.random.random_below(5)];
                self.line(&format!("{} {operator} {value};", target.text));
            }
            ty => {
                let value = self.expression(ty, 4);
                self.line(&format!("{} = {value};", target.text));
            }
        }
    }

    /// Returns a place of type `bit<width>`: a name, or some bits of a variable.
    pub(super) fn place(&mut self, width: u32) -> Option<String> {
        let fitting: Vec<_> = self
            .scope
            .iter()
            .filter(|name| name.writable && matches!(name.ty, Ty::Bit(wide) if wide >= width))
            .cloned()
            .collect();
        let name = fitting.get(self.random.random_below(fitting.len()))?;
        let Ty::Bit(wide) = name.ty else { return None };
        if wide == width {
            return Some(name.text.clone());
        }
        let low = self.random.random_below((wide - width) as usize + 1) as u32;
        Some(format!("{}[{}:{low}]", name.text, low + width - 1))
    }

    fn place_of(&mut self, ty: Ty) -> Option<String> {
        if let Ty::Bit(width) = ty {
            return self.place(width);
        }
        let fitting: Vec<_> =
            self.scope.iter().filter(|name| name.writable && name.ty == ty).cloned().collect();
        fitting.get(self.random.random_below(fitting.len())).map(|name| name.text.clone())
    }

    /// A statement that copies arguments in and out, or that leaves the block.
    fn copying_statement(&mut self) {
        let choice = self.random.random_below(if self.headers { 6 } else { 2 });
        if choice < 2 {
            let Some((name, params)) =
                self.procedures.get(self.random.random_below(self.procedures.len().max(1))).cloned()
            else {
                return self.assignment();
            };
            let mut args = Vec::new();
            for (position, ty) in params.iter().enumerate() {
                if position + 1 == params.len() {
                    args.push(self.expression(*ty, 2));
                } else if let Some(place) = self.place_of(*ty) {
                    args.push(place);
                } else {
                    return self.assignment();
                }
            }
            return self.line(&format!("{name}({});", args.join(", ")));
        }
        match choice {
            2 if !self.leaves.is_empty() && !self.tables.is_empty() => {
                let leaf = self.leaves[self.random.random_below(self.leaves.len())].clone();
                let (Some(x), Some(y)) = (self.place(8), self.place(16)) else { return self.assignment() };
                let z = self.expression(Ty::Bit(8), 2);
                let cell = self.cells[self.random.random_below(self.cells.len())].clone();
                if let Some(shell) = self.shell.clone().filter(|_| self.random.one_in(4)) {
                    return self.line(&format!("{shell}.apply({x});"));
                }
                self.line(&format!("{leaf}.apply({x}, {y}, {z}, {cell});"));
            }
            3 => {
                let condition = self.expression(Ty::Bool, 2);
                let leave = if self.random.one_in(2) { "exit" } else { "return" };
                let digit = self.random.random_below(10);
                self.line(&format!("if (meta.pair.y[3:0] == {digit} && {condition}) {{ {leave}; }}"));
            }
            4 => {
                let x = self.expression(Ty::Bit(16), 2);
                self.line(&format!(
                    "meta.pair = {{ y = (bit<8>)meta.pair.x, x = {x} ^ (bit<16>)meta.pair.y }};"
                ));
            }
            _ => {
                let (to, from) = (self.random.random_below(3), self.random.random_below(3));
                self.line(&format!("hdr.items[{to}] = relabelled(hdr.items[{from}], meta.pair.y);"));
            }
        }
    }

    fn header_statement(&mut self) {
        let statement = [
            "hdr.wide.setValid();",
            "hdr.first.setInvalid();",
            "hdr.items.push_front(1);",
            "hdr.items.pop_front(2);",
            "hdr.items[meta.pair.y].setValid();",
            "hdr.items[2] = hdr.items[meta.pair.y];",
            "hdr.either.small = { 1, 2, 0 };",
            "hdr.either.large.setValid();",
            "hdr.wide = { port = 7, address = 1, offset = -3 };",
            "meta.mode = Mode.Fast;",
            "meta.kind = Kind.Third;",
            "meta.tag = (tag_t)meta.pair.y;",
            "swap(hdr.first.a, meta.pair.y);",
            "bump(hdr.first.flags);",
        ];
        let statement = statement[self.random.random_below(statement.len())];
        self.line(statement);
    }

    fn switch(&mut self) {
        let subject = self.expression(Ty::Bit(8), 2);
        self.open(&format!("switch ({subject})"));
        let mut value = 0;
        for _ in 0..1 + self.random.random_below(3) {
            value += 1 + self.random.random_below(20);
            self.nested(&format!("{value}:"), "");
        }
        if self.random.one_in(2) {
            self.nested("default:", "");
        }
        self.close("");
    }

    fn apply(&mut self) {
        let table = self.tables[self.random.random_below(self.tables.len())].clone();
        match self.random.random_below(3) {
            0 => self.line(&format!("{table}.apply();")),
            1 => {
                let side = if self.random.one_in(2) { "hit" } else { "miss" };
                self.nested(&format!("if ({table}.apply().{side})"), "");
            }
            _ => {
                self.open(&format!("switch ({table}.apply().action_run)"));
                let action = self.actions[0].clone();
                self.nested(&format!("{action}:"), "");
                self.nested("default:", "");
                self.close("");
            }
        }
    }

    /// Returns an expression of a type, at most `depth` levels deep.
    pub(super) fn expression(&mut self, ty: Ty, depth: usize) -> String {
        if depth == 0 || self.random.one_in(4) {
            return self.leaf(ty);
        }
        if self.random.one_in(8) {
            let callable: Vec<_> =
                self.functions.iter().filter(|(_, result, _)| *result == ty).cloned().collect();
            if let Some((name, _, params)) = callable.get(self.random.random_below(callable.len().max(1))) {
                let args: Vec<String> =
                    params.iter().map(|param| self.expression(*param, depth.min(2) - 1)).collect();
                return format!("{name}({})", args.join(", "));
            }
        }
        let next = depth - 1;
        if self.random.one_in(8) {
            let condition = self.expression(Ty::Bool, next);
            let (then, otherwise) = (self.expression(ty, next), self.expression(ty, next));
            return format!("({condition} ? {then} : {otherwise})");
        }
        match ty {
            Ty::Bool => self.condition(next),
            Ty::Bit(width) => self.bits(width, next),
            Ty::Int(width) => match self.random.random_below(3) {
                0 => format!("(int<{width}>){}", self.expression(Ty::Bit(width), next)),
                1 => {
                    let (left, right) = (self.expression(ty, next), self.expression(ty, next));
                    let operator = ["+", "-", "*", "|+|", "|-|"][self.random.random_below(5)];
                    format!("({left} {operator} {right})")
                }
                _ => {
                    let value = self.expression(ty, next);
                    format!("({value} >> {})", self.random.random_below(width as usize))
                }
            },
        }
    }

    fn condition(&mut self, next: usize) -> String {
        match self.random.random_below(5) {
            0 => {
                let value = self.expression(Ty::Bool, next);
                format!("!({value})")
            }
            1 => {
                let (left, right) = (self.expression(Ty::Bool, next), self.expression(Ty::Bool, next));
                let operator = if self.random.one_in(2) { "&&" } else { "||" };
                format!("({left} {operator} {right})")
            }
            2 if self.headers => {
                let header =
                    ["hdr.first", "hdr.items[1]", "hdr.items[meta.pair.y]", "hdr.either", "hdr.wide"];
                format!("{}.isValid()", header[self.random.random_below(header.len())])
            }
            _ => {
                let ty = if self.random.one_in(4) { Ty::Int(16) } else { Ty::Bit(self.random_width()) };
                let (left, right) = (self.expression(ty, next), self.expression(ty, next));
                let operator = ["==", "!=", "<", "<=", ">", ">="][self.random.random_below(6)];
                format!("({left} {operator} {right})")
            }
        }
    }

    fn bits(&mut self, width: u32, next: usize) -> String {
        let ty = Ty::Bit(width);
        match self.random.random_below(8) {
            0 => format!("~{}", self.expression(ty, next)),
            1 => format!("(bit<{width}>){}", self.expression(Ty::Int(width), next)),
            2 if width > 1 => {
                let left = 1 + self.random.random_below(width as usize - 1) as u32;
                let (high, low) =
                    (self.expression(Ty::Bit(left), next), self.expression(Ty::Bit(width - left), next));
                format!("({high} ++ {low})")
            }
            3 => {
                let wider = width + 3;
                let value = self.expression(Ty::Bit(wider), next);
                let low = self.random.random_below(4) as u32;
                format!("({value})[{}:{low}]", low + width - 1)
            }
            4 => {
                let value = self.expression(ty, next);
                let amount = self.expression(Ty::Bit(4), 0);
                let operator = if self.random.one_in(2) { "<<" } else { ">>" };
                format!("({value} {operator} {amount})")
            }
            5 if width == 1 => format!("(bit<1>)({})", self.expression(Ty::Bool, next)),
            _ => {
                let (left, right) = (self.expression(ty, next), self.expression(ty, next));
                let operator = ["+", "-", "*", "&", "|", "^", "|+|", "|-|"][self.random.random_below(8)];
                format!("({left} {operator} {right})")
            }
        }
    }

    fn leaf(&mut self, ty: Ty) -> String {
        let fitting: Vec<&str> =
            self.scope.iter().filter(|name| name.ty == ty).map(|name| name.text.as_str()).collect();
        if !fitting.is_empty() && !self.random.one_in(4) {
            let choice = self.random.random_below(fitting.len());
            let fitting: Vec<&str> =
                self.scope.iter().filter(|name| name.ty == ty).map(|name| name.text.as_str()).collect();
            return fitting[choice].to_string();
        }
        match ty {
            Ty::Bool => ["true", "false"][self.random.random_below(2)].to_string(),
            Ty::Bit(width) => {
                let most = if width >= 16 { 65_535 } else { (1usize << width) - 1 };
                format!("{width}w{}", self.random.random_below(most + 1))
            }
            Ty::Int(width) => {
                let most = if width >= 16 { 32_767 } else { (1usize << (width - 1)) - 1 };
                let sign = if self.random.one_in(3) { "-" } else { "" };
                format!("{sign}{width}s{}", self.random.random_below(most + 1))
            }
        }
    }
}
