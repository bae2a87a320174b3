//! Functions with and without a result.

use super::{Maker, Ty};

impl Maker {
    pub(super) fn function(&mut self) {
        let name = self.new_name("f");
        let result = self.ty();
        let params: Vec<Ty> = (0..self.random.random_below(3)).map(|_| self.ty()).collect();
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
        // Older functions are no longer called, so that call trees stay small.
        if self.functions.len() > 6 {
            self.functions.remove(0);
        }
    }

    /// A function that changes its arguments.
    pub(super) fn procedure(&mut self) {
        let name = self.new_name("g");
        let params: Vec<Ty> = (0..2 + self.random.random_below(2)).map(|_| self.ty()).collect();
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
}
