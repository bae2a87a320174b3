//! Adds headers, stacks and unions with all their variables to a program. All code that creates
//! such storage calls these functions, so the names and the order of the variables are always the
//! same.

use crate::arena::Id;
use crate::loc::Loc;
use crate::program::{Header, HeaderId, Program, Stack, StackId, Union, UnionId, Var, VarId, VarRole};
use crate::types::{HeaderType, Type};

/// Last part of the name of a header's validity bit: `hdr.ipv4.$valid$`. No P4 identifier has this
/// form.
pub const VALID: &str = "$valid$";
/// The last part of the name of a stack's counter: `hdr.mpls.$next$`.
pub const NEXT: &str = "$next$";

/// Returns `prefix.name`, or `name` if the prefix is empty.
pub fn qualified_name(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}

impl Program {
    /// Adds a plain variable to the program.
    pub fn add_var(&mut self, name: impl Into<String>, ty: Type, loc: Loc) -> VarId {
        self.vars.push(Var { name: name.into(), ty, role: VarRole::Plain, annotations: Vec::new(), loc })
    }

    /// Adds a header `name`: its validity bit `name.$valid$`, then its fields `name.field` with the
    /// annotations of their declarations, in the layout's order.
    pub fn add_header(&mut self, name: &str, ty: Id<HeaderType>, loc: Loc) -> HeaderId {
        let id = HeaderId::new(self.headers.len());
        let valid = self.vars.push(Var {
            name: qualified_name(name, VALID),
            ty: Type::Bool,
            role: VarRole::Validity(id),
            annotations: Vec::new(),
            loc,
        });
        let mut fields = Vec::new();
        for field in &self.header_types[ty].fields {
            fields.push(self.vars.push(Var {
                name: qualified_name(name, &field.name),
                ty: field.ty,
                role: VarRole::Field(id),
                annotations: field.annotations.clone(),
                loc,
            }));
        }
        self.headers.push(Header { name: name.to_owned(), ty, valid, fields, union: None })
    }

    /// Adds a stack `name` of `size` headers `name[0]`, `name[1]`, …, then its counter
    /// `name.$next$`.
    pub fn add_stack(&mut self, name: &str, ty: Id<HeaderType>, size: u32, loc: Loc) -> StackId {
        let id = StackId::new(self.stacks.len());
        let elements = (0..size).map(|i| self.add_header(&format!("{name}[{i}]"), ty, loc)).collect();
        let next_index = self.vars.push(Var {
            name: qualified_name(name, NEXT),
            ty: Type::bit(32),
            role: VarRole::NextIndex(id),
            annotations: Vec::new(),
            loc,
        });
        self.stacks.push(Stack { name: name.to_owned(), elements, next_index })
    }

    /// Makes headers the members of a new union.
    pub fn add_union(&mut self, members: Vec<HeaderId>) -> UnionId {
        let id = UnionId::new(self.unions.len());
        members.iter().for_each(|member| self.headers[*member].union = Some(id));
        self.unions.push(Union { members })
    }

    /// Returns the other members of a header's union; empty if the header is in no union.
    pub fn siblings(&self, header: HeaderId) -> impl Iterator<Item = HeaderId> {
        let members = self.headers[header].union.map_or(&[][..], |id| &self.unions[id].members);
        members.iter().copied().filter(move |member| *member != header)
    }
}
