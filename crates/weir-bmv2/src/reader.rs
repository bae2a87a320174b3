//! The state of reading a document: the program so far, and its objects by their names in the
//! document.

use std::collections::BTreeMap;

use weir_ir::program::{ExternId, Program, VarId};
use weir_ir::{Expr, ExprKind, Loc, Place, Stmt, StmtKind, Type, ValueSetId};
use weir_json::{Diagnostic, Kind, Node};

use crate::input::{Result, unknown};
use crate::storage::Storage;

/// The document and the program that is made from it.
pub(crate) struct Reader<'d> {
    pub root: Node<'d>,
    pub program: Program,
    pub storage: Storage,
    /// The extern objects, by the member that lists them and their names.
    pub objects: BTreeMap<(&'static str, String), ExternId>,
    /// The fields that direct meters write, by the meter's name.
    pub meter_results: BTreeMap<String, VarId>,
    /// The document's calculations by name.
    pub calculations: BTreeMap<String, Node<'d>>,
    /// The field lists of digests, by their ids.
    pub digests: BTreeMap<u64, Node<'d>>,
    pub value_sets: BTreeMap<String, ValueSetId>,
    /// The data of the action that is being read.
    pub data: Vec<VarId>,
    files: BTreeMap<String, u32>,
    temporaries: usize,
}

impl<'d> Reader<'d> {
    /// Creates a reader of a document that has read nothing yet.
    pub(crate) fn new(root: Node<'d>) -> Self {
        Self {
            root,
            program: Program::default(),
            storage: Storage::default(),
            objects: BTreeMap::new(),
            meter_results: BTreeMap::new(),
            calculations: BTreeMap::new(),
            digests: BTreeMap::new(),
            value_sets: BTreeMap::new(),
            data: Vec::new(),
            files: BTreeMap::new(),
            temporaries: 0,
        }
    }

    /// Returns the number of the source file of this name, which is added to the program if it is
    /// new.
    pub(crate) fn file(&mut self, name: &str) -> u32 {
        if let Some(known) = self.files.get(name) {
            return *known;
        }
        let number = self.program.files.len() as u32;
        self.program.files.push(name.to_owned());
        self.files.insert(name.to_owned(), number);
        number
    }

    /// Reads the place in the P4 source that p4c recorded for an object.
    pub(crate) fn loc(&mut self, node: Node<'_>) -> Loc {
        let Some(info) = node.get("source_info") else { return Loc::NONE };
        let number = |key: &str| match &info.get(key)?.value().kind {
            Kind::Number(text) => text.parse::<u32>().ok(),
            _ => None,
        };
        let Some(Kind::Text(file)) = info.get("filename").map(|file| &file.value().kind) else {
            return Loc::NONE;
        };
        match number("line") {
            Some(line) if line > 0 && !file.is_empty() => {
                // p4c counts columns from 0.
                let column = number("column").unwrap_or(0).saturating_add(1);
                Loc { file: self.file(&file.clone()), line, column }
            }
            _ => Loc::NONE,
        }
    }

    /// Adds a new variable that does not come from the document.
    pub(crate) fn temporary(&mut self, ty: Type) -> VarId {
        let name = format!("$json.{}", self.temporaries);
        self.temporaries += 1;
        self.program.add_var(name, ty, Loc::NONE)
    }

    /// Returns the value of a variable.
    pub(crate) fn read(&self, var: VarId) -> Expr {
        Expr { kind: ExprKind::Var(var), ty: self.program.vars[var].ty }
    }

    /// Returns the type of a place.
    pub(crate) fn place_type(&self, place: &Place) -> Type {
        match place {
            Place::Var(var) => self.program.vars[*var].ty,
            Place::Indexed(vars, _) => self.program.vars[vars[0]].ty,
        }
    }

    /// Finds the object that a node names among those of a member such as `register_arrays`.
    pub(crate) fn object(&self, kind: &'static str, node: Node<'_>) -> Result<ExternId> {
        let name = node.text("an object's name")?;
        self.objects.get(&(kind, name.to_owned())).copied().ok_or_else(|| {
            let names =
                self.objects.keys().filter(|(other, _)| *other == kind).map(|(_, name)| name.as_str());
            unknown(node, &format!("object in \"{kind}\" with the name"), name, names)
        })
    }

    /// Returns a variable for a result that must be written to a place. If the place is not itself
    /// a variable, also returns the statement that copies the result to the place.
    pub(crate) fn result(&mut self, place: Place, loc: Loc) -> (VarId, Option<Stmt>) {
        match place {
            Place::Var(var) => (var, None),
            place @ Place::Indexed(..) => {
                let var = self.temporary(self.place_type(&place));
                let kind = StmtKind::Assign(place, self.read(var));
                (var, Some(Stmt { kind, loc }))
            }
        }
    }

    /// Finds a member of one of v1model's enumerations: its type and its value.
    pub(crate) fn member(&self, enumeration: &str, member: &str) -> Option<(Type, u128)> {
        let (id, found) = self.program.enums.iter().find(|(_, known)| known.name == enumeration)?;
        let ordinal = found.members.iter().position(|known| known == member)?;
        Some((Type::Enum(id), ordinal as u128))
    }
}

/// Turns an error about a number into a diagnostic at a place of the document.
pub(crate) fn at_node<T>(node: Node<'_>, result: std::result::Result<T, String>) -> Result<T> {
    result.map_err(|message| unsupported(node, &message))
}

/// Returns the error for a part of the document that Weir does not run.
pub(crate) fn unsupported(node: Node<'_>, why: &str) -> Diagnostic {
    node.error(format!("Weir cannot run this: {why}"))
}
