//! Delays, models of jitter and loss, and limits, as text and as JSON.

use std::sync::Arc;

use weir_device::Nanos;
use weir_impair::{Correlations, Jitter, Loss};
use weir_json::{Diagnostic, Kind, Node};
use weir_units::{Quantity, Wanted};

use crate::settings::Limit;

/// Reads a text with a unit.
fn text<'v, T>(
    node: Node<'v>,
    wanted: Wanted<'v>,
    convert: impl FnOnce(&Quantity<'v>) -> Result<T, weir_units::Error>,
) -> Result<T, Diagnostic> {
    let read = match &node.value().kind {
        Kind::Text(text) => Quantity::read(text, wanted).and_then(|quantity| convert(&quantity)),
        Kind::Number(number) => Err(wanted.bare_number(number)),
        _ => Err(wanted.expected(&node.value().describe())),
    };
    read.map_err(|error| node.fail_near(error.message, error.suggestion))
}

/// A time in nanoseconds.
pub(crate) fn time(node: Node<'_>, what: &str) -> Result<Nanos, Diagnostic> {
    text(node, Wanted::time(what), Quantity::nanoseconds)
}

/// A rate in bits per second: `"10Mbit"`, or null for none.
pub(crate) fn rate(node: Node<'_>) -> Result<Option<u64>, Diagnostic> {
    if node.is_null() {
        return Ok(None);
    }
    text(node, Wanted::rate("rate"), Quantity::bits_per_second).map(Some)
}

/// A probability.
pub(crate) fn share(node: Node<'_>, what: &str) -> Result<f64, Diagnostic> {
    text(node, Wanted::share(what), Quantity::share)
}

/// An object with one member: the model's name, and the model's settings.
fn model<'d>(node: Node<'d>, what: &str, names: &[&str]) -> Result<(&'d str, Node<'d>), Diagnostic> {
    node.only(names)?;
    let mut members = node.members()?;
    match (members.next(), members.next()) {
        (Some(only), None) => Ok(only),
        _ => Err(node.fail(format!("expected one model of {what}: {}", names.join(", ")))),
    }
}

/// Jitter: `"1ms"`, null, or `{"Normal": {"sigma": "1ms"}}`.
pub(crate) fn jitter(node: Node<'_>) -> Result<Jitter, Diagnostic> {
    const NAMES: [&str; 8] = [
        "Uniform",
        "UniformAround",
        "Normal",
        "Exponential",
        "Pareto",
        "ParetoAround",
        "ParetoNormalAround",
        "Table",
    ];
    match node.value().kind {
        Kind::Null => return Ok(Jitter::None),
        Kind::Object(_) => {}
        _ => return Ok(Jitter::Uniform(time(node, "jitter")?)),
    }
    let (name, settings) = model(node, "jitter", &NAMES)?;
    let only = |keys: &[&str]| settings.only(keys);
    let named = |key: &str| {
        only(&[key])?;
        time(settings.require(key)?, "jitter")
    };
    Ok(match name {
        "Uniform" => Jitter::Uniform(named("most")?),
        "UniformAround" => Jitter::UniformAround(named("spread")?),
        "Normal" => Jitter::Normal { sigma: named("sigma")? },
        "Exponential" => Jitter::Exponential { mean: named("mean")? },
        "ParetoAround" => Jitter::ParetoAround { sigma: named("sigma")? },
        "ParetoNormalAround" => Jitter::ParetoNormalAround { sigma: named("sigma")? },
        "Pareto" => {
            only(&["scale", "shape"])?;
            let shape = settings.require("shape")?;
            let number = match &shape.value().kind {
                Kind::Number(text) => text.parse().ok(),
                _ => None,
            };
            let shape = number.ok_or_else(|| shape.expected("a number such as 2.5"))?;
            Jitter::Pareto { scale: time(settings.require("scale")?, "jitter")?, shape }
        }
        _ => {
            only(&["times"])?;
            let times = settings.require("times")?.items()?;
            Jitter::Table(times.map(|one| time(one, "jitter")).collect::<Result<Arc<[_]>, _>>()?)
        }
    })
}

/// Loss: `"1%"`, null, or `{"GilbertElliott": {"enter": "1%", "leave": "20%"}}`.
pub(crate) fn loss(node: Node<'_>) -> Result<Loss, Diagnostic> {
    match node.value().kind {
        Kind::Null => return Ok(Loss::None),
        Kind::Object(_) => {}
        _ => return Ok(Loss::Random(share(node, "loss")?)),
    }
    let (name, settings) = model(node, "loss", &["GilbertElliott", "FourState", "Every", "Frames"])?;
    let given = |key: &str| settings.get(key).filter(|node| !node.is_null());
    let or = |key: &str, usual: f64| given(key).map_or(Ok(usual), |node| share(node, "loss"));
    let frame = |node: Node<'_>| node.integer("a frame's number", 1, u64::MAX >> 1);
    Ok(match name {
        "GilbertElliott" => {
            settings.only(&["enter", "leave", "good", "bad"])?;
            Loss::GilbertElliott {
                enter: share(settings.require("enter")?, "loss")?,
                leave: share(settings.require("leave")?, "loss")?,
                good: or("good", 0.0)?,
                bad: or("bad", 1.0)?,
            }
        }
        "FourState" => {
            settings.only(&["p13", "p31", "p32", "p23", "p14"])?;
            let p13 = share(settings.require("p13")?, "loss")?;
            let (p31, p32) = (or("p31", 1.0 - p13)?, or("p32", 0.0)?);
            Loss::FourState { p13, p31, p32, p23: or("p23", 1.0)?, p14: or("p14", 0.0)? }
        }
        "Every" => {
            settings.only(&["n"])?;
            Loss::Every(frame(settings.require("n")?)?)
        }
        _ => {
            settings.only(&["numbers"])?;
            let numbers = settings.require("numbers")?.items()?;
            Loss::Frames(numbers.map(frame).collect::<Result<Arc<[_]>, _>>()?)
        }
    })
}

/// Reordering: `["1%", "5ms"]`, or null.
pub(crate) fn reorder(node: Node<'_>) -> Result<Option<(f64, Nanos)>, Diagnostic> {
    if node.is_null() {
        return Ok(None);
    }
    match node.items()?.collect::<Vec<_>>()[..] {
        [probability, by] => Ok(Some((share(probability, "reorder")?, time(by, "reorder")?))),
        _ => Err(node.expected("a probability and a time, such as [\"1%\", \"5ms\"]")),
    }
}

/// Correlations: `{"loss": "25%"}`; what is missing is independent.
pub(crate) fn correlations(node: Node<'_>) -> Result<Correlations, Diagnostic> {
    node.only(&["jitter", "loss", "duplicate", "reorder", "corrupt"])?;
    let of = |key: &str| node.get(key).map_or(Ok(0.0), |node| share(node, "correlation"));
    Ok(Correlations {
        jitter: of("jitter")?,
        loss: of("loss")?,
        duplicate: of("duplicate")?,
        reorder: of("reorder")?,
        corrupt: of("corrupt")?,
    })
}

/// Limits: `"1000p"`, `"64MB"`, or a list of these.
pub(crate) fn limit(node: Node<'_>) -> Result<Limit, Diagnostic> {
    let mut limit = Limit::default();
    let mut read = |node| {
        match text(node, Wanted::size("limit").example("1000p"), Quantity::limit)? {
            weir_units::Limit::Packets(packets) => limit.packets = packets,
            weir_units::Limit::Bytes(bytes) => limit.bytes = bytes,
        }
        Ok(())
    };
    match node.items() {
        Ok(items) => items.into_iter().try_for_each(read)?,
        Err(_) => read(node)?,
    }
    Ok(limit)
}
