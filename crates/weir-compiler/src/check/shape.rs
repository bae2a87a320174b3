//! Compares the parameters of a parser or control with those that its type requires.

use super::Checker;
use crate::hir::display;
use crate::hir::{BlockType, Param, Type, TypeId, Types};
use weir_syntax::Diagnostic;

impl Checker<'_> {
    /// Returns whether a parser, control or block type has the parameters of `wanted` applied to
    /// `args`.
    pub(super) fn same_shape(&mut self, found: TypeId, wanted: &BlockType, args: &[TypeId]) -> bool {
        let Some((is_parser, params, own_params, own_args)) = self.block_params(found) else { return false };
        // A block may omit the last parameters of its type if callers can omit them.
        let more = wanted.params.get(params.len()..);
        let omissible = |param: &Param| param.default.is_some() || param.optional;
        if is_parser != wanted.is_parser || !more.is_some_and(|more| more.iter().all(omissible)) {
            return false;
        }
        params.iter().zip(&wanted.params).all(|(found, wanted_param)| {
            let found_ty = self.program.vars[found.var].ty;
            let found_ty = self.program.types.substitute(found_ty, &own_params, &own_args);
            let wanted_ty = self.program.vars[wanted_param.var].ty;
            let wanted_ty = self.program.types.substitute(wanted_ty, &wanted.type_params, args);
            found.direction == wanted_param.direction
                && (found_ty == wanted_ty || found_ty == Types::POISON || wanted_ty == Types::POISON)
        })
    }

    /// Returns for a parser, control or block type: whether it is a parser, its run-time
    /// parameters, its type parameters and their arguments.
    #[expect(clippy::type_complexity, reason = "four parts that are taken apart at once")]
    pub(super) fn block_params(
        &self,
        ty: TypeId,
    ) -> Option<(bool, Vec<Param>, Vec<crate::hir::TypeVarId>, Vec<TypeId>)> {
        Some(match &self.program.types[ty] {
            Type::Parser { decl, args } => {
                let parser = &self.program.parsers[*decl];
                (true, parser.params.clone(), parser.type_params.clone(), args.clone())
            }
            Type::Control { decl, args } => {
                let control = &self.program.controls[*decl];
                (false, control.params.clone(), control.type_params.clone(), args.clone())
            }
            Type::BlockType { decl, args } => {
                let block = &self.program.block_types[*decl];
                (block.is_parser, block.params.clone(), block.type_params.clone(), args.clone())
            }
            _ => return None,
        })
    }

    pub(super) fn explain_shape(
        &mut self,
        diagnostic: Diagnostic,
        found: TypeId,
        wanted: &BlockType,
        args: &[TypeId],
    ) -> Diagnostic {
        let Some((is_parser, params, own_params, own_args)) = self.block_params(found) else {
            return diagnostic;
        };
        if is_parser != wanted.is_parser {
            let kind = |is_parser| if is_parser { "a parser" } else { "a control" };
            return diagnostic.note(format!(
                "expected {}, found {}",
                kind(wanted.is_parser),
                kind(is_parser)
            ));
        }
        if params.len() != wanted.params.len() {
            return diagnostic.note(format!(
                "it has {} parameter{}, but {} are expected",
                params.len(),
                if params.len() == 1 { "" } else { "s" },
                wanted.params.len()
            ));
        }
        for (number, (found, wanted_param)) in params.iter().zip(&wanted.params).enumerate() {
            let found_var = &self.program.vars[found.var];
            let (found_ty, found_span) = (found_var.ty, found_var.name.span);
            let found_ty = self.program.types.substitute(found_ty, &own_params, &own_args);
            let wanted_var = &self.program.vars[wanted_param.var];
            let (wanted_ty, wanted_span) = (wanted_var.ty, wanted_var.name.span);
            let wanted_ty = self.program.types.substitute(wanted_ty, &wanted.type_params, args);
            if found_ty != wanted_ty || found.direction != wanted_param.direction {
                let words = |c: &Self, direction, ty| {
                    let name = display::type_name(&c.program, &c.program.types, ty);
                    format!("`{}{name}`", display::direction_prefix(direction))
                };
                return diagnostic
                    .secondary(
                        found_span,
                        format!("parameter {} is {}", number + 1, words(self, found.direction, found_ty)),
                    )
                    .secondary(
                        wanted_span,
                        format!("but must be {}", words(self, wanted_param.direction, wanted_ty)),
                    );
            }
        }
        diagnostic
    }
}
