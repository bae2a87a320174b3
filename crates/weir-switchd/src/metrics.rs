//! Metrics for Prometheus.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

use weir_ir::TableId;
use weir_switch::control::TableState;
use weir_switch::stats::PortStats;

use crate::plane::Plane;

/// Serves `/metrics` on the present runtime.
///
/// # Errors
/// The address cannot be listened on.
pub async fn serve(address: SocketAddr, plane: Arc<Plane>) -> Result<(), String> {
    let listener = tokio::net::TcpListener::bind(address).await;
    let listener = listener.map_err(|error| format!("cannot serve metrics at {address}: {error}"))?;
    let mut registry = Registry::with_prefix("weir");
    registry.register_collector(Box::new(Counts(plane)));
    let registry = Arc::new(registry);
    let page = move || {
        let registry = Arc::clone(&registry);
        async move {
            let mut text = String::new();
            // Writing to a string does not fail.
            let _ = prometheus_client::encoding::text::encode(&mut text, &registry);
            ([(CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], text)
        }
    };
    let router = Router::new().route("/metrics", get(page));
    tracing::info!(%address, "serving metrics");
    tokio::spawn(async move {
        if let Err(error) = axum::serve(listener, router).await {
            tracing::error!(%error, "metrics are no longer served");
        }
    });
    Ok(())
}

/// The switch's counts, read when somebody asks for them.
struct Counts(Arc<Plane>);

impl std::fmt::Debug for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Counts")
    }
}

/// Labels of a metric with their values.
type Labels = Vec<(&'static str, String)>;

impl Collector for Counts {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> std::fmt::Result {
        let (stats, tables) = self.0.with(|switch, _| {
            let control = switch.control();
            let tables = control.schema().tables.iter().enumerate().filter_map(|(index, table)| {
                let state = control.table_state(TableId::new(index)).ok()?;
                Some((vec![("table", table.name.clone())], state))
            });
            let tables: Vec<(Labels, TableState)> = tables.collect();
            (switch.stats().clone(), tables)
        });
        let ports = |of: fn(&PortStats) -> u64| {
            stats.ports.iter().map(move |(port, counts)| (vec![("port", port.to_string())], of(counts)))
        };
        let tables = |of: fn(&TableState) -> u64| {
            tables.iter().map(move |(labels, state)| (labels.clone(), of(state)))
        };
        let drops = stats.drops.iter().map(|((place, reason), count)| {
            (vec![("place", place.to_string()), ("reason", reason.to_string())], *count)
        });
        let one = |count| std::iter::once((Vec::new(), count));
        count(
            &mut encoder,
            "port_received_packets",
            "Packets received by a port",
            ports(|port| port.packets_in),
        )?;
        count(&mut encoder, "port_received_bytes", "Bytes received by a port", ports(|port| port.bytes_in))?;
        count(&mut encoder, "port_sent_packets", "Packets sent by a port", ports(|port| port.packets_out))?;
        count(&mut encoder, "port_sent_bytes", "Bytes sent by a port", ports(|port| port.bytes_out))?;
        count(&mut encoder, "dropped_packets", "Packets dropped by the switch", drops)?;
        count(&mut encoder, "copied_packets", "Copies made by clones and multicast", one(stats.copied))?;
        count(&mut encoder, "passes", "Trips of packets through the program", one(stats.passes))?;
        count(&mut encoder, "recirculated_packets", "Packets recirculated", one(stats.recirculated))?;
        count(&mut encoder, "resubmitted_packets", "Packets resubmitted", one(stats.resubmitted))?;
        count(&mut encoder, "table_hits", "Lookups that found an entry", tables(|table| table.hits))?;
        count(&mut encoder, "table_misses", "Lookups that found none", tables(|table| table.misses))?;
        gauge(&mut encoder, "table_entries", "Entries of a table", tables(|table| table.entries as u64))?;
        gauge(&mut encoder, "packets_inside", "Packets inside the switch", one(stats.in_flight))
    }
}

fn count(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    values: impl Iterator<Item = (Labels, u64)>,
) -> std::fmt::Result {
    let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
    for (labels, value) in values {
        ConstCounter::new(value).encode(family.encode_family(&labels)?)?;
    }
    Ok(())
}

fn gauge(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    values: impl Iterator<Item = (Labels, u64)>,
) -> std::fmt::Result {
    let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
    for (labels, value) in values {
        ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX)).encode(family.encode_family(&labels)?)?;
    }
    Ok(())
}
