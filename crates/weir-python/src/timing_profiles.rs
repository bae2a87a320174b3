//! Lists the named timing profiles of switches.

use pyo3::prelude::*;
use weir_switch::SwitchConfig;
use weir_switch::config::PROFILES;

use crate::errors;

/// Lists the named timing profiles: name, pass latency in nanoseconds, passes per second,
/// description.
#[pyfunction]
pub fn profiles() -> Vec<(&'static str, u64, u64, &'static str)> {
    let profile =
        |(name, title)| SwitchConfig::profile(name).map(|p| (name, p.pass_latency, p.capacity, title));
    PROFILES.into_iter().filter_map(profile).collect()
}

/// Refuses a name that no timing profile has.
pub(crate) fn known_profile(name: &str) -> Result<(), weir_topology::Error> {
    let names = || PROFILES.into_iter().map(|(name, _)| name);
    if names().any(|profile| profile == name) {
        return Ok(());
    }
    let near = weir_suggest::nearest(name, names()).map(str::to_owned);
    let all = if near.is_some() {
        String::new()
    } else {
        format!(" (known: {})", names().collect::<Vec<_>>().join(", "))
    };
    let message = format!("there is no timing profile \"{name}\"{all}");
    Err(weir_topology::Error::new(message).suggesting(near))
}

/// Refuses a name that no timing profile has.
#[pyfunction]
pub fn check_profile(name: &str) -> PyResult<()> {
    known_profile(name).map_err(|error| errors::unknown_name(&error))
}
