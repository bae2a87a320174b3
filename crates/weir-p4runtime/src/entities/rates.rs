//! Converts counts and the rates of meters (specification, "`MeterEntry` & `DirectMeterEntry`").

use weir_grpc::Problem;
use weir_switch::control::{CounterValue, MeterConfig, MeterCounts, MeterRate};

use crate::pipeline::MeterType;
use crate::proto::v1;

/// Reads a count from a request.
pub(super) fn read_count(counts: v1::CounterData) -> Result<CounterValue, Problem> {
    let count = |name: &str, count: i64| {
        u64::try_from(count).map_err(|_| Problem::invalid(format!("`{name}` is negative: {count}")))
    };
    Ok(CounterValue {
        packets: count("packet_count", counts.packet_count)?,
        bytes: count("byte_count", counts.byte_count)?,
    })
}

/// Writes a count for an answer.
pub(super) fn write_count(count: CounterValue) -> v1::CounterData {
    let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    v1::CounterData { byte_count: number(count.bytes), packet_count: number(count.packets) }
}

/// Reads the rates of a meter of this type. A single rate without excess burst is stored as two
/// equal rates.
pub(super) fn read_rates(config: v1::MeterConfig, ty: MeterType) -> Result<MeterConfig, Problem> {
    let v1::MeterConfig { cir, cburst, pir, pburst, eburst } = config;
    let rate = |name: &str, value: i64| {
        u64::try_from(value).map_err(|_| Problem::invalid(format!("`{name}` is negative: {value}")))
    };
    let committed = (rate("cir", cir)?, rate("cburst", cburst)?);
    let peak = (rate("pir", pir)?, rate("pburst", pburst)?);
    let excess_burst = rate("eburst", eburst)?;
    if ty != MeterType::TwoRates && committed != peak {
        return Err(Problem::invalid("a meter of one rate needs `pir` and `pburst` like `cir` and `cburst`"));
    }
    match ty {
        MeterType::TwoRates if eburst != 0 => {
            return Err(Problem::invalid("a meter of two rates has no `eburst`"));
        }
        MeterType::TwoColours if eburst != 0 => {
            return Err(Problem::invalid("a meter of two colours has no `eburst`"));
        }
        _ => {}
    }
    if committed.0 > peak.0 {
        return Err(Problem::invalid(format!("`cir` is above `pir`: {cir} > {pir} (RFC 2698)")));
    }
    Ok(MeterConfig { excess_burst, ..MeterConfig::per_second(committed.0, committed.1, peak.0, peak.1) })
}

/// Writes rates for an answer, in whole units per second.
pub(super) fn write_rates(config: MeterConfig) -> v1::MeterConfig {
    let rate = |rate: MeterRate| i64::try_from(rate.billionths() / MeterRate::SCALE).unwrap_or(i64::MAX);
    let burst = |burst: u64| i64::try_from(burst).unwrap_or(i64::MAX);
    v1::MeterConfig {
        cir: rate(config.committed_rate),
        cburst: burst(config.committed_burst),
        pir: rate(config.peak_rate),
        pburst: burst(config.peak_burst),
        eburst: burst(config.excess_burst),
    }
}

/// Returns whether a request resets the counts of a meter. Requests may set these counts only to 0.
pub(super) fn check_counts(data: Option<&v1::MeterCounterData>) -> Result<bool, Problem> {
    let Some(data) = data else { return Ok(false) };
    let counts = [data.green, data.yellow, data.red];
    if counts.iter().flatten().any(|count| *count != v1::CounterData::default()) {
        return Err(Problem::invalid("counts of meters can be set to 0 only"));
    }
    Ok(true)
}

/// Writes the counts of a meter for an answer.
pub(super) fn write_counts(counts: MeterCounts) -> v1::MeterCounterData {
    let MeterCounts { green, yellow, red } = counts;
    let [green, yellow, red] = [green, yellow, red].map(|count| Some(write_count(count)));
    v1::MeterCounterData { green, yellow, red }
}

#[cfg(test)]
mod tests {
    use weir_grpc::Code;

    use super::*;

    #[test]
    fn each_type_of_meter_has_its_rates() {
        let config = |cir, pir, eburst| v1::MeterConfig { cir, cburst: 5, pir, pburst: 5, eburst };
        let two = MeterConfig::per_second(3, 5, 3, 5);
        for (ty, config, wanted) in [
            (MeterType::TwoRates, config(2, 3, 0), Some(MeterConfig::per_second(2, 5, 3, 5))),
            (MeterType::TwoRates, config(3, 3, 1), None),
            (MeterType::OneRate, config(3, 3, 0), Some(two)),
            (MeterType::OneRate, config(3, 3, 7), Some(MeterConfig::single_rate(3, 5, 7))),
            (MeterType::OneRate, config(2, 3, 7), None),
            (MeterType::OneRate, config(3, 3, -7), None),
            (MeterType::TwoColours, config(3, 3, 0), Some(two)),
            (MeterType::TwoColours, config(3, 3, 1), None),
            (MeterType::TwoColours, config(2, 3, 0), None),
        ] {
            let read = read_rates(config, ty);
            assert!(read.as_ref().err().is_none_or(|problem| problem.code == Code::InvalidArgument));
            assert_eq!(read.as_ref().ok(), wanted.as_ref(), "{ty:?} {config:?}");
            assert!(read.is_err() || write_rates(read.unwrap()) == config);
        }
    }
}
