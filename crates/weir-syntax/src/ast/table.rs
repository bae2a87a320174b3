//! Tables (specification section "Match-action units").

use super::{Annotation, Argument, Expr, IntegerLiteral, Keyset, Name, NodeId, PathName};
use crate::span::Span;

/// `table name { properties }`
#[derive(Clone, Debug, PartialEq)]
pub struct TableDecl {
    /// The properties in order, as written. The type checker reports duplicates.
    pub properties: Vec<TableProperty>,
}

/// A property of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableProperty {
    /// The node's id.
    pub id: NodeId,
    /// The text, from its annotations to its end.
    pub span: Span,
    /// The annotations before it; only allowed for `entries` and custom properties.
    pub annotations: Vec<Annotation>,
    /// The kind of property.
    pub kind: TablePropertyKind,
}

/// The forms of table properties.
#[derive(Clone, Debug, PartialEq)]
pub enum TablePropertyKind {
    /// `key = { … }`
    Key(Vec<KeyElement>),
    /// `actions = { … }`
    Actions(Vec<ActionListItem>),
    /// `entries = { … }`
    Entries(EntriesProperty),
    /// `name = value;`: `default_action`, `size`, `implementation` and an architecture's
    /// properties.
    Custom(CustomProperty),
}

/// `expression : match_kind annotations;`
#[derive(Clone, Debug, PartialEq)]
pub struct KeyElement {
    /// The node's id.
    pub id: NodeId,
    /// The text, from the expression to `;`.
    pub span: Span,
    /// The expression that is matched.
    pub expr: Expr,
    /// `exact`, `lpm`, `ternary` …
    pub match_kind: Name,
    /// The annotations after the match kind.
    pub annotations: Vec<Annotation>,
}

/// An action of a table's `actions` list.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionListItem {
    /// The node's id.
    pub id: NodeId,
    /// The text, from the annotations to `;`.
    pub span: Span,
    /// The annotations before the name: `@tableonly`, `@defaultonly`.
    pub annotations: Vec<Annotation>,
    /// The action.
    pub action: ActionRef,
}

/// The name of an action, possibly with arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionRef {
    /// The node's id.
    pub id: NodeId,
    /// The location.
    pub span: Span,
    /// The action's name.
    pub name: PathName,
    /// The arguments for its first parameters; `None` without parentheses.
    pub args: Option<Vec<Argument>>,
}

/// `entries = { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct EntriesProperty {
    /// True for `const entries`: the control plane cannot change them.
    pub is_const: bool,
    /// The entries in order.
    pub entries: Vec<Entry>,
}

/// `priority = n : keyset : action;`
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The node's id.
    pub id: NodeId,
    /// The text, from its first token to `;`.
    pub span: Span,
    /// True for a `const` entry in a table whose other entries can be changed.
    pub is_const: bool,
    /// The priority, if written.
    pub priority: Option<EntryPriority>,
    /// The values that the entry matches.
    pub keyset: Keyset,
    /// The action that it runs.
    pub action: ActionRef,
    /// The annotations after the action.
    pub annotations: Vec<Annotation>,
}

/// The priority of an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum EntryPriority {
    /// `priority = 10:`
    Literal(IntegerLiteral, Span),
    /// `priority = (expression):`
    Expr(Expr),
}

/// `const name = value;`
#[derive(Clone, Debug, PartialEq)]
pub struct CustomProperty {
    /// True if written with `const`.
    pub is_const: bool,
    /// The property's name.
    pub name: Name,
    /// The value. `default_action = a(1);` is a call, `default_action = a;` a name.
    pub value: Expr,
}

impl TableDecl {
    /// Returns the elements of the `key` property; empty if there is none.
    pub fn key(&self) -> &[KeyElement] {
        let found = self.properties.iter().find_map(|p| match &p.kind {
            TablePropertyKind::Key(elements) => Some(elements.as_slice()),
            _ => None,
        });
        found.unwrap_or_default()
    }

    /// Returns the items of the `actions` property; empty if there is none.
    pub fn actions(&self) -> &[ActionListItem] {
        let found = self.properties.iter().find_map(|p| match &p.kind {
            TablePropertyKind::Actions(items) => Some(items.as_slice()),
            _ => None,
        });
        found.unwrap_or_default()
    }

    /// Returns the `entries` property.
    pub fn entries(&self) -> Option<&EntriesProperty> {
        self.properties.iter().find_map(|p| match &p.kind {
            TablePropertyKind::Entries(entries) => Some(entries),
            _ => None,
        })
    }

    /// Returns the custom property with this name: `default_action`, `size` …
    pub fn custom(&self, name: &str) -> Option<&CustomProperty> {
        self.properties.iter().find_map(|p| match &p.kind {
            TablePropertyKind::Custom(property) if property.name.as_str() == name => Some(property),
            _ => None,
        })
    }
}
