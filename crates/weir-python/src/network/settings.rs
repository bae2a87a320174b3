//! Converts traffic settings, which Python has checked.

use pyo3::prelude::*;
use weir_sim::tcp::Algorithm;
use weir_sim::{
    Arrivals, Pattern, Sizes, TcpExchangesConfig, TcpFlowConfig, TcpOptions, UdpExchangesConfig,
    UdpFlowConfig, WriteSchedule,
};

use crate::errors;

/// An address and port.
pub type Place = (String, u16);

/// Reads an address and port.
fn read_place((address, port): &Place) -> PyResult<(std::net::IpAddr, u16)> {
    Ok((address.parse().map_err(errors::network_error)?, *port))
}

/// A traffic pattern: its name, its rate in bits per second, the two times of `on-off` in
/// nanoseconds, and whether these times are random.
type PatternOf = (String, u64, u64, u64, bool);

/// Reads a traffic pattern; refuses names other than `constant`, `poisson` and `on-off`.
fn read_pattern((name, bits_per_second, on, off, random): &PatternOf) -> PyResult<Pattern> {
    let (bits_per_second, on, off, random) = (*bits_per_second, *on, *off, *random);
    match name.as_str() {
        "constant" => Ok(Pattern::Constant { bits_per_second }),
        "poisson" => Ok(Pattern::Poisson { bits_per_second }),
        "on-off" => Ok(Pattern::OnOff { bits_per_second, on, off, random }),
        other => Err(errors::network_error(format!(
            "there is no pattern `{other}`; expected constant, poisson or on-off"
        ))),
    }
}

/// The common settings of UDP and TCP flows.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct FlowSettings {
    to: Place,
    duration_ns: Option<u64>,
    interval_ns: Option<u64>,
    reverse: bool,
    pattern: Option<PatternOf>,
    /// The payload of a datagram in bytes, or the number of bytes that an application writes at a
    /// time.
    length: usize,
    tos: u8,
}

/// The settings of UDP flows.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct UdpSettings {
    source_port: Option<u16>,
    datagrams: Option<u64>,
    linger_ns: u64,
    keep_rows: bool,
}

/// The settings of TCP flows.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct TcpSettings {
    bytes: Option<u64>,
    ip_options: Vec<u8>,
    trace: bool,
}

/// TCP settings; `None` means the host's default.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct TcpOptionsOf {
    congestion: Option<String>,
    mss: Option<u16>,
    window: Option<u32>,
    pacing_bps: Option<u64>,
    ecn: Option<bool>,
    sack: Option<bool>,
    nodelay: Option<bool>,
}

impl TcpOptionsOf {
    /// Converts TCP settings; refuses an unknown congestion control.
    pub(super) fn options(&self) -> PyResult<TcpOptions> {
        let congestion = match self.congestion.as_deref() {
            None => None,
            Some(name) => match Algorithm::named(name) {
                Some(algorithm) => Some(algorithm),
                None => {
                    let names = Algorithm::NAMES.join(", ");
                    return Err(errors::network_error(format!(
                        "there is no congestion control `{name}`; expected one of {names}"
                    )));
                }
            },
        };
        Ok(TcpOptions {
            congestion,
            mss: self.mss,
            window: self.window,
            pacing: self.pacing_bps,
            ecn: self.ecn,
            sack: self.sack,
            nodelay: self.nodelay,
            class: 0,
        })
    }
}

impl FlowSettings {
    /// Converts the settings of a UDP flow.
    pub(super) fn udp(&self, udp: &UdpSettings) -> PyResult<UdpFlowConfig> {
        let pattern = self.pattern.as_ref().map(read_pattern).transpose()?;
        Ok(UdpFlowConfig {
            destination: read_place(&self.to)?,
            reverse: self.reverse,
            source_port: udp.source_port,
            payload_bytes: self.length,
            pattern: pattern.ok_or_else(|| errors::network_error("a flow of datagrams needs a pattern"))?,
            duration: self.duration_ns,
            datagrams: udp.datagrams,
            interval: self.interval_ns,
            class: self.tos,
            linger: udp.linger_ns,
            keep_rows: udp.keep_rows,
        })
    }

    /// Converts the settings of a TCP flow.
    pub(super) fn tcp(self, tcp: TcpSettings, options: &TcpOptionsOf) -> PyResult<TcpFlowConfig> {
        let pattern = self.pattern.as_ref().map(read_pattern).transpose()?;
        Ok(TcpFlowConfig {
            destination: read_place(&self.to)?,
            duration: self.duration_ns,
            bytes: tcp.bytes,
            interval: self.interval_ns,
            reverse: self.reverse,
            offer: pattern.map(|pattern| WriteSchedule { pattern, bytes: self.length }),
            options: TcpOptions { class: self.tos, ..options.options()? },
            ip_options: tcp.ip_options,
            trace: tcp.trace,
        })
    }
}

/// The start times and the sizes of exchanges.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct ExchangeSettings {
    to: Place,
    /// The think time between exchanges in nanoseconds; `None` if exchanges may overlap.
    think_ns: Option<u64>,
    /// The mean time between exchanges of a Poisson process, in nanoseconds.
    mean_ns: Option<f64>,
    /// The time between the starts of exchanges in nanoseconds.
    every_ns: Option<u64>,
    count: u64,
    request: Vec<u64>,
    /// Whether `request` is the mean of an exponential distribution.
    request_exponential: bool,
    response: Vec<u64>,
    response_exponential: bool,
    keep_connection: bool,
    tos: u8,
}

impl ExchangeSettings {
    /// Returns when exchanges start.
    fn arrivals(&self) -> Arrivals {
        match (self.every_ns, self.mean_ns) {
            (Some(gap), _) => Arrivals::Every { gap },
            (None, Some(mean)) => Arrivals::Poisson { mean },
            (None, None) => Arrivals::Sequential { think: self.think_ns.unwrap_or(0) },
        }
    }

    /// Returns the sizes of requests and of responses in bytes.
    fn sizes(&self) -> [Sizes; 2] {
        let sizes = |sizes: &[u64], exponential: bool| match sizes {
            [mean] if exponential => Sizes::Exponential { mean: *mean as f64 },
            [size] => Sizes::Fixed(*size),
            _ => Sizes::Choice(sizes.to_vec()),
        };
        [sizes(&self.request, self.request_exponential), sizes(&self.response, self.response_exponential)]
    }

    /// Converts the settings of exchanges over TCP.
    pub(super) fn tcp(&self, options: &TcpOptionsOf) -> PyResult<TcpExchangesConfig> {
        let [request, response] = self.sizes();
        Ok(TcpExchangesConfig {
            destination: read_place(&self.to)?,
            arrivals: self.arrivals(),
            count: self.count,
            request,
            response,
            keep_connection: self.keep_connection,
            options: TcpOptions { class: self.tos, ..options.options()? },
        })
    }

    /// Converts the settings of exchanges over UDP. `timeout` is in nanoseconds.
    pub(super) fn udp(&self, timeout: u64, tries: u32) -> PyResult<UdpExchangesConfig> {
        let [request, response] = self.sizes();
        Ok(UdpExchangesConfig {
            destination: read_place(&self.to)?,
            arrivals: self.arrivals(),
            count: self.count,
            request,
            response,
            class: self.tos,
            timeout,
            tries,
        })
    }
}
