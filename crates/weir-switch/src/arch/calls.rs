//! The calls of an architecture, and the blocks in which each call is allowed.

use std::collections::BTreeSet;

use weir_ir::visit::reached_statements;
use weir_ir::{
    ArgValue, ExprKind, ExternCall, Leaf, Loc, Package, PackageArg, Place, Program, Stmt, StmtKind, Type,
    VarId,
};

use super::BlockRole;
use crate::error::{LoadError, LoadErrorKind};

/// A function or method of an architecture.
pub(super) struct Call {
    /// The function or the method, such as `hash` or `register.read`.
    pub name: &'static str,
    /// The blocks in which the call has a meaning.
    pub place: CallPlace,
}

/// The blocks in which a call has a meaning.
pub(super) enum CallPlace {
    /// The call has a meaning in all blocks.
    Any,
    /// The call has a meaning in some blocks.
    In(Blocks),
    /// With arguments, the call is allowed in all blocks; without arguments, only in some blocks.
    WithoutArguments(Blocks),
    /// The argument at this position is an enum member, which determines the blocks in which the
    /// call is allowed.
    ByMember(usize, &'static [(&'static str, Blocks)]),
}

/// Some of a package's blocks, with the reason.
pub(super) struct Blocks {
    /// The positions of the blocks in the architecture's list.
    pub positions: &'static [usize],
    /// The help text: the reason for the restriction, and the alternative in other blocks.
    pub help: &'static str,
}

impl Call {
    /// Describes a call that has the same meaning in all blocks.
    pub(super) const fn in_all_blocks(name: &'static str) -> Self {
        Self { name, place: CallPlace::Any }
    }

    /// Describes a call that has a meaning only in the blocks at these positions.
    pub(super) const fn in_blocks(
        name: &'static str,
        positions: &'static [usize],
        help: &'static str,
    ) -> Self {
        Self { name, place: CallPlace::In(Blocks { positions, help }) }
    }
}

/// Finds calls in blocks that do not allow them, in one pipe of a package.
pub(super) fn misplaced_calls(
    program: &Program,
    (package, pipe): (&Package, usize),
    roles: &[BlockRole],
    calls: &[&Call],
) -> Vec<LoadError> {
    let limited: Vec<&Call> =
        calls.iter().copied().filter(|call| !matches!(call.place, CallPlace::Any)).collect();
    let mut misplaced = Vec::new();
    for (position, role) in roles.iter().enumerate() {
        let Some((_, arg)) = role.find_in(package, pipe) else { continue };
        let stmts = reached_statements(program, arg);
        let block = Block { program, position, role: role.name, arg, stmts: &stmts };
        let mut seen = BTreeSet::new();
        for stmt in &stmts {
            let StmtKind::Extern(call) = &stmt.kind else { continue };
            let Some(limit) = limited.iter().find(|limit| limit.name == call.callee) else { continue };
            // Several copies of a function or sub-control contain the call with the same place in
            // the source.
            if let Err(error) = block.check(limit, call, stmt.loc)
                && seen.insert((stmt.loc, error.message.clone()))
            {
                misplaced.push(error);
            }
        }
    }
    misplaced.sort_by_key(|error| error.loc);
    misplaced
}

/// A block of the package, with all the code that it can reach.
struct Block<'a> {
    program: &'a Program,
    position: usize,
    role: &'a str,
    arg: &'a PackageArg,
    stmts: &'a [&'a Stmt],
}

impl Block<'_> {
    fn check(&self, limit: &Call, call: &ExternCall, loc: Loc) -> Result<(), LoadError> {
        let name = &call.callee;
        match &limit.place {
            CallPlace::Any => Ok(()),
            CallPlace::In(blocks) => self.allows(blocks, &format!("`{name}`"), loc),
            CallPlace::WithoutArguments(_) if !call.args.is_empty() => Ok(()),
            CallPlace::WithoutArguments(blocks) => self.allows(blocks, &format!("`{name}()`"), loc),
            CallPlace::ByMember(argument, members) => {
                let (of, member) = self.member(call, *argument);
                match member.and_then(|member| members.iter().find(|(known, _)| *known == member)) {
                    Some((member, blocks)) => {
                        self.allows(blocks, &format!("`{name}` with `{of}.{member}`"), loc)
                    }
                    None => Err(self.unknown_member(call, of, members, loc)),
                }
            }
        }
    }

    /// Checks that a call is in one of the blocks in which it is allowed.
    fn allows(&self, blocks: &Blocks, what: &str, loc: Loc) -> Result<(), LoadError> {
        if blocks.positions.contains(&self.position) {
            return Ok(());
        }
        let message = format!("{what} cannot be called in {} (`{}`)", self.role, self.name());
        Err(self.error(loc, message, blocks.help.to_owned()))
    }

    /// Returns the error for a call that only some values of an argument allow, if the value is
    /// known only at run time.
    fn unknown_member(&self, call: &ExternCall, ty: &str, members: &[(&str, Blocks)], loc: Loc) -> LoadError {
        let message = format!(
            "the `{ty}` of `{}` in {} (`{}`) must be known when the program is compiled",
            call.callee,
            self.role,
            self.name()
        );
        let here = members.iter().filter(|(_, blocks)| blocks.positions.contains(&self.position));
        let here: Vec<String> = here.map(|(member, _)| format!("`{ty}.{member}`")).collect();
        let help = match &here[..] {
            [] => {
                let help: Vec<&str> = members.iter().map(|(_, blocks)| blocks.help).collect();
                help.join("; ")
            }
            members => format!("write {} here", members.join(" or ")),
        };
        self.error(loc, message, help)
    }

    fn error(&self, loc: Loc, message: String, help: String) -> LoadError {
        LoadError { help: Some(help), ..LoadError::new(self.program, LoadErrorKind::Misplaced, loc, message) }
    }

    /// Returns the name of the block.
    fn name(&self) -> &str {
        match self.arg {
            PackageArg::Parser(id) => &self.program.parsers[*id].name,
            PackageArg::Control(id) => &self.program.controls[*id].name,
            PackageArg::Package(package) => &package.name,
            PackageArg::Const(_) => "",
        }
    }

    /// Returns the enumeration of the argument at this position, and the member if it is known.
    fn member(&self, call: &ExternCall, argument: usize) -> (&str, Option<&str>) {
        let Some(ArgValue::Leaves(leaves)) = call.args.get(argument).map(|arg| &arg.value) else {
            return ("", None);
        };
        let [Leaf::Value(value)] = &leaves[..] else { return ("", None) };
        let Type::Enum(id) = value.ty else { return ("", None) };
        let declaration = &self.program.enums[id];
        let ordinal = match &value.kind {
            ExprKind::Const(ordinal) => ordinal.to_u64(),
            ExprKind::Var(var) => self.only_value(*var),
            _ => None,
        };
        let member = ordinal.and_then(|ordinal| declaration.members.get(usize::try_from(ordinal).ok()?));
        (&declaration.name, member.map(String::as_str))
    }

    /// Returns the value of a variable to which the block assigns one constant and nothing else,
    /// such as a parameter of a function.
    fn only_value(&self, wanted: VarId) -> Option<u64> {
        if self.is_data(wanted) {
            return None;
        }
        let mut only = None;
        for stmt in self.stmts {
            let value = match &stmt.kind {
                StmtKind::Assign(Place::Var(var), value) if *var == wanted => value,
                StmtKind::Extern(call) if writes(call, wanted) => return None,
                _ => continue,
            };
            let ExprKind::Const(value) = &value.kind else { return None };
            let value = value.to_u64()?;
            if only.is_some_and(|only| only != value) {
                return None;
            }
            only = Some(value);
        }
        only
    }

    /// Returns whether the variable gets its value from the entries of a table.
    fn is_data(&self, var: VarId) -> bool {
        let listed = self.program.tables.values().flat_map(|table| &table.actions);
        let mut params = listed.flat_map(|listed| &self.program.actions[listed.action].params);
        params.any(|param| param.var == var)
    }
}

fn writes(call: &ExternCall, var: VarId) -> bool {
    let written = |value: &ArgValue| matches!(value, ArgValue::Vars { vars, .. } if vars.contains(&var));
    call.result.contains(&var) || call.args.iter().any(|arg| written(&arg.value))
}

#[cfg(test)]
mod tests;
