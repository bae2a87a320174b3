//! The descriptions of an architecture's externs, with which the objects and calls of a program are
//! resolved.

mod own;

use std::cell::Cell;
use std::collections::BTreeMap;

use weir_exec::{CallFrame, FrameValue};
use weir_ir::visit::extern_calls;
use weir_ir::{
    ArgValue, Bits, ConstArg, Expr, ExprKind, ExternCall, ExternId, ExternInstance, Leaf, Loc, Program,
    TableId, Type, VarId,
};

use super::Settings;
use super::calls::Call;
use crate::error::{LoadError, LoadErrorKind, LoadWarning};
use crate::externs::{ExternState, MAX_CELL_BYTES};
use crate::path::{Operations, ResolvedCall};

/// An extern: a function, an object type with its methods, or a group of related functions and
/// types. `A` is the data of the architecture about the program, such as its metadata.
pub(super) trait Extern<A>: Sync {
    /// Returns the functions and methods of this extern.
    fn calls(&self) -> &'static [Call] {
        &[]
    }

    /// Returns the types of this extern's objects, such as `register`.
    fn types(&self) -> &'static [&'static str] {
        &[]
    }

    /// Checks an object of one of [`Extern::types`] and returns its initial state.
    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        Err(object.unsupported())
    }

    /// Checks a call of one of [`Extern::calls`], and resolves it into its operation.
    fn resolve(&self, site: &CallSite<'_, A>) -> Result<ResolvedCall, LoadError> {
        Err(site.unsupported(format!("extern `{}`", site.call.callee), None))
    }

    /// Warns of objects and calls of this extern that have less effect than the source text
    /// suggests.
    fn warnings(&self, _program: &Program) -> Vec<LoadWarning> {
        Vec::new()
    }
}

/// An extern object of the program.
pub(super) struct Object<'a> {
    pub program: &'a Program,
    pub id: ExternId,
    pub instance: &'a ExternInstance,
    /// The calls of its methods.
    pub calls: &'a [&'a ExternCall],
    /// The bytes that are left for cells; see [`MAX_CELL_BYTES`].
    left: &'a Cell<u64>,
}

/// A call in the program.
pub(super) struct CallSite<'a, A> {
    pub program: &'a Program,
    /// The state of the program's objects, by `ExternId`.
    pub objects: &'a [ExternState],
    pub architecture: &'a A,
    pub call: &'a ExternCall,
    pub loc: Loc,
    pub frame: CallFrame,
    /// The number of bytes to add to the length of a packet for counters and meters.
    pub length_offset: isize,
}

/// Help for programs that declare externs which the architecture does not have.
const OWN_EXTERNS: &str = "there is no code for this extern, which the program declares: give the \
    code in Python (`weir.compile(…, externs=…)`), compute it in a function, action or table, keep \
    state in a `register`, or send the packet to a program on a host";

/// Makes the state of the program's objects, by `ExternId`.
pub(super) fn objects<A>(
    program: &Program,
    externs: &[&dyn Extern<A>],
    settings: &Settings<'_>,
) -> Result<Vec<ExternState>, LoadError> {
    let mut calls: BTreeMap<ExternId, Vec<&ExternCall>> = BTreeMap::new();
    for (call, _) in extern_calls(program) {
        call.instance.iter().for_each(|id| calls.entry(*id).or_default().push(call));
    }
    let left = Cell::new(MAX_CELL_BYTES);
    let object = |(id, instance): (ExternId, &ExternInstance)| {
        let calls = calls.get(&id).map_or(&[][..], Vec::as_slice);
        let object = Object { program, id, instance, calls, left: &left };
        if let Some(factory) = &instance.factory {
            let feature = format!("extern `{factory}`, which makes `{}`", instance.name);
            let help = Some(OWN_EXTERNS.to_owned());
            return Err(LoadError::unsupported(program, instance.loc, feature, help));
        }
        let known = externs.iter().find(|known| known.types().contains(&instance.kind.as_str()));
        match (known, settings.own_externs.and_then(|own| own.object_type(&instance.kind))) {
            (Some(known), None) => known.object(&object),
            (None, Some(of)) => own::object(&object, of),
            (Some(_), Some(_)) => Err(own::not_own(program, instance.loc, &instance.kind)),
            (None, None) => {
                let mut types: Vec<_> = externs.iter().flat_map(|known| known.types()).copied().collect();
                types.sort_unstable();
                let help = Some(format!("{OWN_EXTERNS}; supported: {}", types.join(", ")));
                Err(LoadError { help, ..object.unsupported() })
            }
        }
    };
    program.externs.iter().map(object).collect()
}

/// The externs that a program can use.
pub(super) struct Known<'a, A: 'static> {
    /// The name of the architecture, for messages.
    pub architecture: &'static str,
    pub externs: &'a [&'static dyn Extern<A>],
    pub settings: &'a Settings<'a>,
    /// Returns the number of bytes to add to the length of a packet for the counters and meters of
    /// a call.
    pub length_offset: fn(&A, &ExternCall) -> isize,
}

impl<'a, A> Known<'a, A> {
    /// Describes the externs of an architecture whose counters and meters count the length of
    /// packets without an offset.
    pub(super) fn new(
        architecture: &'static str,
        externs: &'a [&'static dyn Extern<A>],
        settings: &'a Settings<'a>,
    ) -> Self {
        Self { architecture, externs, settings, length_offset: |_, _| 0 }
    }
}

/// Resolves the calls of the program. Adds all mistakes to `errors`.
pub(super) fn operations<A>(
    program: &Program,
    objects: &[ExternState],
    architecture: &A,
    known: &Known<'_, A>,
    errors: &mut Vec<LoadError>,
) -> Operations {
    let mut operations = Operations::default();
    for (call, loc) in extern_calls(program) {
        let (frame, length_offset) =
            (CallFrame::of_any(program, call), (known.length_offset)(architecture, call));
        let site = CallSite { program, objects, architecture, call, loc, frame, length_offset };
        let is_known = |known: &&&dyn Extern<A>| known.calls().iter().any(|known| known.name == call.callee);
        let own = known.settings.own_externs.and_then(|own| own::resolve(&site, own));
        let resolved = match (known.externs.iter().find(is_known), own) {
            (Some(found), None) => found.resolve(&site),
            (None, Some(resolved)) => resolved,
            (Some(_), Some(_)) => Err(own::not_own(program, loc, &call.callee)),
            (None, None) => Err(site.unknown(known)),
        };
        match resolved {
            Ok(resolved) => operations.add(call, resolved),
            Err(error) => errors.push(error),
        }
    }
    operations
}

/// Returns the enumeration member that is the constructor argument at this position.
fn member<'p>(program: &'p Program, instance: &ExternInstance, position: usize) -> Option<&'p str> {
    match instance.args.get(position) {
        Some(ConstArg::Bits(Type::Enum(id), ordinal)) => {
            program.enums[*id].members.get(ordinal.low_u64() as usize).map(String::as_str)
        }
        _ => None,
    }
}

impl Object<'_> {
    pub(super) fn unsupported(&self) -> LoadError {
        let ExternInstance { name, kind, loc, .. } = self.instance;
        let feature = format!("extern object `{name}` of type `{kind}`");
        LoadError::unsupported(self.program, *loc, feature, None)
    }

    pub(super) fn malformed(&self, problem: &str) -> LoadError {
        let ExternInstance { name, kind, loc, .. } = self.instance;
        LoadError::malformed(self.program, *loc, format!("{kind} `{name}`: {problem}"))
    }

    /// Returns the constructor argument at this position, which is a number of members or cells.
    pub(super) fn size(&self, position: usize) -> Result<&Bits, LoadError> {
        match self.instance.args.get(position) {
            Some(ConstArg::Bits(_, size)) => Ok(size),
            _ => Err(self.malformed(&format!("constructor argument {} must be the size", position + 1))),
        }
    }

    /// Returns the constructor argument at this position, which is a number of cells.
    ///
    /// Refuses more cells of this many bytes than the program may have. The memory itself is taken
    /// when a cell is used.
    pub(super) fn cells(&self, position: usize, bytes: usize) -> Result<usize, LoadError> {
        let size = self.size(position)?;
        let (left, bytes) = (self.left.get(), bytes.max(1) as u64);
        match size.to_u64().filter(|size| size.checked_mul(bytes).is_some_and(|needed| needed <= left)) {
            Some(size) => {
                self.left.set(left - size * bytes);
                Ok(size as usize)
            }
            None => Err(self.too_large(size, bytes)),
        }
    }

    fn too_large(&self, size: &Bits, bytes: u64) -> LoadError {
        let (program, ExternInstance { name, kind, loc, .. }) = (self.program, self.instance);
        let message = format!(
            "{kind} `{name}` is too large: its {size} cells take up to {bytes} bytes each, and {} bytes are left",
            self.left.get()
        );
        let help = format!(
            "a program's counters, meters and registers may take {} MiB together; direct ones do not count",
            MAX_CELL_BYTES >> 20
        );
        LoadError { help: Some(help), ..LoadError::new(program, LoadErrorKind::TooLarge, *loc, message) }
    }

    /// Returns the enumeration member that is the constructor argument at this position.
    pub(super) fn member(&self, position: usize) -> Option<&str> {
        member(self.program, self.instance, position)
    }

    /// Returns the tables that name the object as their `implementation`.
    pub(super) fn tables(&self) -> Vec<TableId> {
        let tables = self.program.tables.iter();
        tables.filter(|(_, table)| table.implementation == Some(self.id)).map(|(id, _)| id).collect()
    }

    /// Returns whether the program calls this method of the object.
    pub(super) fn is_called(&self, method: &str) -> bool {
        self.calls.iter().any(|call| call.callee == method)
    }
}

impl<A> CallSite<'_, A> {
    pub(super) fn unsupported(&self, feature: String, help: Option<String>) -> LoadError {
        LoadError::unsupported(self.program, self.loc, feature, help)
    }

    fn unknown(&self, known: &Known<'_, A>) -> LoadError {
        let Known { architecture, externs, .. } = known;
        let mut known: Vec<_> =
            externs.iter().flat_map(|known| known.calls()).map(|call| call.name).collect();
        known.sort_unstable();
        let nearest = weir_suggest::nearest_dotted(&self.call.callee, known.iter().copied());
        let help = nearest.map(|name| format!("did you mean `{name}`? If not: {OWN_EXTERNS}"));
        let all = || Some(format!("{OWN_EXTERNS}; {architecture} has: {}", known.join(", ")));
        self.unsupported(format!("extern `{}`", self.call.callee), help.or_else(all))
    }

    /// Returns the object whose method is called. The object must have the type that declares the
    /// method.
    pub(super) fn object(&self) -> Result<ExternId, LoadError> {
        let object = self.call.instance.ok_or_else(|| self.does_not_fit("it needs an object"))?;
        let ExternInstance { name, kind, .. } = &self.program.externs[object];
        match self.call.callee.split_once('.') {
            Some((wanted, _)) if wanted != kind => {
                Err(self.does_not_fit(&format!("`{name}` is a {kind}, not a {wanted}")))
            }
            _ => Ok(object),
        }
    }

    pub(super) fn does_not_fit(&self, problem: &str) -> LoadError {
        let message = format!("this call of `{}` does not fit its extern: {problem}", self.call.callee);
        LoadError::malformed(self.program, self.loc, message)
    }

    /// Returns the enumeration member that is the constructor argument at this position.
    pub(super) fn member(&self, object: ExternId, position: usize) -> Option<&str> {
        member(self.program, &self.program.externs[object], position)
    }

    /// Returns the values of an argument.
    pub(super) fn values(&self, position: usize) -> Result<Vec<FrameValue>, LoadError> {
        let values = self.frame.args.get(position).cloned();
        values.ok_or_else(|| self.does_not_fit(&format!("it needs an argument {}", position + 1)))
    }

    /// Returns the value of an argument that consists of a single value.
    pub(super) fn value(&self, position: usize) -> Result<FrameValue, LoadError> {
        match self.values(position)?[..] {
            [value] if value.if_valid.is_none() => Ok(value),
            _ => Err(self.does_not_fit(&format!("argument {} must be a single value", position + 1))),
        }
    }

    /// Returns the value of the argument with this name, if the call has it.
    pub(super) fn named(&self, name: &str) -> Option<FrameValue> {
        let position = self.call.args.iter().position(|arg| arg.name == name)?;
        self.value(position).ok()
    }

    /// Returns the parts of an argument that the extern reads.
    pub(super) fn leaves(&self, position: usize) -> Option<&[Leaf]> {
        match &self.call.args.get(position)?.value {
            ArgValue::Leaves(leaves) => Some(leaves),
            _ => None,
        }
    }

    /// Returns the value of an argument that is a constant.
    pub(super) fn constant(&self, position: usize) -> Option<Bits> {
        match self.leaves(position)? {
            [Leaf::Value(Expr { kind: ExprKind::Const(value), .. })] => Some(value.clone()),
            _ => None,
        }
    }

    /// Returns whether a variable is neither a header field nor a varbit, and has at most 64 bits.
    pub(super) fn is_plain(&self, var: VarId) -> bool {
        let var = &self.program.vars[var];
        var.role == weir_ir::VarRole::Plain && !matches!(var.ty, Type::Varbit { .. }) && var.ty.width() <= 64
    }
}
