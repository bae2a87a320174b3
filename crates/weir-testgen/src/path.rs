//! Packet processing as in real programs, which parse one header after the other, verify and update
//! a checksum, and emit the headers.

use weir_ir::{
    Arg, ArgValue, Bits, Block, Direction, Expr, ExprKind, ExternCall, HeaderId, HeaderRef, Keyset, Leaf,
    Param, Parser, ParserState, ParserStateId, Place, SelectCase, Stmt, StmtKind, Target, Transition, Type,
    VarId,
};

use crate::maker::Maker;

impl Maker<'_> {
    /// Extracts a header, mostly a whole number of bytes.
    pub(crate) fn extract(&mut self, to: HeaderRef) -> Stmt {
        let program = &self.program;
        let header = match &to {
            HeaderRef::Header(id) => *id,
            HeaderRef::Element(stack, _) | HeaderRef::Next(stack) => program.stacks[*stack].elements[0],
        };
        let layout = &program.header_types[program.headers[header].ty];
        let (fixed, has_varbit) = (layout.fixed_width(), layout.varbits() > 0);
        let varbit_bits = has_varbit.then(|| {
            if self.one_in(8) {
                return self.expr(Type::bit(32), 1);
            }
            let bits = self.number_below(5) as u32 * 8
                + if self.one_in(5) { 1 } else { fixed.next_multiple_of(8) - fixed };
            Expr { kind: ExprKind::Const(Bits::new(32, u128::from(bits))), ty: Type::bit(32) }
        });
        self.stmt(StmtKind::Extract { to, varbit_bits })
    }

    /// Returns a parser with a state for each header and stack, in order. A bit of each header says
    /// whether another one follows.
    pub(crate) fn header_parser(&mut self, params: Vec<Param>) -> Parser {
        let stacks: Vec<_> =
            self.program.stacks.iter().map(|(id, stack)| (HeaderRef::Next(id), stack.elements[0])).collect();
        let in_stacks: usize = self.program.stacks.values().map(|stack| stack.elements.len()).sum();
        let alone = (0..self.program.headers.len() - in_stacks).map(HeaderId::new);
        let headers: Vec<_> = alone.map(|id| (HeaderRef::Header(id), id)).chain(stacks).collect();
        let count = headers.len();
        let mut states = Vec::new();
        for (i, (header, read)) in headers.into_iter().enumerate() {
            let next = if i + 1 < count { Target::State(ParserStateId::new(i + 1)) } else { Target::Accept };
            let again = matches!(header, HeaderRef::Next(_)).then(|| Target::State(ParserStateId::new(i)));
            let mut body = if self.one_in(6) { self.parser_body() } else { Block::default() };
            body.0.push(self.extract(header));
            let transition = self.transition_after(read, next, again);
            let name = if i == 0 { "start".into() } else { format!("s{i}") };
            states.push(ParserState { name, body, transition, loc: self.loc() });
        }
        let states = states.into_iter().collect();
        let start = ParserStateId::new(0);
        Parser { name: "P".into(), params, locals: Block::default(), states, start, loc: self.loc() }
    }

    /// Makes a transition to the next header, unconditional or by a bit of the header that was
    /// read.
    fn transition_after(&mut self, read: HeaderId, next: Target, again: Option<Target>) -> Transition {
        let fits = |var: &VarId| {
            let ty = self.program.vars[*var].ty;
            !matches!(ty, Type::Varbit { .. }) && (1..=64).contains(&ty.width())
        };
        let fields = self.program.headers[read].fields.iter().copied();
        let fields: Vec<VarId> = fields.filter(fits).collect();
        if fields.is_empty() || self.number_below(3) == 0 {
            return Transition::Goto(next);
        }
        let key = self.choose(&fields);
        let key = self.var(key);
        let width = key.ty.width();
        let bit = Bits::new(width, 1 << self.number_below(width as usize));
        let more = Keyset::Mask(bit.clone(), bit);
        let mut cases =
            vec![SelectCase { keysets: vec![more], target: again.unwrap_or(next), loc: self.loc() }];
        if !self.one_in(6) {
            let target = if again.is_some() || self.one_in(3) { next } else { Target::Accept };
            cases.push(SelectCase { keysets: vec![Keyset::Any], target, loc: self.loc() });
        }
        Transition::Select { keys: vec![key], cases, loc: self.loc() }
    }

    /// Chooses a header with a field that may hold a checksum.
    pub(crate) fn header_with_checksum(&mut self) -> Option<HeaderId> {
        let has_sum = |id: &HeaderId| {
            let mut fields = self.program.headers[*id].fields.iter();
            fields.any(|field| self.program.vars[*field].ty == Type::bit(16))
        };
        let candidates: Vec<_> = self.program.headers.iter().map(|(id, _)| id).filter(has_sum).collect();
        (!candidates.is_empty()).then(|| self.choose(&candidates))
    }

    /// Changes a field of a header, as programs do between the verification and the update of a
    /// checksum.
    pub(crate) fn change_field(&mut self, header: HeaderId) -> Stmt {
        let fields = self.program.headers[header].fields.clone();
        let field = self.choose(&fields);
        let ty = self.program.vars[field].ty;
        let value = self.expr(ty, 1);
        self.stmt(StmtKind::Assign(Place::Var(field), value))
    }

    /// Makes a call with arguments like those of a checksum over a header with a field of 16 bits:
    /// one that verifies or one that updates it.
    pub(crate) fn checksum_of(&mut self, header: HeaderId, updates: bool) -> Stmt {
        let (fields, valid) =
            (self.program.headers[header].fields.clone(), self.program.headers[header].valid);
        let sums: Vec<_> =
            fields.iter().copied().filter(|var| self.program.vars[*var].ty == Type::bit(16)).collect();
        let sum = self.choose(&sums);
        let condition = if self.one_in(4) { self.expr(Type::Bool, 1) } else { self.var(valid) };
        let mut data: Vec<_> =
            fields.into_iter().filter(|var| *var != sum).map(|var| Leaf::Value(self.var(var))).collect();
        match self.number_below(8) {
            // A few fields of one or two bytes, mostly not adjacent, so that each is added
            // separately.
            5 => {
                let is_short = |var: &VarId| {
                    let ty = self.program.vars[*var].ty;
                    matches!(ty, Type::Bits { width: 8 | 16, .. })
                };
                let all = self.program.headers.values().flat_map(|header| &header.fields);
                let short: Vec<VarId> = all.copied().filter(is_short).collect();
                let count = self.number_below(3) + 1;
                data = (0..count)
                    .map(|_| {
                        let field = self.choose(&short);
                        Leaf::Value(self.var(field))
                    })
                    .collect();
            }
            6 => {
                let ty = Type::bit([16, 8, 13, 48][self.number_below(4)]);
                data.push(Leaf::Value(self.expr(ty, 1)));
            }
            // The data also contains the checksum field itself.
            7 => data = vec![Leaf::Header(header)],
            _ => {}
        }
        let arg = |name: &str, direction, value| Arg { name: name.into(), direction, value };
        let leaves = ArgValue::Leaves;
        let sum = if updates {
            let vars = ArgValue::Vars { vars: vec![sum], names: Vec::new() };
            arg("sum", Direction::InOut, vars)
        } else {
            arg("sum", Direction::In, leaves(vec![Leaf::Value(self.var(sum))]))
        };
        let args = vec![
            arg("condition", Direction::In, leaves(vec![Leaf::Value(condition)])),
            arg("data", Direction::In, leaves(data)),
            sum,
        ];
        let callee = if updates { "update" } else { "verify" }.into();
        let (type_args, declared) = (Vec::new(), Vec::new());
        let call = ExternCall { callee, instance: None, type_args, declared, args, result: Vec::new() };
        self.stmt(StmtKind::Extern(call))
    }

    /// Makes statements that emit the headers: mostly all in order, but sometimes with headers that
    /// are left out, repeated, in another order, or emitted under a condition, or with other
    /// statements before or between them.
    pub(crate) fn emits(&mut self) -> Block {
        let count = self.program.headers.len();
        let disorder = self.number_below(4);
        let mut order: Vec<_> = (0..count).map(HeaderId::new).collect();
        if disorder == 1 {
            let (one, other) = (self.number_below(count), self.number_below(count));
            order.swap(one, other);
        }
        let mut block = Block::default();
        if disorder < 2 && self.one_in(2) {
            let changed = HeaderId::new(self.number_below(count));
            block.0.push(self.change_field(changed));
        }
        for header in order {
            let header = HeaderRef::Header(header);
            let header = if disorder == 2 && self.one_in(3) { self.header() } else { header };
            let emit = self.stmt(StmtKind::Emit(header));
            let stmt = if disorder > 1 && self.one_in(4) {
                let condition = self.expr(Type::Bool, 1);
                let (then, otherwise) = (Block(vec![emit]), Block::default());
                self.stmt(StmtKind::If { condition, then, otherwise })
            } else {
                emit
            };
            block.0.push(stmt);
            if disorder == 3 && self.one_in(4) {
                block.0.push(self.control_stmt(1, true));
            }
        }
        block
    }
}
