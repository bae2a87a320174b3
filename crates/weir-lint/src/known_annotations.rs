//! The annotations that Weir knows: where each has a meaning, and which arguments it takes.
//!
//! Annotations that take no argument or one string are checked earlier, with errors
//! (`weir-compiler/src/check/annotation.rs`). Those of an architecture are in its files.

use weir_suggest::Search;

use crate::hir::ItemKind::{
    self, Action, ActionData, Block, BlockInstance, BlockType, Constant, Control, Entry, Enum, Extern,
    Function, Header, HeaderField, Instance, Key, Listed, Main, Method, NewType, ObjectProperty, Package,
    Param, Parser, State, Struct, StructField, Table, Typedef, Union, UnionField, ValueSet, Variable,
};

/// The similarity between a misspelt annotation and the right one. Targets have annotations of
/// their own, which are similar only by chance.
pub(super) const SLIP: Search = Search { dotted: false, slips_only: true, least: 750 };

/// The arguments that an annotation takes.
#[derive(Clone, Copy)]
pub(super) enum Takes {
    /// Arguments that another check examines.
    Anything,
    /// Nothing; arguments have no effect.
    Nothing,
    /// A string.
    Text,
    /// A string that is not empty.
    Name,
    /// One of these strings, also in capitals if the last part is true.
    Word(&'static [&'static str], bool),
    /// A number from 0 on.
    Number,
    /// `key = "text"`, with these keys.
    TextsByKey(&'static [&'static str]),
    /// `key = number`, with these keys.
    NumbersByKey(&'static [&'static str]),
}

/// An annotation of P4_16 (appendix "Annotations"), P4Runtime or p4c that has a meaning for Weir,
/// or one of Weir's own (`@route`).
pub(super) struct Known {
    /// The name without the `@`.
    pub name: &'static str,
    /// The arguments in its parentheses or brackets.
    pub takes: Takes,
    /// The items where it has a meaning; empty if all.
    pub places: &'static [ItemKind],
    /// Whether only the first one of a declaration counts.
    pub single: bool,
}

const fn known(name: &'static str, takes: Takes, places: &'static [ItemKind]) -> Known {
    Known { name, takes, places, single: false }
}

const fn single(name: &'static str, takes: Takes, places: &'static [ItemKind]) -> Known {
    Known { name, takes, places, single: true }
}

/// Items that can have an id for controllers: objects and their parts. Headers and fields only if
/// controllers know them ([`super::annotation_context`]).
const CONTROLLED: &[ItemKind] =
    &[Table, Action, Key, ActionData, Instance, ObjectProperty, ValueSet, Header, HeaderField, StructField];

/// Items whose documentation reaches controllers.
const DOCUMENTED: &[ItemKind] = &[
    Table,
    Action,
    Key,
    ActionData,
    Listed,
    Instance,
    ObjectProperty,
    ValueSet,
    Header,
    StructField,
    Enum,
    NewType,
    Main,
];

/// Items that can have another name.
const ALIASED: &[ItemKind] = &[Table, Action, Instance, ObjectProperty, ValueSet, Header, StructField];

/// Items that `@hidden` can hide.
const HIDDEN: &[ItemKind] =
    &[Table, Action, Key, ActionData, Listed, Instance, ObjectProperty, ValueSet, HeaderField];

/// Declarations with a name.
const NAMED: &[ItemKind] = &[
    Table,
    Action,
    Key,
    ActionData,
    Instance,
    ObjectProperty,
    ValueSet,
    HeaderField,
    StructField,
    UnionField,
    Control,
    Parser,
    BlockInstance,
    Header,
    Struct,
    Union,
    Enum,
    NewType,
    Typedef,
    State,
    Variable,
    Param,
    Constant,
    Function,
    Extern,
    Method,
    BlockType,
    Package,
];

/// Declarations that a program refers to by name.
const USABLE: &[ItemKind] = &[
    Function,
    Action,
    Table,
    Extern,
    Method,
    Constant,
    ActionData,
    Instance,
    ValueSet,
    HeaderField,
    StructField,
    UnionField,
    Control,
    Parser,
    BlockInstance,
    Header,
    Struct,
    Union,
    Enum,
    NewType,
    Typedef,
    State,
    Variable,
    Param,
    BlockType,
    Package,
];

const ATOMIC: &[ItemKind] = &[Block, Action, State, Control, Parser, Function, Method, Extern];

const PACKAGE_INFO: &[&str] = &["name", "version", "organization", "contact", "url", "arch"];

const PLATFORM: &[&str] = &[
    "multicast_group_table_size",
    "multicast_group_table_total_replicas",
    "multicast_group_table_max_replicas_per_entry",
];

const SIZE_SEMANTICS: &[&str] = &["sum_of_members", "sum_of_weights"];

/// All known annotations.
pub(super) const KNOWN: [Known; 30] = [
    single("alias", Takes::Anything, ALIASED),
    known("atomic", Takes::Anything, ATOMIC),
    single("brief", Takes::Text, DOCUMENTED),
    single("controller_header", Takes::Word(&["packet_in", "packet_out"], false), &[Header]),
    known("defaultonly", Takes::Anything, &[Listed]),
    single("deprecated", Takes::Anything, USABLE),
    single("description", Takes::Text, DOCUMENTED),
    known("groupaction", Takes::Nothing, &[Listed]),
    known("hidden", Takes::Anything, HIDDEN),
    single("id", Takes::Anything, CONTROLLED),
    known("likely", Takes::Anything, &[Block]),
    single("match", Takes::Anything, &[StructField]),
    single("max_group_size", Takes::Number, &[Instance, ObjectProperty]),
    single("max_member_weight", Takes::Number, &[Instance, ObjectProperty]),
    single("name", Takes::Name, NAMED),
    known("noSideEffects", Takes::Anything, &[Action, Function, Method]),
    known("noWarn", Takes::Anything, &[]),
    known("optional", Takes::Anything, &[Param, Method]),
    single("p4runtime_translation", Takes::Anything, &[NewType]),
    single("p4runtime_translation_mappings", Takes::Anything, &[NewType]),
    known("pkginfo", Takes::TextsByKey(PACKAGE_INFO), &[Main]),
    known("platform_property", Takes::NumbersByKey(PLATFORM), &[Main]),
    single("priority", Takes::Anything, &[Entry]),
    known("pure", Takes::Anything, &[Action, Function, Method]),
    known("route", Takes::Nothing, &[Table]),
    single("selector_size_semantics", Takes::Word(SIZE_SEMANTICS, true), &[Instance, ObjectProperty]),
    known("single_rate_three_color", Takes::Nothing, &[Instance, ObjectProperty]),
    known("single_rate_two_color", Takes::Nothing, &[Instance, ObjectProperty]),
    known("tableonly", Takes::Anything, &[Listed]),
    known("unlikely", Takes::Anything, &[Block]),
];

/// The items where an annotation that gives fields numbers has a meaning, such as `@field_list`.
pub(super) const NUMBERED: &[ItemKind] = &[StructField, HeaderField];

/// The known annotation of this name.
pub(super) fn find(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.name == name)
}

/// The word that a misspelt one stands for.
pub(super) fn meant_word<'w>(text: &str, words: &[&'w str]) -> Option<&'w str> {
    SLIP.nearest(text, words.iter().copied())
}
