//! The annotations of a program's declarations, with the annotated items.

use weir_syntax::Span;

use crate::hir::{Annotations, Program, Record, VarKind};

/// The kind of item that an annotation is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    Action,
    Constant,
    Control,
    Entry,
    Enum,
    Extern,
    Field,
    Function,
    Instance,
    Key,
    /// An action in a table's list.
    Listed,
    /// The package.
    Main,
    /// A method of an extern, or one of its constructors.
    Method,
    NewType,
    Param,
    Parser,
    Property,
    /// A struct, header or union.
    Record,
    State,
    Table,
    ValueSet,
    Variable,
}

impl Place {
    /// With its article.
    pub fn name(self) -> &'static str {
        match self {
            Self::Action => "an action",
            Self::Constant => "a constant",
            Self::Control => "a control",
            Self::Entry => "an entry",
            Self::Enum => "an enum",
            Self::Extern => "an extern",
            Self::Field => "a field",
            Self::Function => "a function",
            Self::Instance => "an instance",
            Self::Key => "a key of a table",
            Self::Listed => "an action in a table's list",
            Self::Main => "the package `main`",
            Self::Method => "a method of an extern",
            Self::NewType => "a type declared with `type`",
            Self::Param => "a parameter",
            Self::Parser => "a parser",
            Self::Property => "a property of a table",
            Self::Record => "a header or struct",
            Self::State => "a state",
            Self::Table => "a table",
            Self::ValueSet => "a value set",
            Self::Variable => "a variable",
        }
    }
}

/// The annotations of an item, and the span inside which its `@noWarn` applies, if it applies at
/// all.
pub(super) struct Annotated<'p> {
    pub annotations: &'p Annotations,
    pub place: Place,
    /// The declaration; none for a statement's block or an action in a list.
    pub span: Option<Span>,
}

/// The annotations of all declarations. Annotations of statements, type names and enum members are
/// not included.
pub(super) fn annotated(program: &Program) -> Vec<Annotated<'_>> {
    let mut list = Vec::new();
    let mut add = |annotations, place, span| {
        let found: &Annotations = annotations;
        if !found.0.is_empty() {
            list.push(Annotated { annotations: found, place, span });
        }
    };
    for (_, one) in program.controls.iter() {
        add(&one.annotations, Place::Control, Some(one.span));
    }
    for (_, one) in program.parsers.iter() {
        add(&one.annotations, Place::Parser, Some(one.span));
    }
    for (_, one) in program.actions.iter() {
        add(&one.annotations, Place::Action, Some(one.span));
    }
    for (_, one) in program.functions.iter() {
        add(&one.annotations, Place::Function, Some(one.span));
    }
    for (_, one) in program.states.iter() {
        add(&one.annotations, Place::State, Some(one.name.span.to(one.transition_span)));
    }
    for (_, table) in program.tables.iter() {
        add(&table.annotations, Place::Table, Some(table.span));
        table.keys.iter().for_each(|key| add(&key.annotations, Place::Key, Some(key.span)));
        table.actions.iter().for_each(|one| add(&one.annotations, Place::Listed, None));
        table.entries.iter().for_each(|entry| add(&entry.annotations, Place::Entry, Some(entry.span)));
        table.properties.iter().for_each(|one| add(&one.annotations, Place::Property, None));
    }
    for (id, one) in program.instances.iter() {
        let place = if program.main == Some(id) { Place::Main } else { Place::Instance };
        add(&one.annotations, place, Some(one.name.span.to(one.construct.span)));
    }
    for (_, one) in program.consts.iter() {
        add(&one.annotations, Place::Constant, Some(one.name.span.to(one.init.span)));
    }
    for (_, one) in program.vars.iter() {
        let place = if one.kind == VarKind::Local { Place::Variable } else { Place::Param };
        add(&one.annotations, place, Some(one.name.span));
    }
    for (_, record) in program.records.iter() {
        add(&record.annotations, Place::Record, Some(whole(record)));
        record.fields.iter().for_each(|one| add(&one.annotations, Place::Field, Some(one.name.span)));
    }
    for (_, one) in program.value_sets.iter() {
        add(&one.annotations, Place::ValueSet, Some(one.name.span));
    }
    for (_, one) in program.newtypes.iter() {
        add(&one.annotations, Place::NewType, None);
    }
    for (_, one) in program.enums.iter() {
        add(&one.annotations, Place::Enum, None);
    }
    for (_, one) in program.extern_functions.iter() {
        add(&one.0.annotations, Place::Function, None);
    }
    for (_, one) in program.externs.iter() {
        add(&one.annotations, Place::Extern, None);
        let signatures = one.constructors.iter().chain(&one.methods);
        signatures.for_each(|one| add(&one.annotations, Place::Method, None));
    }
    list
}

fn whole(record: &Record) -> Span {
    record.fields.last().map_or(record.name.span, |last| record.name.span.to(last.name.span))
}
