//! The parts of an architecture that controllers see: its name and its extern objects.
//!
//! The rows are part of an architecture's description, in [`arch`](crate::arch).

use weir_ir::{ExternId, Program, Table};

use super::ObjectKind;

/// The parts of an architecture that controllers see.
#[derive(Clone, Copy, Debug)]
pub struct ControlView {
    /// The architecture's name for controllers, such as `v1model`; `None` if the architecture is
    /// not known, and its package's name stands for it.
    pub name: Option<&'static str>,
    /// The types of extern objects, in groups. Controllers do not see objects of other types.
    pub externs: &'static [&'static [ExternView]],
    /// The function whose calls send digests.
    pub digest_function: Option<&'static str>,
}

/// The view that controllers have of the objects of an extern type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExternView {
    /// The type's name, such as `register`.
    pub name: &'static str,
    /// The kind of its objects.
    pub kind: ObjectKind,
    /// The type argument that is the type of the objects' index.
    pub index: Option<usize>,
    /// Whether it is an action profile with groups.
    pub has_groups: bool,
}

impl ControlView {
    /// Returns what controllers see of an extern type; `None` if they see nothing.
    pub fn of_extern(&self, name: &str) -> Option<&'static ExternView> {
        self.externs.iter().copied().flatten().find(|view| view.name == name)
    }

    /// Returns the kind that objects of an extern type have.
    pub fn kind_of(&self, name: &str) -> Option<ObjectKind> {
        self.of_extern(name).map(|view| view.kind)
    }
}

impl ControlView {
    /// Returns the action profile or selector of a table, whatever property the program names it
    /// with.
    pub fn implementation(&self, program: &Program, table: &Table) -> Option<ExternId> {
        let is_profile =
            |id: &ExternId| self.kind_of(&program.externs[*id].kind) == Some(ObjectKind::ActionProfile);
        // Some architectures name the kind of memory of a table as its implementation.
        let mut named = table.implementation.into_iter().chain(table.attached.iter().map(|(_, id)| *id));
        named.find(is_profile)
    }

    /// Returns the counters and meters of a table's entries.
    pub fn direct_objects<'a>(
        &'a self,
        program: &'a Program,
        table: &'a Table,
    ) -> impl Iterator<Item = (ExternId, ObjectKind)> + 'a {
        let objects = table
            .attached
            .iter()
            .filter_map(|(_, id)| Some((*id, self.kind_of(&program.externs[*id].kind)?)));
        objects.filter(|(_, kind)| matches!(kind, ObjectKind::DirectCounter | ObjectKind::DirectMeter))
    }
}

impl ExternView {
    /// Describes a type whose objects are of a kind, and have no index with a type of its own.
    pub const fn new(name: &'static str, kind: ObjectKind) -> Self {
        Self { name, kind, index: None, has_groups: false }
    }

    /// Sets which type argument is the type of the index.
    #[must_use]
    pub const fn indexed_by(self, argument: usize) -> Self {
        Self { index: Some(argument), ..self }
    }

    /// Gives the type's objects groups.
    #[must_use]
    pub const fn with_groups(self) -> Self {
        Self { has_groups: true, ..self }
    }
}
