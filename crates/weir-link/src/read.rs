//! Links and changes of links as JSON.

use weir_json::{Diagnostic, Document, Node};

use crate::models;
use crate::settings::{DirectionSettings, End, LinkSettings};

/// The keys of one direction's settings.
const SETTINGS: [&str; 11] = [
    "rate",
    "delay",
    "jitter",
    "overtake",
    "loss",
    "duplicate",
    "corrupt",
    "reorder",
    "correlation",
    "limit",
    "stream",
];
/// The keys of a direction with settings of its own.
const DIRECTIONS: [&str; 2] = ["a_to_b", "b_to_a"];

/// A link, or a list of links.
///
/// # Errors
/// Something is wrong: what, and where.
pub fn links(node: Node<'_>) -> Result<Vec<LinkSettings>, Diagnostic> {
    match node.items() {
        Ok(items) => items.map(link).collect(),
        Err(_) => Ok(vec![link(node)?]),
    }
}

/// The links of a file: a list, or an object with a list under `links`.
///
/// # Errors
/// The text is not JSON, or something in it is wrong.
pub fn file(name: &str, text: String) -> Result<Vec<LinkSettings>, Diagnostic> {
    let document = Document::parse(name, text)?;
    let root = document.root();
    links(root.get("links").unwrap_or(root))
}

fn link(node: Node<'_>) -> Result<LinkSettings, Diagnostic> {
    only(node, &["name", "a", "b", "up"])?;
    let name = node.get("name").map(|name| name.text("a link's name")).transpose()?;
    let ends = [end(node.require("a")?)?, end(node.require("b")?)?];
    let mut link = LinkSettings::new(name.map(str::to_owned), ends);
    change_link(node, &mut link)?;
    Ok(link)
}

/// Applies a change to a link; what the change does not name stays as it is.
///
/// # Errors
/// Something is wrong; the link may have changed in part.
pub fn change(node: Node<'_>, link: &mut LinkSettings) -> Result<(), Diagnostic> {
    only(node, &["name", "up"])?;
    for part in [Some(node), node.get("a_to_b"), node.get("b_to_a")].into_iter().flatten() {
        if let Some(stream) = part.get("stream") {
            return Err(stream.fail("a random stream cannot be changed: remove the link and add it again"));
        }
    }
    change_link(node, link)
}

fn change_link(node: Node<'_>, link: &mut LinkSettings) -> Result<(), Diagnostic> {
    for direction in &mut link.directions {
        change_direction(node, direction)?;
    }
    for (key, direction) in DIRECTIONS.into_iter().zip(&mut link.directions) {
        if let Some(own) = node.get(key) {
            own.only(&SETTINGS)?;
            change_direction(own, direction)?;
        }
    }
    if let Some(up) = node.get("up") {
        link.up = up.flag()?;
    }
    Ok(())
}

fn only(node: Node<'_>, keys: &[&str]) -> Result<(), Diagnostic> {
    node.only(&[keys, &SETTINGS, &DIRECTIONS].concat())
}

/// An end: `"veth0"`, `"veth0@blue"`, or `{"interface": "veth0", "netns": "/proc/123/ns/net"}`.
fn end(node: Node<'_>) -> Result<End, Diagnostic> {
    let Some(interface) = node.get("interface") else {
        return End::parse(node.text("an interface")?).map_err(|error| node.fail(error));
    };
    node.only(&["interface", "netns"])?;
    let netns = node.get("netns").filter(|netns| !netns.is_null());
    let netns = netns.map(|netns| netns.text("a network namespace's file")).transpose()?;
    End::new(interface.text("an interface's name")?, netns).map_err(|error| interface.fail(error))
}

fn change_direction(node: Node<'_>, direction: &mut DirectionSettings) -> Result<(), Diagnostic> {
    let DirectionSettings { rate, delay, impairments, own_limit, stream } = direction;
    if let Some(node) = node.get("rate") {
        *rate = models::rate(node)?;
    }
    if let Some(node) = node.get("delay") {
        *delay = models::time(node, "delay")?;
    }
    if let Some(node) = node.get("jitter") {
        impairments.jitter = models::jitter(node)?;
    }
    if let Some(node) = node.get("overtake") {
        impairments.overtake = node.flag()?;
    }
    if let Some(node) = node.get("loss") {
        impairments.loss = models::loss(node)?;
    }
    if let Some(node) = node.get("duplicate") {
        impairments.duplicate = models::share(node, "duplicate")?;
    }
    if let Some(node) = node.get("corrupt") {
        impairments.corrupt = models::share(node, "corrupt")?;
    }
    if let Some(node) = node.get("reorder") {
        impairments.reorder = models::reorder(node)?;
    }
    if let Some(node) = node.get("correlation") {
        impairments.correlation = models::correlations(node)?;
    }
    if let Some(node) = node.get("limit") {
        *own_limit = Some(models::limit(node)?);
    }
    if let Some(node) = node.get("stream") {
        *stream = Some(node.text("the name of a random stream")?.to_owned());
    }
    impairments.check().map_err(|error| node.fail(error.to_string()))
}

#[cfg(test)]
mod tests {
    use weir_impair::{Jitter, Loss};

    use super::*;

    fn read(text: &str) -> Result<Vec<LinkSettings>, String> {
        file("links.json", text.to_owned()).map_err(|error| error.to_string())
    }

    #[test]
    fn links_have_settings_for_both_directions_and_for_each() {
        let text = r#"{"links": [{"a": "v1@blue", "b": {"interface": "v2", "netns": "/proc/1/ns/net"},
            "rate": "10Mbit", "delay": "5ms", "loss": "1%", "limit": ["10p", "1kB"], "reorder": ["1%", "5ms"],
            "b_to_a": {"rate": null, "delay": "7ms", "loss": null, "jitter": {"Normal": {"sigma": "1ms"}}}}]}"#;
        let [link] = &read(text).unwrap()[..] else { panic!("one link") };
        assert_eq!(link.name, "v1@/run/netns/blue<->v2@/proc/1/ns/net");
        let [there, back] = &link.directions;
        assert_eq!((there.rate, back.rate), (Some(10_000_000), None));
        assert_eq!((there.delay, back.delay), (5_000_000, 7_000_000));
        assert_eq!((&there.impairments.loss, &back.impairments.loss), (&Loss::Random(0.01), &Loss::None));
        assert_eq!(back.impairments.jitter, Jitter::Normal { sigma: 1_000_000 });
        assert_eq!((there.limit().packets, back.limit().bytes), (10, 1000));
        assert_eq!(back.impairments.reorder, Some((0.01, 5_000_000)));
    }

    #[test]
    fn every_model_has_the_name_and_the_settings_that_python_gives_it() {
        for (model, expected) in [
            (r#""jitter": "1ms""#, Some(Jitter::Uniform(1_000_000))),
            (r#""jitter": {"Uniform": {"most": "1us"}}"#, Some(Jitter::Uniform(1000))),
            (r#""jitter": {"UniformAround": {"spread": "1us"}}"#, Some(Jitter::UniformAround(1000))),
            (r#""jitter": {"Exponential": {"mean": "1us"}}"#, Some(Jitter::Exponential { mean: 1000 })),
            (
                r#""jitter": {"Pareto": {"scale": "1us", "shape": 2.5}}"#,
                Some(Jitter::Pareto { scale: 1000, shape: 2.5 }),
            ),
            (r#""jitter": {"ParetoAround": {"sigma": "1us"}}"#, Some(Jitter::ParetoAround { sigma: 1000 })),
            (r#""jitter": {"Table": {"times": ["1us", "2us"]}}"#, Some(Jitter::Table([1000, 2000].into()))),
            (r#""loss": {"Every": {"n": 3}}"#, None),
        ] {
            let links = read(&format!(r#"[{{"a": "v1", "b": "v2", {model}}}]"#)).unwrap();
            let found = &links[0].directions[0].impairments;
            assert_eq!(found.jitter, expected.unwrap_or_default(), "{model}");
        }
        let chain = r#"{"FourState": {"p13": "10%", "p31": null, "p32": "0%", "p23": "100%", "p14": "0%"}}"#;
        let links = read(&format!(r#"[{{"a": "v1", "b": "v2", "loss": {chain}}}]"#)).unwrap();
        let expected = Loss::FourState { p13: 0.1, p31: 0.9, p32: 0.0, p23: 1.0, p14: 0.0 };
        assert_eq!(links[0].directions[1].impairments.loss, expected);
    }

    #[test]
    fn mistakes_have_a_place_and_a_suggestion() {
        for (text, expected) in [
            (r#"[{"a": "v1"}]"#, "missing key \"b\""),
            (r#"[{"a": "v1", "b": "v2", "delya": "1ms"}]"#, "did you mean \"delay\"?"),
            (r#"[{"a": "v1", "b": "v2", "delay": 5}]"#, "did you mean \"5ms\"?"),
            (r#"[{"a": "v1", "b": "v2", "loss": "0.1"}]"#, "has no unit"),
            (r#"[{"a": "v1", "b": "an-interface-too-long"}]"#, "no name of an interface"),
            (r#"[{"a": "v1", "b": "v2", "jitter": {"Normall": {}}}]"#, "did you mean \"Normal\"?"),
            (r#"[{"a": "v1", "b": "v2", "jitter": {}}]"#, "expected one model of jitter"),
            (r#"[{"a": "v1", "b": "v2", "loss": {"Frames": {"numbers": [3, 2]}}}]"#, "ascending order"),
            (r#"[{"a": "v1", "b": "v2", "reorder": ["1%"]}]"#, "a probability and a time"),
        ] {
            let found = read(text).unwrap_err();
            assert!(found.starts_with("links.json:1:") && found.contains(expected), "{found}");
        }
    }
}
