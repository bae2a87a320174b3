//! Declared types and their uses.

use crate::loc::Loc;
use crate::types::Type;
use crate::types::declared::{DataType, DeclaredKind, DeclaredTypeId};

use super::Validator;

impl Validator<'_> {
    /// Checks the declared types.
    pub(super) fn declared(&mut self) {
        self.enter("", Loc::NONE);
        let program = self.program;
        self.unique(program.declared.values().map(|of| of.name.as_str()), "declared types");
        for (id, of) in program.declared.iter() {
            self.enter(&of.name, of.loc);
            match &of.kind {
                DeclaredKind::New(of) => {
                    self.data_type(of, Some(id));
                    self.check(program.scalar(of).is_some(), |_| "a new type is not a scalar".into());
                }
                DeclaredKind::Enum(_) => {}
                DeclaredKind::Serializable { underlying, members } => {
                    self.width(*underlying);
                    self.check(matches!(underlying, Type::Bits { .. }), |_| {
                        "the underlying type is not a number".into()
                    });
                    self.unique(members.iter().map(|(name, _)| name.as_str()), "members");
                    for (name, value) in members {
                        self.check(value.bits() <= u64::from(underlying.width()), |_| {
                            format!("the member `{name}` does not fit the type")
                        });
                    }
                }
                DeclaredKind::Struct(members)
                | DeclaredKind::Header(members)
                | DeclaredKind::Union(members) => {
                    self.unique(members.iter().map(|member| member.name.as_str()), "members");
                    members.iter().for_each(|member| self.data_type(&member.ty, Some(id)));
                }
            }
        }
        if self.violations.is_empty() {
            self.check_declared_vars();
        }
    }

    /// Checks a data type, inside or outside a declared type.
    pub(super) fn data_type(&mut self, ty: &DataType, within: Option<DeclaredTypeId>) {
        match ty {
            DataType::Scalar(scalar) => {
                self.width(*scalar);
                self.check(!matches!(scalar, Type::Enum(_)), |_| {
                    "an enumeration is not a declared type here".into()
                });
            }
            DataType::Named(id) => {
                let earlier = within.is_none_or(|within| id.index() < within.index());
                self.check(earlier, |_| "the type contains itself or one that is declared later".into());
            }
            DataType::Tuple(members) => members.iter().for_each(|member| self.data_type(member, within)),
            DataType::Stack { element, .. } => self.data_type(element, within),
        }
    }

    /// Checks that fields, parameters and keys with a declared type are represented in its width.
    fn check_declared_vars(&mut self) {
        let program = self.program;
        for header_type in program.header_types.values() {
            self.enter(&header_type.name, Loc::NONE);
            for field in &header_type.fields {
                self.declared_as(field.declared, field.ty);
            }
        }
        for action in program.actions.values() {
            self.enter(&action.name, action.loc);
            for param in &action.params {
                self.declared_as(param.declared, program.vars[param.var].ty);
            }
        }
        for table in program.tables.values() {
            for key in &table.keys {
                self.enter(&table.name, key.loc);
                self.declared_as(key.declared, key.expr.ty);
            }
        }
        for set in program.value_sets.values() {
            self.enter(&set.name, set.loc);
            for field in &set.fields {
                let width = |id| program.scalar(&DataType::Named(id)).map(Type::width);
                self.check(field.declared.is_none_or(|id| width(id) == Some(field.width)), |_| {
                    "a field has another width than its declared type".into()
                });
            }
        }
        for instance in program.externs.values() {
            self.enter(&instance.name, instance.loc);
            instance.declared.iter().for_each(|arg| self.data_type(arg, None));
        }
    }

    fn declared_as(&mut self, declared: Option<DeclaredTypeId>, ty: Type) {
        let scalar = |id| self.program.scalar(&DataType::Named(id));
        self.check(declared.is_none_or(|id| scalar(id) == Some(ty)), |_| {
            "a declared type has other values than what is declared with it".into()
        });
    }
}
