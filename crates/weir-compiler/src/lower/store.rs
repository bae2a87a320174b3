//! Storage: the IR variables, headers and stacks that hold a value of any type, flattened depth
//! first in declaration order.

use std::rc::Rc;

use weir_ir as ir;
use weir_ir::{StmtKind, VarRole};
use weir_syntax::Span;

use super::fold;
use super::names::{self, NameKind, qualified_name};
use super::types::{Member, Shape};
use super::{Lowered, Lowerer};
use crate::hir;

/// Where a value is stored: in variables, headers or stacks of the IR.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Store {
    /// A single variable.
    Scalar(ir::VarId),
    /// The members of a struct or tuple.
    Group(Rc<[Store]>),
    /// A header and the storage of its declared members.
    Header { id: ir::HeaderId, members: Rc<[Store]> },
    /// The headers of a header union.
    Union(Rc<[Store]>),
    /// A header stack. A stack of header unions has no IR stack; its counter is an ordinary
    /// variable.
    Stack { id: Option<ir::StackId>, next: ir::VarId, elements: Rc<[Store]> },
    /// An array of another element type.
    Array(Rc<[Store]>),
    /// No run-time storage: packets, strings and other compile-time values.
    Nothing,
}

/// The header whose members are being allocated.
#[derive(Clone, Copy)]
struct InHeader {
    id: ir::HeaderId,
}

impl Store {
    /// Returns the storage of the direct members.
    pub(super) fn members(&self) -> &[Store] {
        match self {
            Store::Group(members)
            | Store::Header { members, .. }
            | Store::Union(members)
            | Store::Array(members)
            | Store::Stack { elements: members, .. } => members,
            Store::Scalar(_) | Store::Nothing => &[],
        }
    }

    /// Calls `visit` with this store and all nested stores, depth first.
    pub(super) fn walk<'s>(&'s self, visit: &mut impl FnMut(&'s Store)) {
        visit(self);
        for member in self.members() {
            member.walk(visit);
        }
    }
}

impl Lowerer<'_> {
    /// Allocates storage with a unique name for a value of type `ty`.
    pub(super) fn allocate(
        &mut self,
        ty: hir::TypeId,
        name: &str,
        annotations: &hir::Annotations,
        span: Span,
    ) -> Lowered<Store> {
        self.check_part_count(ty, span)?;
        let name = self.names.unique(NameKind::Storage, name);
        let loc = self.loc(span);
        self.allocate_part(ty, &name, annotations, loc, span, None)
    }

    fn allocate_part(
        &mut self,
        ty: hir::TypeId,
        name: &str,
        annotations: &hir::Annotations,
        loc: ir::Loc,
        span: Span,
        header: Option<InHeader>,
    ) -> Lowered<Store> {
        Ok(match self.shape(ty) {
            Shape::Scalar(scalar) => {
                let role = header.map_or(VarRole::Plain, |header| VarRole::Field(header.id));
                Store::Scalar(self.scalar_var(name, scalar, role, names::annotations(annotations), loc))
            }
            Shape::Group(members) => Store::Group(self.allocate_members(&members, name, loc, span, header)?),
            Shape::Header(members) => self.allocate_header(ty, &members, name, loc, span)?,
            Shape::Union(members) => {
                let members = self.allocate_members(&members, name, loc, span, None)?;
                self.add_union(&members);
                Store::Union(members)
            }
            Shape::Array { element, size } => self.allocate_array(element, size, name, loc, span, header)?,
            Shape::CompileTime => Store::Nothing,
        })
    }

    fn allocate_members(
        &mut self,
        members: &[Member],
        name: &str,
        loc: ir::Loc,
        span: Span,
        header: Option<InHeader>,
    ) -> Lowered<Rc<[Store]>> {
        members
            .iter()
            .map(|member| {
                let first = self.out.vars.len();
                let name = qualified_name(name, &member.name);
                let store = self.allocate_part(member.ty, &name, &member.annotations, loc, span, header)?;
                if !matches!(store, Store::Scalar(_)) {
                    // Annotations of a struct member, such as `@field_list`, apply to all variables
                    // in it.
                    let inherited = names::annotations(&member.annotations);
                    for var in self.out.vars.values_mut().skip(first) {
                        var.annotations.extend_from_slice(&inherited);
                    }
                }
                Ok(store)
            })
            .collect()
    }

    fn allocate_header(
        &mut self,
        ty: hir::TypeId,
        members: &[Member],
        name: &str,
        loc: ir::Loc,
        span: Span,
    ) -> Lowered<Store> {
        let layout = self.header_type(ty, span)?;
        let name = self.names.unique(NameKind::Header, name);
        let id = ir::HeaderId::new(self.out.headers.len());
        let valid = self.scalar_var(
            &qualified_name(&name, "$valid$"),
            ir::Type::Bool,
            VarRole::Validity(id),
            Vec::new(),
            loc,
        );
        let pushed = self.out.headers.push(ir::Header {
            name: name.clone(),
            ty: layout,
            valid,
            fields: Vec::new(),
            union: None,
        });
        debug_assert_eq!(pushed, id);
        let members = self.allocate_members(members, &name, loc, span, Some(InHeader { id }))?;
        let mut fields = Vec::new();
        for member in members.iter() {
            member.walk(&mut |store| {
                if let Store::Scalar(var) = store {
                    fields.push(*var);
                }
            });
        }
        if let Some(header) = self.out.headers.values_mut().last() {
            header.fields = fields;
        }
        Ok(Store::Header { id, members })
    }

    fn allocate_array(
        &mut self,
        element: hir::TypeId,
        size: u32,
        name: &str,
        loc: ir::Loc,
        span: Span,
        header: Option<InHeader>,
    ) -> Lowered<Store> {
        let none = hir::Annotations::default();
        let elements: Rc<[Store]> = (0..size)
            .map(|index| self.allocate_part(element, &format!("{name}[{index}]"), &none, loc, span, header))
            .collect::<Lowered<_>>()?;
        if !self.is_header_like(element) {
            return Ok(Store::Array(elements));
        }
        let headers: Option<Vec<ir::HeaderId>> = elements
            .iter()
            .map(|element| match element {
                Store::Header { id, .. } => Some(*id),
                _ => None,
            })
            .collect();
        let next_name = qualified_name(name, "$next$");
        let Some(headers) = headers else {
            let next = self.scalar_var(&next_name, fold::U32, VarRole::Plain, Vec::new(), loc);
            return Ok(Store::Stack { id: None, next, elements });
        };
        let id = ir::StackId::new(self.out.stacks.len());
        let next = self.scalar_var(&next_name, fold::U32, VarRole::NextIndex(id), Vec::new(), loc);
        let name = self.names.unique(NameKind::Stack, name);
        self.out.stacks.push(ir::Stack { name, elements: headers, next_index: next });
        Ok(Store::Stack { id: Some(id), next, elements })
    }

    /// Adds a scalar variable to the program.
    pub(super) fn scalar_var(
        &mut self,
        name: &str,
        ty: ir::Type,
        role: VarRole,
        annotations: Vec<ir::Annotation>,
        loc: ir::Loc,
    ) -> ir::VarId {
        let name = self.names.unique(NameKind::Var, name);
        self.out.vars.push(ir::Var { name, ty, role, annotations, loc })
    }

    fn add_union(&mut self, members: &[Store]) {
        let header = |member: &Store| match member {
            Store::Header { id, .. } => Some(*id),
            _ => None,
        };
        self.out.add_union(members.iter().filter_map(header).collect());
    }

    /// Returns the type of a variable.
    pub(super) fn var_type(&self, var: ir::VarId) -> ir::Type {
        self.out.vars[var].ty
    }

    /// Resets all parts of `store` to zero, false, invalid or empty, which is the initial state of
    /// variables and `out` parameters.
    pub(super) fn reset_store(&mut self, store: &Store) {
        match store {
            Store::Scalar(var) => {
                let zero = fold::zero(self.var_type(*var));
                self.emit(StmtKind::Assign(ir::Place::Var(*var), zero));
            }
            Store::Header { id, .. } => self.emit(StmtKind::SetInvalid(ir::HeaderRef::Header(*id))),
            Store::Group(members) | Store::Union(members) | Store::Array(members) => {
                for member in members.iter() {
                    self.reset_store(member);
                }
            }
            Store::Stack { id, next, elements } => {
                for element in elements.iter() {
                    self.reset_store(element);
                }
                self.set_next_index(*id, *next, fold::u32_const(0));
            }
            Store::Nothing => {}
        }
    }

    /// Sets the counter of a stack.
    pub(super) fn set_next_index(&mut self, id: Option<ir::StackId>, next: ir::VarId, value: ir::Expr) {
        self.emit(match id {
            Some(id) => StmtKind::SetNextIndex(id, value),
            None => StmtKind::Assign(ir::Place::Var(next), value),
        });
    }

    /// Returns the variables of `store`, including validity bits and counters.
    pub(super) fn vars_of(&self, store: &Store) -> Vec<ir::VarId> {
        let mut vars = Vec::new();
        store.walk(&mut |part| match part {
            Store::Scalar(var) => vars.push(*var),
            Store::Header { id, .. } => vars.push(self.out.headers[*id].valid),
            Store::Stack { next, .. } => vars.push(*next),
            _ => {}
        });
        vars
    }

    /// Converts the store to the form in which the IR lists the storage of a parameter. Removing
    /// `prefix` from the names of the variables gives their paths.
    pub(super) fn storage(&self, store: &Store, prefix: &str) -> ir::Storage {
        let mut storage = ir::Storage::default();
        store.walk(&mut |part| match part {
            Store::Scalar(var) => storage.vars.push(*var),
            Store::Header { id, .. } => {
                storage.vars.push(self.out.headers[*id].valid);
                storage.headers.push(*id);
            }
            Store::Stack { id, next, .. } => {
                storage.vars.push(*next);
                storage.stacks.extend(id);
            }
            _ => {}
        });
        storage.paths = storage.vars.iter().map(|&var| self.path_below(var, prefix)).collect();
        storage
    }

    /// Returns the name of a variable without `prefix` and the dot after it.
    pub(super) fn path_below(&self, var: ir::VarId, prefix: &str) -> String {
        let name = &self.out.vars[var].name;
        name.strip_prefix(prefix).map_or(name.as_str(), |rest| rest.trim_start_matches('.')).to_string()
    }
}
