//! Parses delays, models of jitter and loss, limits and queueing disciplines from JSON.

use weir_device::Nanos;
use weir_impair::{Correlations, Jitter, Loss};
use weir_json::{Diagnostic, Kind, Mistakes, Node, combine};
use weir_units::{Quantity, WantedQuantity};

use weir_qdisc::{NoEffect, TcCommand, TcError, TcInterface};

use crate::settings::{DirectionSettings, Limit};

/// Reads a quantity with a unit from a string.
fn text<'v, T>(
    node: Node<'v>,
    wanted: WantedQuantity<'v>,
    convert: impl FnOnce(&Quantity<'v>) -> Result<T, weir_units::Error>,
) -> Result<T, Diagnostic> {
    let read = match &node.value().kind {
        Kind::Text(text) => Quantity::read(text, wanted).and_then(|quantity| convert(&quantity)),
        Kind::Number(number) => Err(wanted.bare_number(number)),
        _ => Err(wanted.expected(&node.value().describe())),
    };
    read.map_err(|error| node.error_with_suggestion(error.message, error.suggestion))
}

/// Reads a time in nanoseconds.
pub(crate) fn time(node: Node<'_>, what: &str) -> Result<Nanos, Diagnostic> {
    text(node, WantedQuantity::time(what), Quantity::nanoseconds)
}

/// Reads a rate in bits per second: `"10Mbit"`, or null for none.
pub(crate) fn rate(node: Node<'_>) -> Result<Option<u64>, Diagnostic> {
    if node.is_null() {
        return Ok(None);
    }
    text(node, WantedQuantity::rate("rate"), Quantity::bits_per_second).map(Some)
}

/// Reads a probability, such as `"1%"`.
pub(crate) fn read_probability(node: Node<'_>, what: &str) -> Result<f64, Diagnostic> {
    text(node, WantedQuantity::share(what), Quantity::share)
}

/// Reads an object with one member: the model's name, and the model's settings.
fn model<'d>(node: Node<'d>, what: &str, names: &[&str]) -> Result<(&'d str, Node<'d>), Mistakes> {
    node.object(names).finish(|| Some(()))?;
    let mut members = node.members()?;
    match (members.next(), members.next()) {
        (Some(only), None) => Ok(only),
        _ => Err(node.error(format!("expected one model of {what}: {}", names.join(", "))).into()),
    }
}

/// Reads jitter: `"1ms"`, null, or `{"Normal": {"sigma": "1ms"}}`.
pub(crate) fn jitter(node: Node<'_>) -> Result<Jitter, Mistakes> {
    /// The names of the distributions and models.
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
    let named = |key: &str| {
        let mut object = settings.object(&[key]);
        let value = object.required(key, |value| time(value, "jitter"));
        object.finish(|| value)
    };
    Ok(match name {
        "Uniform" => Jitter::Uniform(named("most")?),
        "UniformAround" => Jitter::UniformAround(named("spread")?),
        "Normal" => Jitter::Normal { sigma: named("sigma")? },
        "Exponential" => Jitter::Exponential { mean: named("mean")? },
        "ParetoAround" => Jitter::ParetoAround { sigma: named("sigma")? },
        "ParetoNormalAround" => Jitter::ParetoNormalAround { sigma: named("sigma")? },
        "Pareto" => {
            let mut object = settings.object(&["scale", "shape"]);
            let scale = object.required("scale", |scale| time(scale, "jitter"));
            let shape = object.required("shape", |shape| {
                let number = match &shape.value().kind {
                    Kind::Number(text) => text.parse().ok(),
                    _ => None,
                };
                number.ok_or_else(|| shape.expected("a number such as 2.5"))
            });
            object.finish(|| Some(Jitter::Pareto { scale: scale?, shape: shape? }))?
        }
        _ => {
            let mut object = settings.object(&["times"]);
            let times = object.required("times", |times| times.list(|one| time(one, "jitter")));
            object.finish(|| Some(Jitter::Table(times?.into())))?
        }
    })
}

/// Reads loss: `"1%"`, null, or `{"GilbertElliott": {"enter": "1%", "leave": "20%"}}`.
pub(crate) fn loss(node: Node<'_>) -> Result<Loss, Mistakes> {
    match node.value().kind {
        Kind::Null => return Ok(Loss::None),
        Kind::Object(_) => {}
        _ => return Ok(Loss::Random(read_probability(node, "loss")?)),
    }
    let (name, settings) = model(node, "loss", &["GilbertElliott", "FourState", "Every", "Frames"])?;
    let probability = |node: Node<'_>| read_probability(node, "loss");
    // Null has the same meaning as a missing member.
    let or_usual = |node: Node<'_>| match node.is_null() {
        true => Ok(None),
        false => read_probability(node, "loss").map(Some),
    };
    let frame = |node: Node<'_>| node.integer("a frame's number", 1, u64::MAX >> 1);
    match name {
        "GilbertElliott" => {
            let mut object = settings.object(&["enter", "leave", "good", "bad"]);
            let (enter, leave) =
                (object.required("enter", probability), object.required("leave", probability));
            let (good, bad) =
                (object.optional_or("good", None, or_usual), object.optional_or("bad", None, or_usual));
            object.finish(|| {
                let (good, bad) = (good?.unwrap_or(0.0), bad?.unwrap_or(1.0));
                Some(Loss::GilbertElliott { enter: enter?, leave: leave?, good, bad })
            })
        }
        "FourState" => {
            let mut object = settings.object(&["p13", "p31", "p32", "p23", "p14"]);
            let p13 = object.required("p13", probability);
            let [p31, p32, p23, p14] =
                ["p31", "p32", "p23", "p14"].map(|key| object.optional_or(key, None, or_usual));
            object.finish(|| {
                let p13 = p13?;
                let (p31, p32) = (p31?.unwrap_or(1.0 - p13), p32?.unwrap_or(0.0));
                let (p23, p14) = (p23?.unwrap_or(1.0), p14?.unwrap_or(0.0));
                Some(Loss::FourState { p13, p31, p32, p23, p14 })
            })
        }
        "Every" => {
            let mut object = settings.object(&["n"]);
            let n = object.required("n", frame);
            object.finish(|| n.map(Loss::Every))
        }
        _ => {
            let mut object = settings.object(&["numbers"]);
            let numbers = object.required("numbers", |numbers| numbers.list(frame));
            object.finish(|| Some(Loss::Frames(numbers?.into())))
        }
    }
}

/// Reads reordering: `["1%", "5ms"]`, or null.
pub(crate) fn reorder(node: Node<'_>) -> Result<Option<(f64, Nanos)>, Mistakes> {
    if node.is_null() {
        return Ok(None);
    }
    let [probability, by] = node.elements("a probability and a time, such as [\"1%\", \"5ms\"]")?;
    combine(read_probability(probability, "reorder"), time(by, "reorder")).map(Some)
}

/// Correlations: `{"loss": "25%"}`. An effect that is not listed is independent.
pub(crate) fn correlations(node: Node<'_>) -> Result<Correlations, Mistakes> {
    let mut object = node.object(&["jitter", "loss", "duplicate", "reorder", "corrupt"]);
    let mut correlation =
        |key: &str| object.optional_or(key, 0.0, |node| read_probability(node, "correlation"));
    let (jitter, loss, duplicate) = (correlation("jitter"), correlation("loss"), correlation("duplicate"));
    let (reorder, corrupt) = (correlation("reorder"), correlation("corrupt"));
    object.finish(|| {
        let (jitter, loss, duplicate) = (jitter?, loss?, duplicate?);
        Some(Correlations { jitter, loss, duplicate, reorder: reorder?, corrupt: corrupt? })
    })
}

/// Reads a queueing discipline: `"fq_codel target 5ms"`; null; or a list of `tc` commands, such as
/// `["handle 1: htb default 10", "class add parent 1: classid 1:10 htb rate 5mbit"]`.
pub(crate) fn qdisc(node: Node<'_>) -> Result<TcInterface, Mistakes> {
    let explained = |node: Node<'_>, error: TcError| {
        node.error_with_suggestion(format!("qdisc \"{}\": {}", error.line, error.message), error.suggestion)
    };
    let parsed = |node: Node<'_>| {
        let text = node.text("a queueing discipline, such as \"fq_codel target 5ms\"")?;
        TcCommand::parse_for_queue(text).map_err(|error| explained(node, error))
    };
    let mut interface = TcInterface::default();
    if node.is_null() {
        return Ok(interface);
    }
    let (nodes, commands) = match node.items() {
        Ok(items) => (items.collect(), node.list(parsed)?),
        Err(_) => (vec![node], vec![parsed(node)?]),
    };
    for (node, command) in nodes.into_iter().zip(commands) {
        command.apply(&mut interface).map_err(|error| explained(node, error))?;
    }
    Ok(interface)
}

/// Checks that a direction's queueing discipline has an effect there.
pub(crate) fn check_qdisc(direction: &DirectionSettings) -> Result<(), String> {
    let Some(config) = direction.qdisc.config() else { return Ok(()) };
    if direction.own_limit.is_some() {
        return Err(
            "\"limit\" is that of the queue without a discipline: with \"qdisc\", leave it out and use the \
             discipline's own, such as \"pfifo limit 100\""
                .to_owned(),
        );
    }
    config.check_effect(direction.rate.is_some()).map_err(|why| match why {
        NoEffect::NoRate(_) => format!("{why}: set \"rate\" too, or use tbf, htb or netem"),
        NoEffect::Horizon => why.to_string(),
    })
}

/// Reads limits: `"1000p"`, `"64MB"`, or a list of these; null for the default.
pub(crate) fn limit(node: Node<'_>) -> Result<Option<Limit>, Mistakes> {
    if node.is_null() {
        return Ok(None);
    }
    let read_limit = |node| text(node, WantedQuantity::size("limit").example("1000p"), Quantity::limit);
    let members = match node.items() {
        Ok(_) => node.list(read_limit)?,
        Err(_) => vec![read_limit(node)?],
    };
    let mut limit = Limit::default();
    let is_packets = |member: &weir_units::Limit| matches!(member, weir_units::Limit::Packets(_));
    for (unit, number) in [
        ("packets", members.iter().filter(|member| is_packets(member)).count()),
        ("bytes", members.iter().filter(|member| !is_packets(member)).count()),
    ] {
        if number > 1 {
            return Err(node.error(format!("{number} limits in {unit}: expected at most one")).into());
        }
    }
    for member in members {
        match member {
            weir_units::Limit::Packets(packets) => limit.packets = packets,
            weir_units::Limit::Bytes(bytes) => limit.bytes = bytes,
        }
    }
    Ok(Some(limit))
}
