//! Large arrays: header stacks and rows of variables from which an index selects at run time,
//! unions of many headers, and long lists of parameters.
//!
//! Code that keeps the elements in registers has a branch for each element, and every branch passes
//! all registers on. So the code grows with the square of the number of elements. Large arrays
//! therefore stay in the state, where the index is part of the address. So do the headers of a
//! large union: each of them that becomes valid makes all others invalid.

use weir_ir::{HeaderId, Layout, Program, Stack, UnionId, VarId};

use super::body::all_of;
use crate::options::Options;

/// Tells which arrays of variables are large.
#[derive(Clone, Copy)]
pub(crate) struct Arrays<'p> {
    pub(super) program: &'p Program,
    layout: &'p Layout,
    /// The number of elements up to which an array is small.
    limit: usize,
    /// The maximum number of words of parameters of an action whose parameters are kept in
    /// registers.
    param_words: usize,
}

impl<'p> Arrays<'p> {
    pub(crate) fn new(program: &'p Program, layout: &'p Layout, options: Options) -> Self {
        let Options { max_register_elements: limit, max_register_params: param_words, .. } = options;
        Self { program, layout, limit, param_words }
    }

    /// Returns whether an action has so many parameters that they stay in the state.
    pub(super) fn has_many_params(&self, params: impl Iterator<Item = VarId>) -> bool {
        let words = params.map(|var| self.program.vars[var].ty.state_words() as usize);
        words.sum::<usize>() > self.param_words
    }

    /// Returns the union of a header, if the union is large.
    pub(crate) fn large_union(&self, header: HeaderId) -> Option<UnionId> {
        let union = self.program.headers[header].union?;
        (self.program.unions[union].members.len() > self.limit).then_some(union)
    }

    /// Returns the distance of the variables in words of the state; `None` if there are only a few,
    /// or if the distances between them differ.
    pub(crate) fn stride(&self, vars: &[VarId]) -> Option<u32> {
        if vars.len() <= self.limit.max(1) {
            return None;
        }
        let slots = || vars.iter().map(|var| self.layout.slot(*var));
        let (first, second) = (self.layout.slot(vars[0]), self.layout.slot(vars[1]));
        let stride = second.word.checked_sub(first.word).filter(|stride| *stride > 0)?;
        let even = slots().zip(slots().skip(1)).all(|(before, after)| {
            after.word.checked_sub(before.word) == Some(stride)
                && (after.width, after.varbit) == (before.width, before.varbit)
        });
        even.then_some(stride)
    }

    /// Returns the distance of the elements of a stack in words of the state; `None` if the stack
    /// is small, or the distances differ.
    pub(crate) fn stack_stride(&self, stack: &Stack) -> Option<u32> {
        if stack.elements.len() <= self.limit {
            return None;
        }
        let vars = |header: &HeaderId| all_of(self.program, *header).collect::<Vec<_>>();
        let elements: Vec<Vec<VarId>> = stack.elements.iter().map(vars).collect();
        let column = |at: usize| elements.iter().map(|vars| vars[at]).collect::<Vec<_>>();
        let stride = self.stride(&column(elements[0].len() - 1))?;
        let same =
            |at| self.layout.slot(elements[0][at]).width == 0 || self.stride(&column(at)) == Some(stride);
        (0..elements[0].len()).all(same).then_some(stride)
    }
}
