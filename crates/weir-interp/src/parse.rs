//! Parsers: states, transitions, and reads of packet bits (P4 spec §12).

use weir_exec::{Event, LOOP_LIMIT};
use weir_ir::{Bits, Expr, HeaderRef, Keyset, Loc, ParserId, Place, Target, Transition, Type, wire};

use crate::run::{Machine, Stop};

impl Machine<'_> {
    /// Runs a parser to `accept` (true) or `reject` (false), or to an error.
    pub(crate) fn parse(&mut self, id: ParserId) -> Result<bool, Stop> {
        let (parser, counts) = (&self.program.parsers[id], &self.interpreter.visits[id.index()]);
        self.block(&parser.locals)?;
        let mut next = parser.start;
        let mut visits: u32 = 0;
        while visits < LOOP_LIMIT {
            visits = visits.saturating_add(counts[next.index()]);
            if self.tracing {
                self.env.event(Event::State(id, next));
            }
            let state = &parser.states[next];
            self.block(&state.body)?;
            let (target, loc) = match &state.transition {
                Transition::Goto(target) => (*target, state.loc),
                Transition::Select { keys, cases, loc: select } => {
                    let mut values = std::mem::take(&mut self.keys);
                    values.clear();
                    values.extend(keys.iter().map(|key| self.eval(key)));
                    let case = cases.iter().find(|case| self.matches(&case.keysets, keys, &values));
                    self.keys = values;
                    match case {
                        Some(case) => (case.target, case.loc),
                        None => {
                            let end = Err(Stop::ParserError(self.interpreter.errors.no_match));
                            return self.trace_error(end, *select).map(|()| false);
                        }
                    }
                }
            };
            if self.tracing {
                let looked_at = match &state.transition {
                    Transition::Goto(_) => &[][..],
                    Transition::Select { .. } => &self.keys,
                };
                self.env.event(Event::Transition(id, target, looked_at, loc));
            }
            match target {
                Target::State(state) => next = state,
                Target::Accept => return Ok(true),
                Target::Reject => return Ok(false),
            }
        }
        let end = Err(Stop::ParserError(self.interpreter.errors.parser_timeout));
        self.trace_error(end, parser.states[next].loc).map(|()| false)
    }

    /// Returns whether all keysets match their values.
    fn matches(&mut self, keysets: &[Keyset], keys: &[Expr], values: &[Bits]) -> bool {
        keysets.iter().enumerate().all(|(i, keyset)| {
            let value = &values[i];
            let signed = keys[i].ty.is_signed();
            match keyset {
                Keyset::Any => true,
                Keyset::Value(wanted) => value == wanted,
                Keyset::Mask(wanted, mask) => value.and(mask) == wanted.and(mask),
                Keyset::Range(low, high) => {
                    value.compare(low, signed).is_ge() && value.compare(high, signed).is_le()
                }
                Keyset::Set(set) => {
                    let width = self.program.value_sets[*set].fields.len();
                    self.env.in_value_set(*set, &values[i..i + width])
                }
            }
        })
    }

    /// Extracts a header. All checks are made before the first write, in the specification's order,
    /// so an error changes neither the header nor the stack nor the position.
    pub(crate) fn extract(
        &mut self,
        to: &HeaderRef,
        varbit_bits: Option<&Expr>,
        loc: Loc,
    ) -> Result<(), Stop> {
        let errors = &self.interpreter.errors;
        let Some(id) = self.header(to) else {
            return Err(Stop::ParserError(errors.stack_out_of_bounds));
        };
        let header = &self.program.headers[id];
        let layout = &self.program.header_types[header.ty];
        let varbit = varbit_bits.map_or(0, |bits| self.eval_number(bits));
        let total = u64::from(layout.fixed_width()) + varbit;
        if varbit_bits.is_some() && !total.is_multiple_of(8) {
            return Err(Stop::ParserError(errors.parser_invalid_argument));
        }
        self.require_bits(total)?;
        for field in &layout.fields {
            if matches!(field.ty, Type::Varbit { max } if varbit > u64::from(max)) {
                return Err(Stop::ParserError(errors.header_too_short));
            }
        }

        self.layout.set_u64(self.state, header.valid, 1);
        for (field, var) in layout.fields.iter().zip(&header.fields) {
            let width = match field.ty {
                Type::Varbit { .. } => varbit as u32,
                ty => ty.width(),
            };
            if let Some(value) = wire::read(self.packet, self.position, width) {
                self.layout.set(self.state, *var, &value);
            }
            self.position += u64::from(width);
        }
        if let HeaderRef::Next(stack) = to {
            let next = self.next_index(*stack) + 1;
            self.set_next_index(*stack, next);
        }
        if self.tracing {
            let values = self.fields(id);
            self.env.event(Event::Extracted(id, &values, loc));
        }
        Ok(())
    }

    /// Reads the packet's next bits into a place without consuming them.
    pub(crate) fn lookahead(&mut self, place: &Place, loc: Loc) -> Result<(), Stop> {
        let width = self.place_type(place).map_or(0, Type::width);
        let Some(value) = wire::read(self.packet, self.position, width) else {
            return Err(Stop::ParserError(self.interpreter.errors.packet_too_short));
        };
        if let Some(var) = self.place_var(place) {
            self.write(var, &value, loc);
        }
        Ok(())
    }

    /// Skips bits of the packet.
    pub(crate) fn advance(&mut self, bits: &Expr) -> Result<(), Stop> {
        let bits = self.eval_number(bits);
        if !bits.is_multiple_of(8) {
            return Err(Stop::ParserError(self.interpreter.errors.parser_invalid_argument));
        }
        self.require_bits(bits)?;
        self.position += bits;
        Ok(())
    }

    fn require_bits(&self, bits: u64) -> Result<(), Stop> {
        if self.position + bits > self.packet.len() as u64 * 8 {
            return Err(Stop::ParserError(self.interpreter.errors.packet_too_short));
        }
        Ok(())
    }
}
