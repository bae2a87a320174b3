//! The annotations that Weir knows, the items on which each has a meaning, and the arguments that
//! it accepts.
//!
//! Annotations that take no argument or one string are checked earlier, with errors
//! (`weir-compiler/src/check/annotation.rs`). Those of an architecture are in its files.

use weir_suggest::Search;

use crate::hir::ItemKind::{
    self, Action, ActionData, Block, BlockInstance, BlockType, Constant, Control, Entry, Enum, Extern,
    Function, Header, HeaderField, Instance, Key, Listed, Main, Method, NewType, ObjectProperty, Package,
    Param, Parser, State, Struct, StructField, Table, Typedef, Union, UnionField, ValueSet, Variable,
};

/// The largest number that P4Info can hold.
pub(super) const MAX_NUMBER: i32 = i32::MAX;

/// Annotations that exclude each other on an item.
pub(super) const EXCLUSIVE: [&[&str]; 3] = [
    &["defaultonly", "groupaction", "tableonly"],
    &["likely", "unlikely"],
    &["single_rate_three_color", "single_rate_two_color"],
];

/// The minimum similarity between a misspelt annotation and the right one. It is high because other
/// targets have annotations whose names are similar only by chance.
pub(super) const SLIP: Search = Search { dotted: false, slips_only: true, least: 750 };

/// The arguments that an annotation takes.
#[derive(Clone, Copy)]
pub(super) enum Takes {
    /// Arguments that another check examines.
    Anything,
    /// No arguments; arguments have no effect.
    Nothing,
    /// A string that is not empty.
    Text,
    /// One of these strings, also in capitals if the last part is true.
    Word(&'static [&'static str], bool),
    /// A number from 0 to [`MAX_NUMBER`].
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
    /// The items on which the annotation has a meaning; empty if it has a meaning on all items.
    pub places: &'static [ItemKind],
}

const fn known(name: &'static str, takes: Takes, places: &'static [ItemKind]) -> Known {
    Known { name, takes, places }
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
    NewType,
    Main,
];

/// Items that can have another name.
const ALIASED: &[ItemKind] = &[Table, Action, Instance, ObjectProperty, ValueSet, Header, StructField];

/// Items that `@hidden` can hide.
const HIDDEN: &[ItemKind] = &[Table, Action, Instance, ObjectProperty, ValueSet, Header, HeaderField];

/// Declarations with a name. The program cannot refer to the first two kinds by their name.
const NAMED: &[ItemKind] = &[
    Key,
    ObjectProperty,
    Table,
    Action,
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
    Constant,
    Function,
    Extern,
    Method,
    BlockType,
    Package,
];

/// Declarations that a program refers to by name.
const USABLE: &[ItemKind] = NAMED.split_at(2).1;

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
    known("alias", Takes::Text, ALIASED),
    known("atomic", Takes::Anything, ATOMIC),
    known("brief", Takes::Text, DOCUMENTED),
    known("controller_header", Takes::Word(&["packet_in", "packet_out"], false), &[Header]),
    known("defaultonly", Takes::Anything, &[Listed]),
    known("deprecated", Takes::Anything, USABLE),
    known("description", Takes::Text, DOCUMENTED),
    known("groupaction", Takes::Nothing, &[Listed]),
    known("hidden", Takes::Anything, HIDDEN),
    known("id", Takes::Anything, CONTROLLED),
    known("likely", Takes::Anything, &[Block]),
    known("match", Takes::Anything, &[StructField]),
    known("max_group_size", Takes::Number, &[Instance, ObjectProperty]),
    known("max_member_weight", Takes::Number, &[Instance, ObjectProperty]),
    known("name", Takes::Text, NAMED),
    known("noSideEffects", Takes::Anything, &[Action, Function, Method]),
    known("noWarn", Takes::Anything, &[]),
    known("optional", Takes::Anything, &[Param, Method]),
    known("p4runtime_translation", Takes::Anything, &[NewType]),
    known("p4runtime_translation_mappings", Takes::Anything, &[NewType]),
    known("pkginfo", Takes::TextsByKey(PACKAGE_INFO), &[Main]),
    known("platform_property", Takes::NumbersByKey(PLATFORM), &[Main]),
    known("priority", Takes::Anything, &[Entry]),
    known("pure", Takes::Anything, &[Action, Function, Method]),
    known("route", Takes::Nothing, &[Table]),
    known("selector_size_semantics", Takes::Word(SIZE_SEMANTICS, true), &[Instance, ObjectProperty]),
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

/// The word that a misspelt word most likely stands for.
pub(super) fn meant_word<'w>(text: &str, words: &[&'w str]) -> Option<&'w str> {
    SLIP.nearest(text, words.iter().copied())
}
