//! Random calls of externs.

use weir_ir::{Arg, ArgValue, Direction, ExternCall, HeaderId, Id, Leaf, Stmt, StmtKind, Type};

use crate::maker::Maker;

impl Maker<'_> {
    pub(crate) fn extern_call(&mut self) -> Stmt {
        if self.one_in(3)
            && let Some(header) = self.header_with_checksum()
        {
            let updates = self.one_in(2);
            return self.checksum_of(header, updates);
        }
        let ty = self.scalar();
        let mut leaves = vec![Leaf::Value(self.expr(ty, 1))];
        if self.one_in(4) {
            let varbit = self.varbit();
            leaves.push(Leaf::Value(self.expr(varbit, 1)));
        }
        if self.one_in(2) {
            leaves.push(Leaf::Header(HeaderId::new(self.number_below(self.program.headers.len()))));
        }
        // Results of 16 bits and of one bit may be checksums, sums, and whether a sum is wrong.
        let width = self.choose(&[32, 32, 16, 1]);
        let mut result = self.vars_of(Type::bit(width));
        if result.is_empty() {
            result = self.vars_of(Type::bit(32));
        }
        let count = ExternCall {
            callee: "count".into(),
            instance: [None, Some(Id::new(0))][self.number_below(2)],
            type_args: vec![ty],
            declared: self.data_types(),
            args: vec![
                Arg { name: "values".into(), direction: Direction::In, value: ArgValue::Leaves(leaves) },
                Arg { name: "text".into(), direction: Direction::In, value: ArgValue::Text("`\\".into()) },
                Arg { name: "object".into(), direction: Direction::In, value: ArgValue::Extern(Id::new(0)) },
            ],
            result: vec![self.choose(&result)],
        };
        if self.one_in(2) {
            return self.stmt(StmtKind::Extern(count));
        }
        let header = HeaderId::new(self.number_below(self.program.headers.len()));
        let (vars, names) = if self.one_in(2) {
            let header = &self.program.headers[header];
            let vars: Vec<_> = header.fields.iter().copied().chain([header.valid]).collect();
            let names = vars.iter().map(|var| self.program.vars[*var].name.clone()).collect();
            (vars, names)
        } else {
            (self.vars_of(Type::bit(8))[..1].to_vec(), Vec::new())
        };
        let value = ArgValue::Vars { vars, names };
        let direction = self.choose(&[Direction::InOut, Direction::Out]);
        let arg = Arg { name: "value".into(), direction, value };
        let touch = ExternCall {
            callee: "touch".into(),
            instance: None,
            type_args: Vec::new(),
            declared: Vec::new(),
            args: vec![arg],
            result: Vec::new(),
        };
        self.stmt(StmtKind::Extern(touch))
    }
}
