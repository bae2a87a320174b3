//! Writes to variables, headers and stacks.

use weir_exec::{Event, FrameValue};
use weir_ir::{Bits, Expr, HeaderId, HeaderRef, Loc, Place, StackId, Type, VarId, VarRole};

use crate::run::Machine;

impl Machine<'_> {
    /// Returns whether a header is valid.
    pub(crate) fn is_valid(&self, header: HeaderId) -> bool {
        self.layout.get_u64(self.state, self.program.headers[header].valid) != 0
    }

    /// Returns the variable that a place currently refers to, if it refers to one.
    pub(crate) fn place_var(&self, place: &Place) -> Option<VarId> {
        match place {
            Place::Var(var) => Some(*var),
            Place::Indexed(vars, index) => vars.get(self.eval_number(index) as usize).copied(),
        }
    }

    /// Returns the type of the variables of a place.
    pub(crate) fn place_type(&self, place: &Place) -> Option<Type> {
        let var = match place {
            Place::Var(var) => Some(var),
            Place::Indexed(vars, _) => vars.first(),
        };
        var.map(|var| self.program.vars[*var].ty)
    }

    /// Writes a variable. If the variable is a validity bit, which externs write through `out`
    /// arguments, the header becomes valid or invalid.
    pub(crate) fn write(&mut self, var: VarId, value: &Bits, loc: Loc) {
        match self.program.vars[var].role {
            VarRole::Field(header) if !self.is_valid(header) => {
                self.layout.set(self.state, var, value);
                if self.tracing {
                    self.env.event(Event::AssignedInvalid(var, value, loc));
                }
            }
            VarRole::Validity(header) => {
                self.trace_changes(&[header], loc, |m| m.set_valid(header, value.is_true()));
            }
            VarRole::Field(_) | VarRole::Plain | VarRole::NextIndex(_) => {
                let old = self.tracing.then(|| self.layout.get(self.state, var));
                self.layout.set(self.state, var, value);
                if let Some(old) = old {
                    self.env.event(Event::Assigned { var, old: &old, new: value, loc });
                }
            }
        }
    }

    /// Runs an operation on headers, and traces the changes of their validity and fields.
    pub(crate) fn trace_changes(&mut self, headers: &[HeaderId], loc: Loc, act: impl FnOnce(&mut Self)) {
        if !self.tracing {
            return act(self);
        }
        let seen = |m: &Self, header: HeaderId| (m.is_valid(header), m.fields(header));
        let before: Vec<_> = headers.iter().map(|header| seen(self, *header)).collect();
        act(self);
        for (header, (was_valid, before)) in headers.iter().zip(before) {
            let (is_valid, after) = seen(self, *header);
            if is_valid != was_valid {
                self.env.event(Event::Validity(*header, is_valid, loc));
            }
            let changed = self.program.headers[*header].fields.iter().zip(before.iter().zip(&after));
            for (var, (old, new)) in changed.filter(|(_, (old, new))| is_valid && old != new) {
                self.env.event(Event::Assigned { var: *var, old, new, loc });
            }
        }
    }

    /// Returns the values of a header's fields.
    pub(crate) fn fields(&self, header: HeaderId) -> Vec<Bits> {
        self.program.headers[header].fields.iter().map(|field| self.read(*field)).collect()
    }

    /// Writes several variables from a call frame. Validity bits are written first, because fields
    /// of invalid headers would not keep their values.
    pub(crate) fn write_all(&mut self, vars: &[VarId], places: &[FrameValue], words: &[u64], loc: Loc) {
        for validity in [true, false] {
            for (var, place) in vars.iter().zip(places) {
                if matches!(self.program.vars[*var].role, VarRole::Validity(_)) == validity {
                    self.write(*var, &place.read(words), loc);
                }
            }
        }
    }

    /// Returns the header that a reference currently refers to; `None` past the end of a stack, and
    /// for `next` of a full stack.
    pub(crate) fn header(&self, reference: &HeaderRef) -> Option<HeaderId> {
        let (stack, index) = match reference {
            HeaderRef::Header(header) => return Some(*header),
            HeaderRef::Element(stack, index) => (*stack, self.eval_number(index)),
            HeaderRef::Next(stack) => (*stack, self.next_index(*stack)),
        };
        self.program.stacks[stack].elements.get(usize::try_from(index).ok()?).copied()
    }

    /// Makes a header valid or invalid. The fields of a header that becomes valid are set to 0. A
    /// header that becomes invalid keeps its fields.
    pub(crate) fn set_valid(&mut self, header: HeaderId, valid: bool) {
        let becomes_valid = valid && !self.is_valid(header);
        let header = &self.program.headers[header];
        self.layout.set_u64(self.state, header.valid, u64::from(valid));
        if becomes_valid {
            header.fields.iter().for_each(|field| self.layout.clear(self.state, *field));
        }
    }

    /// Copies the validity and the fields of `from` to `to`, even if `from` is invalid. Without
    /// `from`, makes `to` invalid and sets its fields to 0.
    pub(crate) fn copy(&mut self, to: HeaderId, from: Option<HeaderId>) {
        let to = &self.program.headers[to];
        let targets = to.fields.iter().chain([&to.valid]);
        match from.map(|from| &self.program.headers[from]) {
            Some(from) => {
                let sources = from.fields.iter().chain([&from.valid]);
                targets.zip(sources).for_each(|(to, from)| self.layout.copy(self.state, *to, *from));
            }
            None => targets.for_each(|var| self.layout.clear(self.state, *var)),
        }
    }

    pub(crate) fn next_index(&self, stack: StackId) -> u64 {
        self.layout.get_u64(self.state, self.program.stacks[stack].next_index)
    }

    pub(crate) fn set_next_index(&mut self, stack: StackId, value: u64) {
        self.layout.set_u64(self.state, self.program.stacks[stack].next_index, value);
    }

    /// Sets a stack's `nextIndex` to a value.
    pub(crate) fn assign_next_index(&mut self, stack: StackId, value: &Expr) {
        let value = self.eval_number(value);
        self.set_next_index(stack, value);
    }

    /// Implements `push_front` (P4 spec §8.18).
    pub(crate) fn push_front(&mut self, stack: StackId, count: u32) {
        let elements = &self.program.stacks[stack].elements;
        for (i, element) in elements.iter().enumerate().rev() {
            match i.checked_sub(count as usize) {
                Some(from) => self.copy(*element, Some(elements[from])),
                None => self.set_valid(*element, false),
            }
        }
        let next = (self.next_index(stack) + u64::from(count)).min(elements.len() as u64);
        self.set_next_index(stack, next);
    }

    /// Implements `pop_front` (P4 spec §8.18).
    pub(crate) fn pop_front(&mut self, stack: StackId, count: u32) {
        let elements = &self.program.stacks[stack].elements;
        for (i, element) in elements.iter().enumerate() {
            match elements.get(i.saturating_add(count as usize)) {
                Some(from) => self.copy(*element, Some(*from)),
                None => self.set_valid(*element, false),
            }
        }
        let next = self.next_index(stack).saturating_sub(u64::from(count));
        self.set_next_index(stack, next);
    }
}
