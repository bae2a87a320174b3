//! The options of `tc qdisc … codel` and `… fq_codel`.

use std::mem::discriminant;

use super::error::TcError;
use super::words::Words;
use crate::{CodelConfig, FqCodelConfig};

/// The value of one option of CoDel or FQ-CoDel.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Setting {
    Limit(usize),
    Target(u64),
    Interval(u64),
    Ecn(bool),
    CeThreshold(u64),
    Flows(u32),
    Quantum(u32),
    MemoryLimit(u64),
    DropBatch(usize),
}

/// The settings that commands gave; the others have their defaults. `change` keeps settings that it
/// does not name, as in Linux.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CodelSettings(Vec<Setting>);

/// The options of CoDel.
const CODEL: [&str; 6] = ["limit", "target", "interval", "ecn", "noecn", "ce_threshold"];
const FQ_CODEL: [&str; 4] = ["flows", "quantum", "memory_limit", "drop_batch"];

impl CodelSettings {
    /// Parses the options of `codel`, or of `fq_codel`, which has more.
    pub(super) fn read(words: &mut Words<'_>, kind: &str) -> Result<Self, TcError> {
        let options = if kind == "codel" { CODEL.to_vec() } else { [&CODEL[..], &FQ_CODEL].concat() };
        let mut settings = CodelSettings::default();
        while let Some(word) = words.next() {
            if !options.contains(&word) {
                return Err(words.unknown(&format!("{kind}'s option"), word, &options));
            }
            let setting = match word {
                "limit" => Setting::Limit(words.integer(word)?),
                "target" => Setting::Target(words.time(word)?),
                "interval" => Setting::Interval(words.time(word)?),
                "ecn" => Setting::Ecn(true),
                "noecn" => Setting::Ecn(false),
                "ce_threshold" => Setting::CeThreshold(words.time(word)?),
                "flows" => Setting::Flows(words.integer(word)?),
                "quantum" => Setting::Quantum(words.size(word)?.try_into().unwrap_or(u32::MAX)),
                "memory_limit" => Setting::MemoryLimit(words.size(word)?),
                _ => Setting::DropBatch(words.integer(word)?),
            };
            settings = CodelSettings(vec![setting]).or_settings_of(&settings);
        }
        Ok(settings)
    }

    /// Returns these settings, completed by the settings of `current` for options that the command
    /// does not give.
    pub(super) fn or_settings_of(&self, current: &CodelSettings) -> CodelSettings {
        let idle = |old: &&Setting| self.0.iter().all(|new| discriminant(new) != discriminant(*old));
        CodelSettings(current.0.iter().filter(idle).chain(&self.0).copied().collect())
    }

    pub(super) fn from_config(config: &FqCodelConfig) -> CodelSettings {
        let codel = &config.codel;
        let mut all = vec![
            Setting::Limit(codel.limit),
            Setting::Target(codel.target),
            Setting::Interval(codel.interval),
            Setting::Ecn(codel.ecn),
            Setting::Flows(config.flows),
            Setting::Quantum(config.quantum),
            Setting::MemoryLimit(config.memory_limit),
            Setting::DropBatch(config.drop_batch),
        ];
        all.extend(codel.ce_threshold.map(Setting::CeThreshold));
        CodelSettings(all)
    }

    pub(super) fn of_codel(codel: &CodelConfig) -> CodelSettings {
        CodelSettings::from_config(&FqCodelConfig { codel: codel.clone(), ..FqCodelConfig::default() })
    }

    /// Returns the settings of CoDel, with defaults for options that the command does not give.
    pub(super) fn codel(&self) -> CodelConfig {
        self.apply_to(FqCodelConfig { codel: CodelConfig::default(), ..FqCodelConfig::default() }).codel
    }

    pub(super) fn fq_codel(&self) -> FqCodelConfig {
        self.apply_to(FqCodelConfig::default())
    }

    fn apply_to(&self, mut config: FqCodelConfig) -> FqCodelConfig {
        let codel = &mut config.codel;
        for setting in &self.0 {
            match *setting {
                Setting::Limit(packets) => codel.limit = packets,
                Setting::Target(time) => codel.target = time,
                Setting::Interval(time) => codel.interval = time,
                Setting::Ecn(on) => codel.ecn = on,
                Setting::CeThreshold(time) => codel.ce_threshold = Some(time),
                Setting::Flows(flows) => config.flows = flows,
                Setting::Quantum(bytes) => config.quantum = bytes,
                Setting::MemoryLimit(bytes) => config.memory_limit = bytes,
                Setting::DropBatch(packets) => config.drop_batch = packets,
            }
        }
        config
    }
}
