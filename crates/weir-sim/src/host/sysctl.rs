//! Kernel settings that apply to virtual hosts.

use weir_tcp::{Algorithm, Config, Profile};

use super::Host;
use crate::Error;

/// The supported settings, for error messages.
const SUPPORTED_SYSCTLS: &str = "net.ipv4.tcp_congestion_control, tcp_sack, tcp_timestamps, tcp_window_scaling, tcp_ecn, tcp_rmem, tcp_wmem, \
                     tcp_syn_retries, tcp_retries2, tcp_rto_min_us, tcp_fin_timeout; weir.tcp_profile";

/// The names of congestion controls, for error messages.
const CONGESTION_CONTROLS: &str = "reno, cubic, cubic-rfc, bbr or bbr-draft";

impl Host {
    /// Sets what `sysctl -w name=value` sets on Linux, for new connections and listeners:
    /// `net.ipv4.tcp_congestion_control` ([`Algorithm::NAMES`]), `tcp_sack`, `tcp_timestamps`,
    /// `tcp_window_scaling`, `tcp_ecn` (0 or 1 each), `tcp_rmem` and `tcp_wmem` (bytes: the last of
    /// up to three numbers, because buffers do not grow by themselves), `tcp_syn_retries`,
    /// `tcp_retries2`, `tcp_rto_min_us`, `tcp_fin_timeout` (seconds). `weir.tcp_profile`, which
    /// Linux does not have, sets everything in which `rfc` and `linux` differ ([`Profile`]),
    /// including the congestion control.
    ///
    /// # Errors
    /// The setting is not supported, or the value is out of range.
    pub fn set_sysctl(&mut self, name: &str, value: &str) -> Result<(), Error> {
        set(&mut self.config.tcp, name, value)
            .map_err(|reason| Error::BadHost { host: self.config.name.clone(), reason })
    }
}

/// Changes a setting of the host, as `sysctl -w` does.
fn set(config: &mut Config, name: &str, value: &str) -> Result<(), String> {
    let value = value.trim();
    let switch = || match value {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(format!("sysctl {name} = {value}: expected 0 or 1")),
    };
    let number = |text: &str, max: u64| match text.parse() {
        Ok(number) if (1..=max).contains(&number) => Ok(number),
        _ => Err(format!("sysctl {name} = {value}: expected a whole number from 1 to {max}")),
    };
    // The value has three sizes; the last one is the maximum.
    let size =
        || number(value.split_whitespace().last().unwrap_or_default(), 1 << 30).map(|size| size as u32);
    match name {
        "net.ipv4.tcp_congestion_control" => {
            config.congestion = Algorithm::named(value)
                .ok_or_else(|| format!("sysctl {name} = {value}: expected {CONGESTION_CONTROLS}"))?;
        }
        "net.ipv4.tcp_sack" => config.sack = switch()?,
        "net.ipv4.tcp_timestamps" => config.timestamps = switch()?,
        "net.ipv4.tcp_window_scaling" => config.window_scaling = switch()?,
        "net.ipv4.tcp_ecn" => config.ecn = switch()?,
        "net.ipv4.tcp_rmem" => config.receive_buffer = size()?,
        "net.ipv4.tcp_wmem" => config.send_buffer = size()?,
        "net.ipv4.tcp_syn_retries" => config.syn_retries = number(value, 127)? as u32,
        "net.ipv4.tcp_retries2" => config.data_retries = number(value, 255)? as u32,
        "net.ipv4.tcp_rto_min_us" => {
            config.min_rto = number(value, 120_000_000)? * 1000;
            config.min_variation = config.min_rto;
            config.max_rto = config.max_rto.max(config.min_rto);
        }
        "net.ipv4.tcp_fin_timeout" => config.fin_wait = number(value, 86_400)? * 1_000_000_000,
        "weir.tcp_profile" => {
            let profile = match value {
                "linux" => Profile::Linux,
                "rfc" => Profile::Rfc,
                _ => return Err(format!("sysctl {name} = {value}: expected linux or rfc")),
            };
            *config = std::mem::take(config).like(profile);
        }
        _ => return Err(format!("sysctl {name} is not supported; supported: {SUPPORTED_SYSCTLS}")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_applied_or_refused_with_their_name() {
        let mut config = Config::default();
        for (name, value) in [
            ("congestion_control", "bbr"),
            ("sack", "0"),
            ("timestamps", "0"),
            ("window_scaling", "0"),
            ("ecn", "1"),
            ("rmem", "4096 131072 1000000"),
            ("wmem", "65536"),
            ("syn_retries", "2"),
            ("retries2", "5"),
            ("rto_min_us", "5000"),
            ("fin_timeout", "7"),
        ] {
            set(&mut config, &format!("net.ipv4.tcp_{name}"), value).unwrap();
        }
        assert!(matches!(config.congestion, Algorithm::Bbr));
        assert!(!config.sack && !config.timestamps && !config.window_scaling && config.ecn);
        assert_eq!((config.receive_buffer, config.send_buffer), (1_000_000, 65_536));
        assert_eq!((config.syn_retries, config.data_retries, config.min_rto), (2, 5, 5_000_000));
        assert_eq!((config.min_variation, config.fin_wait), (5_000_000, 7_000_000_000));
        set(&mut config, "weir.tcp_profile", "rfc").unwrap();
        assert!(matches!(config.congestion, Algorithm::Reno) && !config.rack && !config.tail_loss_probe);
        assert!(config.nagle && !config.minshall);
        assert_eq!((config.min_rto, config.quick_acks, config.receive_buffer), (1_000_000_000, 0, 1_000_000));
        set(&mut config, "weir.tcp_profile", "linux").unwrap();
        assert!(matches!(config.congestion, Algorithm::Cubic) && config.rack && config.minshall);
        for (name, value, part) in [
            ("net.ipv4.tcp_sack", "2", "expected 0 or 1"),
            ("net.ipv4.tcp_congestion_control", "vegas", "expected reno, cubic, cubic-rfc, bbr or bbr-draft"),
            ("net.ipv4.tcp_rmem", "1 2 x", "expected a whole number"),
            ("weir.tcp_profile", "bsd", "expected linux or rfc"),
            ("net.ipv4.tcp_fack", "1", "sysctl net.ipv4.tcp_fack is not supported"),
        ] {
            assert!(set(&mut config, name, value).unwrap_err().contains(part), "{name}");
        }
    }
}
