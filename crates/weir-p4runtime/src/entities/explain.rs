//! Converts the switch's errors to errors for controllers.

use weir_switch::control::ControlError;

use weir_grpc::{Code, Problem};

/// Converts an error of the switch to a code and a message. The caller adds the object's name.
pub(super) fn explain(error: ControlError) -> Problem {
    use ControlError as E;
    let (code, message) = match error {
        E::NoSuchTable(_)
        | E::NoSuchValueSet(_)
        | E::NoSuchCalculation(_)
        | E::NoSuchExtern { .. }
        | E::KeyCount { .. }
        | E::ArgumentCount { .. }
        | E::MemberFields { .. } => (Code::Internal, "the switch has another program".to_owned()),
        E::NoSuchClass { class, last } => {
            (Code::InvalidArgument, format!("`class_of_service` is a number from 0 to {last}, not {class}"))
        }
        E::ValueTooWide { needs, has, .. } => {
            (Code::OutOfRange, format!("the value needs {needs} bits, of which it has {has}"))
        }
        E::WrongMatch { kind, .. } => {
            (Code::InvalidArgument, format!("the match field is matched `{}`", kind.name()))
        }
        E::PrefixTooLong { len, width, .. } => {
            (Code::InvalidArgument, format!("the prefix of {len} bits is longer than the field of {width}"))
        }
        E::EmptyRange { .. } => {
            (Code::InvalidArgument, "the range's low end is above its high end".to_owned())
        }
        E::PriorityMissing(_) => (Code::InvalidArgument, "a priority is needed".to_owned()),
        E::PriorityNotAllowed(_) => (Code::InvalidArgument, "there must be no priority".to_owned()),
        E::ActionNotInTable { .. } => {
            (Code::InvalidArgument, "the table does not have this action".to_owned())
        }
        E::DefaultOnly { .. } => {
            (Code::PermissionDenied, "the action is for the default only (@defaultonly)".to_owned())
        }
        E::TableOnly { .. } => {
            (Code::PermissionDenied, "the action is for entries only (@tableonly)".to_owned())
        }
        E::GroupOnly { .. } => {
            (Code::PermissionDenied, "the action is for `group_action` only (@groupaction)".to_owned())
        }
        E::NoGroupAction { .. } => (
            Code::PermissionDenied,
            "the action is not for `group_action` (it lacks @groupaction)".to_owned(),
        ),
        E::ConstEntries(_) => (Code::PermissionDenied, "the table's entries are constant".to_owned()),
        E::ConstEntry { .. } => (Code::PermissionDenied, "the entry is constant".to_owned()),
        E::ConstDefault(_) => (Code::PermissionDenied, "the table's default is constant".to_owned()),
        E::NoKey(_) => (Code::InvalidArgument, "the table has no key, so it has no entries".to_owned()),
        E::Duplicate { .. } => (Code::AlreadyExists, "the table has this entry already".to_owned()),
        E::NoSuchEntry { .. } => (Code::NotFound, "the table has no such entry".to_owned()),
        E::TableFull { size, .. } => (Code::ResourceExhausted, format!("the table is full: {size} entries")),
        E::NoDirectCounter(_) => (Code::InvalidArgument, "the table has no direct counter".to_owned()),
        E::NoDirectMeter(_) => (Code::InvalidArgument, "the table has no direct meter".to_owned()),
        E::NoDirectRegister(_) => (Code::InvalidArgument, "the table has no direct register".to_owned()),
        E::NoIdleTimeout(_) => (Code::InvalidArgument, "the table has no idle time-outs".to_owned()),
        E::IdleTimeoutZero => (Code::InvalidArgument, "a time-out of 0 is none".to_owned()),
        E::ValueSetFull { given, .. } => {
            (Code::ResourceExhausted, format!("the value set has no room for {given} members"))
        }
        E::NoSuchIndex { what, index, size, .. } => {
            (Code::OutOfRange, format!("the {what} has {size} cells, from 0; there is no cell {index}"))
        }
        E::NoProfile(_) => (Code::InvalidArgument, "the table has no action profile".to_owned()),
        E::NeedsMember { .. } => (Code::InvalidArgument, "the table's entries have members".to_owned()),
        E::NoSelector(_) => (Code::InvalidArgument, "the action profile has no groups".to_owned()),
        E::ProfileUnused(_) => (Code::InvalidArgument, "no table has the action profile".to_owned()),
        E::ProfileFull { size, .. } => {
            (Code::ResourceExhausted, format!("the action profile is full: {size} members"))
        }
        E::NoSuchNumber { what, id, known, .. } => {
            let known: Vec<_> = known.iter().take(8).map(u32::to_string).collect();
            let known = if known.is_empty() { "it has none".to_owned() } else { known.join(", ") };
            (Code::NotFound, format!("the action profile has no {what} {id} ({known})"))
        }
        E::NumberTaken { what, id, .. } => {
            (Code::AlreadyExists, format!("the action profile has the {what} {id} already"))
        }
        E::InUse { what, id, users, .. } => {
            (Code::FailedPrecondition, format!("the {what} {id} is used by {} others", users.len()))
        }
        E::MemberTwice { member, .. } => {
            (Code::InvalidArgument, format!("the member {member} is in the group twice"))
        }
        E::WeightZero => (Code::InvalidArgument, "a weight must be at least 1".to_owned()),
        E::TooMuchWeight { sum, most } => {
            (Code::ResourceExhausted, format!("the weights are {sum} together, of at most {most}"))
        }
        E::NotCounted { unit, .. } => {
            let (counted, other) =
                if unit.has_bytes() { ("bytes", "packet_count") } else { ("packets", "byte_count") };
            (Code::InvalidArgument, format!("the counter counts {counted} only: `{other}` must be 0"))
        }
        E::MeterRates { committed, peak } => (
            Code::InvalidArgument,
            format!("the committed rate {committed} is above the peak rate {peak} (RFC 2698)"),
        ),
        E::ExcessBurst => (
            Code::InvalidArgument,
            "only single-rate meters have an excess burst: the peak rate and burst must equal the committed ones"
                .to_owned(),
        ),
        E::GroupZero => (Code::InvalidArgument, "the multicast group 0 means no multicast".to_owned()),
        E::NoSuchGroup(_) | E::NoSuchSession(_) => (Code::NotFound, "it is not there".to_owned()),
        E::SameMember { .. } => (Code::AlreadyExists, "two members are the same".to_owned()),
        E::OwnBackup { port } => (Code::InvalidArgument, format!("the port {port} is its own backup")),
        E::SameReplica { port, rid } => {
            (Code::InvalidArgument, format!("two replicas have the port {port} and the instance {rid}"))
        }
        E::PortTooLarge { port, last } => (
            Code::InvalidArgument,
            format!("there is no port {port}: ports of the program go from 0 to {last}"),
        ),
        E::SessionTooLarge { session, last } => (
            Code::InvalidArgument,
            format!("there is no clone session {session}: those of the program go from 0 to {last}"),
        ),
        E::Discipline(error) => (Code::InvalidArgument, error.to_string()),
        E::Generator(error) => (Code::InvalidArgument, error.to_string()),
        E::NoSuchPort { port, .. } => (Code::InvalidArgument, format!("the switch has no port {port}")),
        #[allow(unreachable_patterns, reason = "the switch may have errors of requests not made here")]
        other => (Code::Unknown, other.to_string()),
    };
    Problem::new(code, message)
}
