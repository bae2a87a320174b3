//! The queueing disciplines that a switch's queue can have.

use weir_qdisc::{NoEffect, OutOfRange, QdiscConfig};

/// The reason why a switch's queue cannot have a queueing discipline.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DisciplineError {
    /// A setting is out of range.
    #[error("{}: {} is out of range; expected {}", .0.setting, .0.value, .0.expected)]
    OutOfRange(OutOfRange),
    /// The discipline has no effect in the queue.
    #[error("{0}{hint}", hint = rate_hint(.0))]
    NoEffect(NoEffect),
    /// The discipline is netem, or contains it.
    #[error(
        "a switch's queue cannot delay, lose or copy packets as netem does: use netem at the port's link"
    )]
    Netem,
}

/// Returns the end of the message for a discipline without effect.
fn rate_hint(why: &NoEffect) -> &'static str {
    match why {
        NoEffect::NoRate(_) => ": set the rate of the port or queue first, or use tbf or htb",
        NoEffect::Horizon => "",
    }
}

/// Checks that a queue with or without a rate can have a discipline.
///
/// # Errors
/// A setting is out of range, the discipline has no effect, or it is for links only.
pub(crate) fn check_discipline(config: &QdiscConfig, has_rate: bool) -> Result<(), DisciplineError> {
    config.check().map_err(DisciplineError::OutOfRange)?;
    if config.any_discipline(&|own| matches!(own, QdiscConfig::Netem(_))) {
        return Err(DisciplineError::Netem);
    }
    config.check_effect(has_rate).map_err(DisciplineError::NoEffect)
}
