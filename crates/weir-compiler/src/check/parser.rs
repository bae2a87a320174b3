//! Checks parsers, their states and value sets.

use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use weir_syntax::{Diagnostic, Span, ast};

use super::keyset::KeysetContext;
use super::scope::{Symbol, TypeSymbol};
use super::signature::ParamOwner;
use super::{Checker, Context, Place};
use crate::hir::{
    self, ItemKind, Local, Parser, SelectCase, State, StateId, Target, Transition, Type, TypeId, Types,
};

/// The states of the current parser by name.
type States = IndexMap<String, StateId>;

impl Checker<'_> {
    /// Checks the declaration of a parser.
    pub(super) fn parser(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        parser: &ast::ParserDecl,
    ) -> Option<hir::ParserId> {
        let annotations = self.annotations_of(declaration, ItemKind::Parser);
        let checked = self.with_declaration(name, |c| {
            c.in_scope(|c| {
                let type_params = c.declare_type_params(&parser.signature.type_params);
                let params = c.params(&parser.signature.params, ParamOwner::Block);
                let written = parser.constructor_params.as_deref().unwrap_or_default();
                let constructor_params = c.params(written, ParamOwner::ParserConstructor);
                let checked =
                    c.in_scope(|c| c.parser_body(declaration, name, parser, (params, constructor_params)));
                checked.map(|checked| hir::Parser { type_params, ..checked })
            })
        });
        let Some(mut checked) = checked else {
            self.declare(name, Symbol::Poison, None);
            return None;
        };
        checked.annotations = annotations;
        let id = self.program.parsers.push(checked);
        self.declare(name, Symbol::Type(TypeSymbol::Parser(id)), None);
        Some(id)
    }

    fn parser_body(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        parser: &ast::ParserDecl,
        (params, constructor_params): (Vec<hir::Param>, Vec<hir::Param>),
    ) -> Option<Parser> {
        let mut states = States::new();
        let mut ids = Vec::new();
        for state in &parser.states {
            if matches!(state.name.as_str(), "accept" | "reject") {
                let message = format!("state name `{}` is reserved", state.name);
                let diagnostic = Diagnostic::error("reserved-state", message)
                    .primary(state.name.span, "choose another name");
                self.report(diagnostic);
            }
            let hir_name = self.hir_name(&state.name);
            let id = self.program.states.push(State {
                name: hir_name,
                annotations: hir::Annotations::default(),
                stmts: Vec::new(),
                transition: Transition::Direct(Target::Reject),
                transition_span: state.span,
            });
            if let Some(&first) = states.get(state.name.as_str()) {
                let first = self.program.states[first].name.span;
                self.duplicate_member(&state.name, first, "state");
            } else {
                states.insert(state.name.text.to_string(), id);
            }
            ids.push(id);
        }
        let (mut locals, direct) = self.in_context(Context::new(Place::ParserLocals), |c| {
            parser.locals.iter().filter_map(|local| c.parser_local(local)).collect::<Vec<Local>>()
        });
        locals.extend(direct.into_iter().map(Local::Instance));
        for (state, &id) in parser.states.iter().zip(&ids) {
            let annotations = self.annotations(&state.annotations, ItemKind::State, state.span);
            self.record_deprecated(&state.name, &annotations, state.span);
            self.program.states[id].annotations = annotations;
        }
        for (state, &id) in parser.states.iter().zip(&ids) {
            let (_, direct) =
                self.in_context(Context::new(Place::ParserState), |c| c.state(state, id, &states));
            locals.extend(direct.into_iter().map(Local::Instance));
        }
        let Some(&start) = states.get("start") else {
            let mut diagnostic =
                Diagnostic::error("no-start-state", format!("parser `{name}` has no state `start`"))
                    .primary(name.span, "every parser needs a state `start`");
            if let Some(nearest) = self.nearest_name("start", || states.keys().map(String::as_str)) {
                let span = self.program.states[states[nearest]].name.span;
                diagnostic = diagnostic.suggest("did you mean this one?", span, "start");
            }
            self.report(diagnostic);
            return None;
        };
        self.check_reached_states(name, &ids, start);
        Some(Parser {
            name: self.hir_name(name),
            annotations: hir::Annotations::default(),
            type_params: Vec::new(),
            params,
            constructor_params,
            locals,
            states: ids,
            start,
            span: declaration.span,
        })
    }

    fn check_reached_states(&mut self, name: &ast::Name, ids: &[StateId], start: StateId) {
        let mut ends = false;
        let mut reached = vec![start];
        let mut seen: FxHashSet<StateId> = reached.iter().copied().collect();
        let mut next = 0;
        while let Some(&state) = reached.get(next) {
            next += 1;
            let targets: Vec<Target> = match &self.program.states[state].transition {
                Transition::Direct(target) => vec![*target],
                Transition::Select { cases, .. } => cases.iter().map(|case| case.target).collect(),
            };
            ends |= matches!(&self.program.states[state].transition, Transition::Select { cases, .. }
                if cases.iter().all(|case| case.keyset.elements.iter().any(|e| !matches!(e, hir::KeysetElement::Any))));
            for target in targets {
                ends |= !matches!(target, Target::State(_));
                if let Target::State(id) = target
                    && seen.insert(id)
                {
                    reached.push(id);
                }
            }
        }
        if self.diagnostics.has_errors() {
            return;
        }
        if !ends {
            let message = format!("parser `{name}` never terminates");
            let diagnostic = Diagnostic::error("endless-parser", message)
                .primary(name.span, "`accept` and `reject` are not reachable from `start`");
            self.report(diagnostic);
        }
        for &id in ids.iter().filter(|id| !seen.contains(id)) {
            let name = self.program.states[id].name.clone();
            let message = format!("state `{}` is unreachable", name.text);
            self.report(
                Diagnostic::warning("unreachable-state", message)
                    .primary(name.span, "no path from `start` leads here")
                    .note("add a `transition` to this state, or remove it"),
            );
        }
    }

    fn parser_local(&mut self, local: &ast::Declaration) -> Option<Local> {
        let name = local.name.as_ref()?;
        match &local.kind {
            ast::DeclKind::ValueSet(set) => Some(Local::ValueSet(self.value_set(local, name, set))),
            _ => self.block_local(local, name),
        }
    }

    /// Checks a declaration that is allowed in both parsers and controls.
    pub(super) fn block_local(&mut self, local: &ast::Declaration, name: &ast::Name) -> Option<Local> {
        match &local.kind {
            ast::DeclKind::Variable(variable) => {
                let (var, init) = self.variable(local, name, variable)?;
                Some(Local::Var { var, init })
            }
            ast::DeclKind::Constant(constant) => {
                let id = self.constant(local, name, constant, Some("constant"))?;
                Some(Local::Const(id))
            }
            ast::DeclKind::Instantiation(instance) => {
                let id = self.instantiation(local, name, instance, Some("instance"))?;
                Some(Local::Instance(id))
            }
            _ => {
                let message = format!("`{name}` cannot be declared here");
                self.report(
                    Diagnostic::error("misplaced-declaration", message)
                        .primary(name.span, "not allowed here"),
                );
                self.declare(name, Symbol::Poison, None);
                None
            }
        }
    }

    /// Checks a state of a parser.
    fn state(&mut self, written: &ast::ParserState, id: StateId, states: &States) {
        let (stmts, transition) = self.in_scope(|c| {
            let stmts = c.statements(&written.statements);
            let transition = match &written.transition {
                // The missing transition may be misspelt and already reported as a syntax error.
                None if c.diagnostics.has_errors() => Transition::Direct(Target::Reject),
                None => {
                    let end = Span {
                        start: written.span.end.saturating_sub(1),
                        end: written.span.end.saturating_sub(1),
                        ..written.span
                    };
                    let message = format!("state `{}` ends without a `transition`", written.name);
                    let diagnostic = Diagnostic::warning("missing-transition", message)
                        .primary(written.name.span, "packets that reach the end of this state are rejected")
                        .suggest("if this is intended, make it explicit", end, "transition reject; ");
                    c.report(diagnostic);
                    Transition::Direct(Target::Reject)
                }
                Some(transition) => c.transition(transition, states),
            };
            (stmts, transition)
        });
        let state = &mut self.program.states[id];
        (state.stmts, state.transition) = (stmts, transition);
        if let Some(transition) = &written.transition {
            state.transition_span = transition.span;
        }
    }

    /// Checks the transition at the end of a state.
    fn transition(&mut self, written: &ast::Transition, states: &States) -> Transition {
        match &written.kind {
            ast::TransitionKind::Direct(name) => Transition::Direct(self.target(name, states)),
            ast::TransitionKind::Select(select) => self.select(select, states),
        }
    }

    /// Finds the state that a transition names.
    fn target(&mut self, name: &ast::Name, states: &States) -> Target {
        match name.as_str() {
            "accept" => return Target::Accept,
            "reject" => return Target::Reject,
            _ => {}
        }
        if let Some(&id) = states.get(name.as_str()) {
            self.warn_if_deprecated(name, self.program.states[id].name.span);
            return Target::State(id);
        }
        let mut diagnostic = Diagnostic::error("unknown-state", format!("there is no state `{name}`"))
            .primary(name.span, "not declared in this parser");
        let names = states.keys().map(String::as_str).chain(["accept", "reject"]);
        if let Some(nearest) = self.nearest_name(name.as_str(), || names) {
            diagnostic = diagnostic.suggest(format!("did you mean `{nearest}`?"), name.span, nearest);
        }
        self.report(diagnostic);
        Target::Reject
    }

    /// Checks a `select` expression.
    fn select(&mut self, select: &ast::SelectExpr, states: &States) -> Transition {
        let mut subjects = Vec::new();
        for key in &select.keys {
            let subject = self.expr(key, None);
            let is_struct = matches!(self.program.types[subject.ty], Type::Record { .. });
            let subject = if self.selectable(subject.ty) && !is_struct {
                subject
            } else {
                self.not_selectable(&subject)
            };
            subjects.push(subject);
        }
        self.warn_of_select_without_choice(select);
        let types: Vec<TypeId> = subjects.iter().map(|subject| subject.ty).collect();
        let mut cases = Vec::new();
        for case in &select.cases {
            let keyset = self.check_keyset(&case.keyset, &types, KeysetContext::Select);
            let target = self.target(&case.state, states);
            if let Some(keyset) = keyset {
                cases.push(SelectCase { keyset, target, span: case.span });
            }
        }
        Transition::Select { subjects, cases }
    }

    /// Returns whether a value of this type can be a key of `select`.
    fn selectable(&self, ty: TypeId) -> bool {
        match &self.program.types[ty] {
            Type::Bits { .. }
            | Type::Bool
            | Type::Error
            | Type::Enum(_)
            | Type::Newtype(_)
            | Type::Var(_)
            | Type::Poison => true,
            Type::Tuple(items) => items.iter().all(|&item| self.selectable(item)),
            Type::Record { decl, .. } => {
                let record = &self.program.records[*decl];
                record.kind == hir::RecordKind::Struct
                    && record.fields.iter().all(|field| self.selectable(field.ty))
            }
            _ => false,
        }
    }

    fn not_selectable(&mut self, subject: &hir::Expr) -> hir::Expr {
        let message = format!("a `select` expression cannot match {}", self.show(subject.ty));
        let mut diagnostic =
            Diagnostic::error("type-mismatch", message).primary(subject.span, "expected a number or enum");
        if subject.ty == Types::INT {
            diagnostic = diagnostic.note("give the number a width, as in `8w5`");
        }
        self.report(diagnostic);
        self.poison_expr(subject.span)
    }

    pub(super) fn value_set(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        written: &ast::ValueSetDecl,
    ) -> hir::ValueSetId {
        let element = self.resolve_type(&written.ty);
        let size = self.expr(&written.size, None);
        let number = matches!(self.program.types[size.ty], Type::Int | Type::Bits { .. } | Type::Poison);
        if !number || !super::constant::is_compile_time(&self.program, &size) {
            let diagnostic =
                Diagnostic::error("not-constant", "the size of a value set must be a constant number")
                    .primary(size.span, "expected a compile-time constant");
            self.report(diagnostic);
        }
        if !self.selectable(element) {
            let message = format!("a value set cannot hold {}", self.show(element));
            self.report(
                Diagnostic::error("type-mismatch", message).primary(written.ty.span, "cannot be compared"),
            );
        }
        let annotations = self.annotations_of(declaration, ItemKind::ValueSet);
        let mut match_kinds = Vec::new();
        self.value_set_match_kinds(element, self.match_kinds.get("exact").copied(), &mut match_kinds);
        let hir_name = self.hir_name(name);
        let set = hir::ValueSet { name: hir_name, element, size, annotations, match_kinds };
        let id = self.program.value_sets.push(set);
        self.declare(name, Symbol::ValueSet(id), Some("value set"));
        id
    }

    /// Collects the match kind of each scalar value that is compared. Nested values use the kind of
    /// the enclosing field unless they have their own.
    fn value_set_match_kinds(
        &self,
        element: TypeId,
        outer: Option<hir::MatchKindId>,
        into: &mut Vec<Option<hir::MatchKindId>>,
    ) {
        let record = match &self.program.types[element] {
            Type::Record { decl, .. } => &self.program.records[*decl],
            Type::Tuple(items) => {
                for &item in items {
                    self.value_set_match_kinds(item, outer, into);
                }
                return;
            }
            _ => return into.push(outer),
        };
        let kind_of = |field: &hir::Field| match field.annotations.get("match").map(|found| &found.body) {
            Some(hir::AnnotationBody::Unstructured { tokens, .. }) => match tokens.as_slice() {
                [kind] => self.match_kinds.get(kind.as_str()).copied(),
                _ => outer,
            },
            _ => outer,
        };
        for field in &record.fields {
            self.value_set_match_kinds(field.ty, kind_of(field), into);
        }
    }
}
