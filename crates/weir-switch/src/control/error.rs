//! What can be wrong with a control request.

use crate::tables::MatchKind;

/// What can be wrong with a control request. The text names what was asked for, what was expected, and the nearest right name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ControlError {
    /// No object, field or parameter has the name.
    #[error("unknown {what} `{name}`{}; known: {}{}", within(.owner), list(.known), suggest(.suggestion))]
    UnknownName {
        /// `table`, `action`, `key field`, `parameter`, `counter`, ….
        what: &'static str,
        /// What was asked for.
        name: String,
        /// What it would belong to, such as ``table `MyIngress.ipv4_lpm` ``.
        owner: Option<String>,
        /// The names there are.
        known: Vec<String>,
        /// The one that is spelt alike.
        suggestion: Option<String>,
    },
    /// Several names end so.
    #[error("{what} `{name}` is ambiguous: {}", list(.candidates))]
    AmbiguousName {
        /// As in [`ControlError::UnknownName`].
        what: &'static str,
        /// What was asked for.
        name: String,
        /// The full names it could mean.
        candidates: Vec<String>,
    },
    /// A field or parameter is given twice.
    #[error("{what} `{name}` of {owner} is given twice")]
    GivenTwice {
        /// `key field` or `parameter`.
        what: &'static str,
        /// Its name.
        name: String,
        /// What it belongs to.
        owner: String,
    },
    /// A key field that cannot be left out, or a parameter, is missing.
    #[error("{what} `{name}` of {owner} is missing ({})", if *.width == 1 { "1 bit".to_owned() } else { format!("{width} bits") })]
    Missing {
        /// `key field` or `parameter`.
        what: &'static str,
        /// Its name.
        name: String,
        /// What it belongs to.
        owner: String,
        /// Its width.
        width: u32,
    },
    /// A number has more bits than its field.
    #[error("{place}: value {value} needs {needs} bits, field has {has}")]
    ValueTooWide {
        /// Such as ``key field `hdr.ipv4.ttl` of table `t` ``.
        place: String,
        /// The number in hexadecimal.
        value: String,
        /// Bits of the number.
        needs: u32,
        /// Bits of the field.
        has: u32,
    },
    /// A match of another kind than the field's.
    #[error("{place} is matched `{}`, it takes {}, not {given}", .kind.name(), takes(*.kind))]
    WrongMatch {
        /// As in [`ControlError::ValueTooWide`].
        place: String,
        /// How the field is matched.
        kind: MatchKind,
        /// What was given.
        given: &'static str,
    },
    /// A prefix longer than its field.
    #[error("{place}: prefix length {len} is more than the field's {width} bits")]
    PrefixTooLong {
        /// As in [`ControlError::ValueTooWide`].
        place: String,
        /// What was given.
        len: u32,
        /// Bits of the field.
        width: u32,
    },
    /// A range that ends before it starts.
    #[error("{place}: the range {low} .. {high} is empty, its low end is above its high end")]
    EmptyRange {
        /// As in [`ControlError::ValueTooWide`].
        place: String,
        /// Low end in hexadecimal.
        low: String,
        /// High end in hexadecimal.
        high: String,
    },
    /// The table orders its entries by priority and none is given.
    #[error("table `{table}` has {} keys: its entries need a priority (larger is preferred)", .kind.name())]
    PriorityMissing {
        /// The table.
        table: String,
        /// A kind of its keys that makes it so.
        kind: MatchKind,
    },
    /// The table does not order its entries by priority.
    #[error("table `{table}` has only exact and lpm keys: its entries take no priority")]
    PriorityNotAllowed {
        /// The table.
        table: String,
    },
    /// The action is not in the table's list.
    #[error("table `{table}` has no action `{action}`; its actions: {}{}", list(.known), suggest(.suggestion))]
    ActionNotInTable {
        /// The table.
        table: String,
        /// The action.
        action: String,
        /// The table's actions.
        known: Vec<String>,
        /// The one that is spelt alike.
        suggestion: Option<String>,
    },
    /// The action is only for the default.
    #[error("action `{action}` of table `{table}` is @defaultonly: it can only be the default action")]
    DefaultOnly {
        /// The table.
        table: String,
        /// The action.
        action: String,
    },
    /// The action is not for the default.
    #[error("action `{action}` of table `{table}` is @tableonly: it cannot be the default action")]
    TableOnly {
        /// The table.
        table: String,
        /// The action.
        action: String,
    },
    /// The entries are constant.
    #[error("the entries of table `{table}` are constant")]
    ConstEntries {
        /// The table.
        table: String,
    },
    /// The entry is constant.
    #[error("entry {handle} of table `{table}` is constant")]
    ConstEntry {
        /// The table.
        table: String,
        /// The entry.
        handle: u64,
    },
    /// The default action is constant.
    #[error("the default action of table `{table}` is constant")]
    ConstDefault {
        /// The table.
        table: String,
    },
    /// The table has no key, so it can have no entries.
    #[error("table `{table}` has no key: it only has a default action")]
    NoKey {
        /// The table.
        table: String,
    },
    /// There is such an entry already.
    #[error("table `{table}` has this entry already, with handle {handle}")]
    Duplicate {
        /// The table.
        table: String,
        /// The entry.
        handle: u64,
    },
    /// The table has no direct meter.
    #[error("table `{table}` has no direct meter")]
    NoDirectMeter {
        /// The table.
        table: String,
    },
    /// There is no such entry.
    #[error("table `{table}` has no {}", .handle.map_or_else(|| "entry with this key".to_owned(), |h| format!("entry with handle {h}")))]
    NoSuchEntry {
        /// The table.
        table: String,
        /// The handle, if asked for by handle.
        handle: Option<u64>,
    },
    /// No more entries fit.
    #[error("table `{table}` is full: its size is {size}")]
    TableFull {
        /// The table.
        table: String,
        /// Its size.
        size: u64,
    },
    /// No more members fit.
    #[error("value set `{set}` takes {size} members, not {given}")]
    ValueSetFull {
        /// The set.
        set: String,
        /// Its size.
        size: u64,
        /// How many were given.
        given: usize,
    },
    /// A member of a value set has not as many matches as fields.
    #[error("a member of value set `{set}` has {expected} fields, not {given}")]
    MemberFields {
        /// The set.
        set: String,
        /// Fields.
        expected: usize,
        /// Given.
        given: usize,
    },
    /// A cell past the end.
    #[error("{what} `{name}` has {size} cells, there is no index {index}")]
    NoSuchIndex {
        /// `counter`, `register`, ….
        what: &'static str,
        /// Its name.
        name: String,
        /// What was asked for.
        index: u64,
        /// Cells.
        size: u64,
    },
    /// The table has no direct counter.
    #[error("table `{table}` has no direct counter")]
    NoDirectCounter {
        /// The table.
        table: String,
    },
    /// The table has no action profile.
    #[error("table `{table}` has no action profile: its entries name actions, not members or groups")]
    NoProfile {
        /// The table.
        table: String,
    },
    /// Entries of the table name members, not actions.
    #[error(
        "the actions of table `{table}` lie in its action profile `{profile}`: an entry names a member, a group, or a list of actions with weights"
    )]
    NeedsMember {
        /// The table.
        table: String,
        /// Its profile.
        profile: String,
    },
    /// The profile has no groups.
    #[error("`{profile}` is an action_profile: only an action_selector has groups and lists of actions")]
    NoSelector {
        /// The profile.
        profile: String,
    },
    /// No table has the profile as its implementation.
    #[error("no table has `{profile}` as its `implementation`: there are no actions for its members")]
    ProfileUnused {
        /// The profile.
        profile: String,
    },
    /// No more members fit.
    #[error("action profile `{profile}` is full: its size is {size}")]
    ProfileFull {
        /// The profile.
        profile: String,
        /// Its size.
        size: u64,
    },
    /// There is no such member or group.
    #[error("`{profile}` has no {what} {id}; its {what}s: {}", ports(.known))]
    NoSuchNumber {
        /// `member` or `group`.
        what: &'static str,
        /// The profile.
        profile: String,
        /// What was asked for.
        id: u32,
        /// What there is.
        known: Vec<u32>,
    },
    /// There is such a member or group already.
    #[error("`{profile}` has a {what} {id} already")]
    NumberTaken {
        /// `member` or `group`.
        what: &'static str,
        /// The profile.
        profile: String,
        /// Its number.
        id: u32,
    },
    /// Something points at the member or group.
    #[error("{what} {id} of `{profile}` is in use by {}", some(.users))]
    InUse {
        /// `member` or `group`.
        what: &'static str,
        /// The profile.
        profile: String,
        /// Its number.
        id: u32,
        /// What points at it: `group 3`, ``entry 7 of table `t` ``.
        users: Vec<String>,
    },
    /// A member stands twice in a group.
    #[error("member {member} of `{profile}` is given twice; give it a larger weight instead")]
    MemberTwice {
        /// The profile.
        profile: String,
        /// The member.
        member: u32,
    },
    /// A weight of 0.
    #[error("a weight of 0 means no share; weights begin at 1")]
    WeightZero,
    /// The weights are too large.
    #[error("the weights add up to {sum}, at most {most} are possible")]
    TooMuchWeight {
        /// Their sum.
        sum: u64,
        /// The limit.
        most: u64,
    },
    /// A committed rate above the peak rate (RFC 2698 §2).
    #[error("the committed rate {committed} is above the peak rate {peak}: no packet could be yellow")]
    MeterRates {
        /// Units per second.
        committed: u64,
        /// Units per second.
        peak: u64,
    },
    /// The program does not let the table's entries have time-outs.
    #[error("table `{table}` has no `support_timeout = true`: its entries take no idle time-out")]
    NoIdleTimeout {
        /// The table.
        table: String,
    },
    /// A time-out of 0.
    #[error("an idle time-out of 0 would always have run out; leave it away for none")]
    IdleTimeoutZero,
    /// No hash algorithm with parameters.
    #[error("`{algorithm}` has no parameters to set; `crc16_custom` and `crc32_custom` have")]
    NoCrc {
        /// What was asked for.
        algorithm: String,
    },
    /// Group 0 means "no multicast".
    #[error("multicast group 0 means no multicast; groups are numbered from 1")]
    GroupZero,
    /// A queue that ports do not have.
    #[error("ports have {priorities} queues, there is no priority {priority}")]
    NoSuchQueue {
        /// What was asked for.
        priority: usize,
        /// How many there are.
        priorities: usize,
    },
    /// A port that the switch does not have.
    #[error("the switch has no port {port}; its ports: {}", ports(.known))]
    NoSuchPort {
        /// What was asked for.
        port: u32,
        /// The ports there are.
        known: Vec<u32>,
    },
}

/// What is wrong with a batch: nothing of it was done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("update {index}: {error}")]
pub struct BatchError {
    /// Position of the update, from 0.
    pub index: usize,
    /// What is wrong with it.
    #[source]
    pub error: ControlError,
}

fn list(names: &[String]) -> String {
    const SHOWN: usize = 20;
    if names.is_empty() {
        return "none".to_owned();
    }
    let mut text = names.iter().take(SHOWN).map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text += &format!(", and {} more", names.len() - SHOWN);
    }
    text
}

fn some(names: &[String]) -> String {
    const SHOWN: usize = 10;
    let mut text = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text += &format!(", and {} more", names.len() - SHOWN);
    }
    text
}

fn ports(ports: &[u32]) -> String {
    if ports.is_empty() {
        "none".to_owned()
    } else {
        ports.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
    }
}

fn suggest(name: &Option<String>) -> String {
    name.as_ref().map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

fn within(owner: &Option<String>) -> String {
    owner.as_ref().map_or_else(String::new, |owner| format!(" of {owner}"))
}

fn takes(kind: MatchKind) -> &'static str {
    match kind {
        MatchKind::Exact => "a value",
        MatchKind::Lpm => "a value and a prefix length",
        MatchKind::Ternary => "a value and a mask",
        MatchKind::Range => "a low and a high value",
        MatchKind::Optional => "a value or nothing",
    }
}
