//! The annotations that Weir knows: where each has a meaning, and which arguments it takes.
//!
//! Annotations that take no argument or one string are checked earlier, with errors
//! ([`crate::check::annotation`]). Those of an architecture are in its files.

use super::annotated::Place;
use Place::{
    Action, Control, Entry, Extern, Field, Function, Instance, Key, Listed, Main, Method, NewType, Param,
    Parser, Property, Record, State, Table, ValueSet, Variable,
};

/// The arguments that an annotation takes.
#[derive(Clone, Copy)]
pub(super) enum Takes {
    /// Arguments that another check examines.
    Anything,
    /// Nothing; arguments have no effect.
    Nothing,
    /// A string.
    Text,
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
    pub places: &'static [Place],
    /// Whether only the first one of a declaration counts.
    pub single: bool,
}

const fn known(name: &'static str, takes: Takes, places: &'static [Place]) -> Known {
    Known { name, takes, places, single: false }
}

const fn single(name: &'static str, takes: Takes, places: &'static [Place]) -> Known {
    Known { name, takes, places, single: true }
}

/// Items that controllers see: the parts of a program with ids and names.
const CONTROLLED: &[Place] = &[
    Action, Control, Field, Instance, Key, Listed, Main, Param, Parser, Property, Record, Table, ValueSet,
    NewType,
];

/// Items that `@hidden` can hide.
const HIDDEN: &[Place] = &[Action, Control, Instance, Key, Listed, Param, Parser, Property, Table, ValueSet];

const PACKAGE_INFO: &[&str] = &["name", "version", "organization", "contact", "url", "arch"];

const PLATFORM: &[&str] = &[
    "multicast_group_table_size",
    "multicast_group_table_total_replicas",
    "multicast_group_table_max_replicas_per_entry",
];

/// All known annotations.
pub(super) const KNOWN: [Known; 26] = [
    known("alias", Takes::Anything, &[]),
    known("atomic", Takes::Anything, &[Action, Control, Function, Method, Extern, Parser, State]),
    single("brief", Takes::Text, CONTROLLED),
    single("controller_header", Takes::Word(&["packet_in", "packet_out"], false), &[Record]),
    known("defaultonly", Takes::Anything, &[Listed]),
    known("deprecated", Takes::Anything, &[]),
    single("description", Takes::Text, CONTROLLED),
    known("groupaction", Takes::Nothing, &[Listed]),
    known("hidden", Takes::Anything, HIDDEN),
    single("id", Takes::Anything, CONTROLLED),
    single("match", Takes::Anything, &[Field]),
    single("max_group_size", Takes::Number, &[Instance, Property]),
    single("max_member_weight", Takes::Number, &[Instance, Property]),
    single("name", Takes::Anything, &[]),
    known("noSideEffects", Takes::Anything, &[Action, Function, Method]),
    known("noWarn", Takes::Anything, &[]),
    known("optional", Takes::Anything, &[Param, Method]),
    single("p4runtime_translation", Takes::Anything, &[]),
    single("p4runtime_translation_mappings", Takes::Anything, &[NewType]),
    known("pkginfo", Takes::TextsByKey(PACKAGE_INFO), &[Main]),
    known("platform_property", Takes::NumbersByKey(PLATFORM), &[Main]),
    single("priority", Takes::Anything, &[Entry]),
    known("pure", Takes::Anything, &[Action, Function, Method]),
    known("route", Takes::Nothing, &[Table]),
    single(
        "selector_size_semantics",
        Takes::Word(&["sum_of_members", "sum_of_weights"], true),
        &[Instance, Property],
    ),
    known("tableonly", Takes::Anything, &[Listed]),
];

/// The items where an annotation that gives fields numbers has a meaning, such as `@field_list`.
pub(super) const NUMBERED: &[Place] = &[Field, Variable];

/// The known annotation of this name.
pub(super) fn find(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.name == name)
}
