//! The options of `tc qdisc … fq`.

use super::error::TcError;
use super::words::Words;
use crate::FqConfig;

/// The settings that commands gave; the others have their defaults. `change` keeps settings that it
/// does not name, as in Linux.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FqSettings {
    limit: Option<usize>,
    flow_limit: Option<usize>,
    quantum: Option<u32>,
    initial_quantum: Option<u32>,
    maxrate: Option<u64>,
    pacing: Option<bool>,
    horizon: Option<u64>,
    ce_threshold: Option<u64>,
}

impl FqSettings {
    /// Returns these settings, completed by the settings of `current` for options that the command
    /// does not give.
    pub(super) fn or_settings_of(&self, current: &FqSettings) -> FqSettings {
        FqSettings {
            limit: self.limit.or(current.limit),
            flow_limit: self.flow_limit.or(current.flow_limit),
            quantum: self.quantum.or(current.quantum),
            initial_quantum: self.initial_quantum.or(current.initial_quantum),
            maxrate: self.maxrate.or(current.maxrate),
            pacing: self.pacing.or(current.pacing),
            horizon: self.horizon.or(current.horizon),
            ce_threshold: self.ce_threshold.or(current.ce_threshold),
        }
    }

    pub(super) fn from_config(config: &FqConfig) -> FqSettings {
        FqSettings {
            limit: Some(config.limit),
            flow_limit: Some(config.flow_limit),
            quantum: Some(config.quantum),
            initial_quantum: Some(config.initial_quantum),
            maxrate: config.maxrate,
            pacing: Some(config.pacing),
            horizon: Some(config.horizon),
            ce_threshold: config.ce_threshold,
        }
    }

    /// Returns the settings, with defaults for options that the command does not give.
    pub(super) fn config(&self) -> FqConfig {
        let usual = FqConfig::default();
        FqConfig {
            limit: self.limit.unwrap_or(usual.limit),
            flow_limit: self.flow_limit.unwrap_or(usual.flow_limit),
            quantum: self.quantum.unwrap_or(usual.quantum),
            initial_quantum: self.initial_quantum.unwrap_or(usual.initial_quantum),
            maxrate: self.maxrate.or(usual.maxrate),
            pacing: self.pacing.unwrap_or(usual.pacing),
            horizon: self.horizon.unwrap_or(usual.horizon),
            ce_threshold: self.ce_threshold,
        }
    }
}

/// Reads the options of an FQ discipline.
pub(super) fn read(words: &mut Words<'_>) -> Result<FqSettings, TcError> {
    const KNOWN: [&str; 10] = [
        "limit",
        "flow_limit",
        "quantum",
        "initial_quantum",
        "maxrate",
        "buckets",
        "pacing",
        "nopacing",
        "horizon",
        "ce_threshold",
    ];
    let mut fq = FqSettings::default();
    let bytes = |size: u64| u32::try_from(size).unwrap_or(u32::MAX);
    while let Some(word) = words.next() {
        match word {
            "limit" => fq.limit = Some(words.integer(word)?),
            "flow_limit" => fq.flow_limit = Some(words.integer(word)?),
            "quantum" => fq.quantum = Some(bytes(words.size(word)?)),
            "initial_quantum" => fq.initial_quantum = Some(bytes(words.size(word)?)),
            "maxrate" => fq.maxrate = Some(words.rate(word)?),
            // Flows never share a hash bucket, so this has no effect.
            "buckets" => drop(words.integer::<u32>(word)?),
            "pacing" => fq.pacing = Some(true),
            "nopacing" => fq.pacing = Some(false),
            "horizon" => fq.horizon = Some(words.time(word)?),
            "horizon_drop" => {}
            "ce_threshold" => fq.ce_threshold = Some(words.time(word)?),
            _ => return Err(words.unknown("fq's option", word, &KNOWN)),
        }
    }
    Ok(fq)
}
