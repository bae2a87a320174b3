//! Checks controls and actions.

use weir_syntax::{Diagnostic, ast};

use super::scope::{Callable, Symbol, TypeSymbol};
use super::signature::ParamOwner;
use super::{Checker, Context, Place};
use crate::hir::{self, ItemKind, Local};

impl Checker<'_> {
    /// Checks the declaration of a control.
    pub(super) fn control(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        control: &ast::ControlDecl,
    ) -> Option<hir::ControlId> {
        let annotations = self.annotations_of(declaration, ItemKind::Control);
        let checked = self.with_declaration(name, |c| {
            c.in_scope(|c| {
                let type_params = c.declare_type_params(&control.signature.type_params);
                let params = c.params(&control.signature.params, ParamOwner::Block);
                let written = control.constructor_params.as_deref().unwrap_or_default();
                let constructor_params = c.params(written, ParamOwner::ControlConstructor);
                let (locals, body) = c.in_scope(|c| c.control_body(control));
                hir::Control {
                    name: c.hir_name(name),
                    annotations,
                    type_params,
                    params,
                    constructor_params,
                    locals,
                    body,
                    span: declaration.span,
                }
            })
        });
        let id = self.program.controls.push(checked);
        self.declare(name, Symbol::Type(TypeSymbol::Control(id)), None);
        Some(id)
    }

    fn control_body(&mut self, control: &ast::ControlDecl) -> (Vec<Local>, hir::Block) {
        let named = control.locals.iter().filter_map(|local| local.name.as_ref());
        self.later_here = named.map(|name| (name.text.to_string(), name.span)).collect();
        let (mut locals, direct) = self.in_context(Context::new(Place::ControlLocals), |c| {
            control.locals.iter().filter_map(|local| c.control_local(local)).collect::<Vec<Local>>()
        });
        self.sizes_without_effect(control);
        locals.extend(direct.into_iter().map(Local::Instance));
        let (body, direct) = self.in_context(Context::new(Place::ControlApply), |c| c.block(&control.apply));
        locals.extend(direct.into_iter().map(Local::Instance));
        (locals, body)
    }

    fn control_local(&mut self, local: &ast::Declaration) -> Option<Local> {
        let name = local.name.as_ref()?;
        match &local.kind {
            ast::DeclKind::Action(action) => Some(Local::Action(self.action(local, name, action)?)),
            ast::DeclKind::Table(table) => Some(Local::Table(self.table(local, name, table)?)),
            ast::DeclKind::Function(_) => {
                let diagnostic =
                    Diagnostic::error("misplaced-declaration", "functions must be declared at the top level")
                        .primary(name.span, "not allowed inside a control")
                        .note("use an `action` instead, or move the function out of the control");
                self.report(diagnostic);
                self.declare(name, Symbol::Poison, None);
                None
            }
            _ => self.block_local(local, name),
        }
    }

    /// Checks the declaration of an action.
    pub(super) fn action(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        action: &ast::ActionDecl,
    ) -> Option<hir::ActionId> {
        let annotations = self.annotations_of(declaration, ItemKind::Action);
        let checked = self.with_declaration(name, |c| {
            c.in_scope(|c| {
                let params = c.params(&action.params, ParamOwner::Action);
                let (body, _) = c.in_context(Context::new(Place::Action), |c| c.block(&action.body));
                hir::Action { name: c.hir_name(name), annotations, params, body, span: declaration.span }
            })
        });
        let id = self.program.actions.push(checked);
        let local = self.scopes.depth() > 1;
        self.declare_callable(name, Callable::Action(id), local.then_some("action"));
        Some(id)
    }
}
