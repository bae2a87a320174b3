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
pub(super) const MISSPELLING_SEARCH: Search = Search { dotted: false, slips_only: true, least: 750 };

/// The arguments that an annotation takes.
#[derive(Clone, Copy)]
pub(super) enum ArgumentKind {
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
pub(super) struct KnownAnnotation {
    /// The name without the `@`.
    pub name: &'static str,
    /// The arguments in its parentheses or brackets.
    pub takes: ArgumentKind,
    /// The items on which the annotation has a meaning; empty if it has a meaning on all items.
    pub places: &'static [ItemKind],
}

/// Makes the description of a known annotation.
const fn annotation(name: &'static str, takes: ArgumentKind, places: &'static [ItemKind]) -> KnownAnnotation {
    KnownAnnotation { name, takes, places }
}

/// Items that can have an id for controllers: objects and their parts. Headers and fields only if
/// controllers know them ([`super::annotation_context`]).
const KINDS_WITH_ID: &[ItemKind] =
    &[Table, Action, Key, ActionData, Instance, ObjectProperty, ValueSet, Header, HeaderField, StructField];

/// Items whose documentation reaches controllers.
const DOCUMENTED_KINDS: &[ItemKind] = &[
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
const ALIASED_KINDS: &[ItemKind] = &[Table, Action, Instance, ObjectProperty, ValueSet, Header, StructField];

/// Items that `@hidden` can hide.
const HIDDEN_KINDS: &[ItemKind] = &[Table, Action, Instance, ObjectProperty, ValueSet, Header, HeaderField];

/// Declarations with a name. The program cannot refer to the first two kinds by their name.
const NAMED_KINDS: &[ItemKind] = &[
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
const REFERABLE_KINDS: &[ItemKind] = NAMED_KINDS.split_at(2).1;

/// The items on which `@atomic` has a meaning.
const ATOMIC_KINDS: &[ItemKind] = &[Block, Action, State, Control, Parser, Function, Method, Extern];

const PACKAGE_INFO: &[&str] = &["name", "version", "organization", "contact", "url", "arch"];

/// The known keys of `@platform_property`.
const PLATFORM: &[&str] = &[
    "multicast_group_table_size",
    "multicast_group_table_total_replicas",
    "multicast_group_table_max_replicas_per_entry",
];

const SIZE_SEMANTICS: &[&str] = &["sum_of_members", "sum_of_weights"];

/// All known annotations.
pub(super) const KNOWN_ANNOTATIONS: [KnownAnnotation; 30] = [
    annotation("alias", ArgumentKind::Text, ALIASED_KINDS),
    annotation("atomic", ArgumentKind::Anything, ATOMIC_KINDS),
    annotation("brief", ArgumentKind::Text, DOCUMENTED_KINDS),
    annotation("controller_header", ArgumentKind::Word(&["packet_in", "packet_out"], false), &[Header]),
    annotation("defaultonly", ArgumentKind::Anything, &[Listed]),
    annotation("deprecated", ArgumentKind::Anything, REFERABLE_KINDS),
    annotation("description", ArgumentKind::Text, DOCUMENTED_KINDS),
    annotation("groupaction", ArgumentKind::Nothing, &[Listed]),
    annotation("hidden", ArgumentKind::Anything, HIDDEN_KINDS),
    annotation("id", ArgumentKind::Anything, KINDS_WITH_ID),
    annotation("likely", ArgumentKind::Anything, &[Block]),
    annotation("match", ArgumentKind::Anything, &[StructField]),
    annotation("max_group_size", ArgumentKind::Number, &[Instance, ObjectProperty]),
    annotation("max_member_weight", ArgumentKind::Number, &[Instance, ObjectProperty]),
    annotation("name", ArgumentKind::Text, NAMED_KINDS),
    annotation("noSideEffects", ArgumentKind::Anything, &[Action, Function, Method]),
    annotation("noWarn", ArgumentKind::Anything, &[]),
    annotation("optional", ArgumentKind::Anything, &[Param, Method]),
    annotation("p4runtime_translation", ArgumentKind::Anything, &[NewType]),
    annotation("p4runtime_translation_mappings", ArgumentKind::Anything, &[NewType]),
    annotation("pkginfo", ArgumentKind::TextsByKey(PACKAGE_INFO), &[Main]),
    annotation("platform_property", ArgumentKind::NumbersByKey(PLATFORM), &[Main]),
    annotation("priority", ArgumentKind::Anything, &[Entry]),
    annotation("pure", ArgumentKind::Anything, &[Action, Function, Method]),
    annotation("route", ArgumentKind::Nothing, &[Table]),
    annotation(
        "selector_size_semantics",
        ArgumentKind::Word(SIZE_SEMANTICS, true),
        &[Instance, ObjectProperty],
    ),
    annotation("single_rate_three_color", ArgumentKind::Nothing, &[Instance, ObjectProperty]),
    annotation("single_rate_two_color", ArgumentKind::Nothing, &[Instance, ObjectProperty]),
    annotation("tableonly", ArgumentKind::Anything, &[Listed]),
    annotation("unlikely", ArgumentKind::Anything, &[Block]),
];

/// The items where an annotation that gives fields numbers has a meaning, such as `@field_list`.
pub(super) const FIELD_KINDS: &[ItemKind] = &[StructField, HeaderField];

/// Finds the known annotation of this name.
pub(super) fn find(name: &str) -> Option<&'static KnownAnnotation> {
    KNOWN_ANNOTATIONS.iter().find(|known| known.name == name)
}

/// Returns the word that a misspelt word most likely stands for.
pub(super) fn meant_word<'w>(text: &str, words: &[&'w str]) -> Option<&'w str> {
    MISSPELLING_SEARCH.nearest(text, words.iter().copied())
}
