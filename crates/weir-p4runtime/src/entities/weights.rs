//! Weights and sizes of groups and action sets, and the ports that they watch (specification,
//! "`ActionProfile`" and "Rules on Setting `max_size`").

use weir_device::Port;
use weir_grpc::Problem;

use super::writer::Writer;
use crate::pipeline::{Profile, SizeSemantics, Translator};
use crate::proto::v1::action_profile_action;
use crate::proto::v1::action_profile_group::member;

/// A port to watch, as controllers write it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Watch<'a> {
    /// A port number, which older controllers write.
    Number(i32),
    Bytes(&'a [u8]),
}

impl<'a> From<&'a member::WatchKind> for Watch<'a> {
    fn from(kind: &'a member::WatchKind) -> Self {
        match kind {
            #[expect(deprecated, reason = "older controllers write it")]
            member::WatchKind::Watch(port) => Self::Number(*port),
            member::WatchKind::WatchPort(port) => Self::Bytes(port),
        }
    }
}

impl<'a> From<&'a action_profile_action::WatchKind> for Watch<'a> {
    fn from(kind: &'a action_profile_action::WatchKind) -> Self {
        match kind {
            #[expect(deprecated, reason = "older controllers write it")]
            action_profile_action::WatchKind::Watch(port) => Self::Number(*port),
            action_profile_action::WatchKind::WatchPort(port) => Self::Bytes(port),
        }
    }
}

/// Reads the weight of a member or action. If the profile forbids weights, the request must
/// give 0, which means 1.
pub(super) fn weight(profile: &Profile, sizes: SizeSemantics, number: i32) -> Result<u32, Problem> {
    let name = &profile.name;
    match (profile.weights_disallowed, u32::try_from(number)) {
        (true, Ok(0)) => Ok(1),
        (true, _) => Err(Problem::invalid(format!("the weights of `{name}` must be 0, not {number}"))),
        (false, Ok(0) | Err(_)) => {
            Err(Problem::invalid(format!("a weight of `{name}` must be at least 1, not {number}")))
        }
        (false, Ok(weight)) => match sizes {
            SizeSemantics::SumOfMembers { max_member_weight: most } if most > 0 && number > most => {
                Err(Problem::invalid(format!("a weight of `{name}` must be at most {most}, not {number}")))
            }
            _ => Ok(weight),
        },
    }
}

/// Returns the number of members and the sum of their weights. A missing weight counts as 1.
pub(super) fn size(weights: impl Iterator<Item = i32>) -> (i64, i64) {
    weights.fold((0, 0), |(members, sum), weight| (members + 1, sum + i64::from(weight.max(1))))
}

/// Checks that the members and their weights do not exceed a maximum size; 0 means no limit. The
/// error says which of them exceeds it.
pub(super) fn check_size(
    sizes: SizeSemantics,
    most: i64,
    (members, weights): (i64, i64),
) -> Result<(), String> {
    let (what, size) = match sizes {
        SizeSemantics::SumOfWeights => ("weights", weights),
        SizeSemantics::SumOfMembers { .. } => ("members", members),
    };
    if most > 0 && size > most {
        return Err(format!("the {what} are {size} together, of at most {most}"));
    }
    Ok(())
}

/// Reads the port, as the switch numbers it, that must be up for the member or action to be used.
pub(super) fn watched_port(
    translator: &Translator,
    watch: Option<Watch<'_>>,
) -> Result<Option<Port>, Problem> {
    match watch {
        None | Some(Watch::Bytes([])) | Some(Watch::Number(0)) => Ok(None),
        Some(Watch::Number(port)) => translator.switch_port(port as u32).map(Some),
        Some(Watch::Bytes(port)) => translator.port(port).map(Some),
    }
}

impl Writer<'_, '_, '_> {
    /// Reads the watched port like [`watched_port`], but refuses a port that the switch does not
    /// have.
    pub(super) fn checked_watch_port(&self, watch: Option<Watch<'_>>) -> Result<Option<Port>, Problem> {
        let port = watched_port(self.translator, watch)?;
        if let Some(port) = port.filter(|port| !self.control().ports().any(|known| known == *port)) {
            return Err(Problem::invalid(format!("the switch has no port {port} to watch")));
        }
        Ok(port)
    }
}
