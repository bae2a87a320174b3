//! Reads links and changes of links from JSON.

use weir_json::{Diagnostic, Document, Kind, Mistakes, Node, Object};

use crate::models;
use crate::settings::{DirectionSettings, End, LinkSettings};

/// The keys of one direction's settings.
const SETTINGS: [&str; 12] = [
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
    "qdisc",
    "stream",
];
/// The keys of settings for one direction only.
pub const DIRECTIONS: [&str; 2] = ["a_to_b", "b_to_a"];

/// Returns a link, or a list of links.
///
/// # Errors
/// The link or the list has mistakes; the error lists all of them with their places.
pub fn links(node: Node<'_>) -> Result<Vec<LinkSettings>, Mistakes> {
    match node.items() {
        Ok(_) => node.list(link),
        Err(_) => Ok(vec![link(node)?]),
    }
}

/// Returns the links of a file: a list, or an object with a list under `links`.
///
/// # Errors
/// The text is not JSON, or something in it is wrong.
pub fn file(name: &str, text: String) -> Result<Vec<LinkSettings>, Mistakes> {
    let document = Document::parse(name, text)?;
    let root = document.root();
    if root.get("links").is_none() {
        return links(root);
    }
    let mut root = root.object(&["links"]);
    let links = root.required("links", links);
    root.finish(|| links)
}

fn link(node: Node<'_>) -> Result<LinkSettings, Mistakes> {
    let mut object = known_keys(node, &["name", "a", "b", "up"]);
    let name = object.optional("name", |name| name.text("a link's name"));
    let ends = [object.required("a", read_end), object.required("b", read_end)];
    // If the ends have mistakes, the settings are still read, so that their mistakes are found too.
    let stand_in = || End { interface: String::new(), netns: None };
    let [a, b] = ends.map(|end| end.unwrap_or_else(stand_in));
    let mut link = LinkSettings::new(name.map(str::to_owned), [a, b]);
    change_link(&mut object, &mut link);
    object.finish(|| Some(link))
}

/// Applies a change to a link; settings that the change does not name stay the same.
///
/// # Errors
/// The change has mistakes; the error lists all of them. Some settings of the link may already have
/// changed.
pub fn apply_change(node: Node<'_>, link: &mut LinkSettings) -> Result<(), Mistakes> {
    let mut object = known_keys(node, &["name", "up"]);
    for part in [Some(node), node.get("a_to_b"), node.get("b_to_a")].into_iter().flatten() {
        if let Some(stream) = part.get("stream") {
            object.add(stream.error("a random stream cannot be changed: remove the link and add it again"));
        }
    }
    change_link(&mut object, link);
    object.finish(|| Some(()))
}

fn change_link(object: &mut Object<'_>, link: &mut LinkSettings) {
    let was_right = object.is_right();
    for direction in &mut link.directions {
        change_direction(object, direction);
    }
    for (key, direction) in DIRECTIONS.into_iter().zip(&mut link.directions) {
        object.optional(key, |changed| {
            let mut changed = changed.object(&SETTINGS);
            change_direction(&mut changed, direction);
            changed.finish(|| Some(()))
        });
    }
    link.up = object.optional("up", Node::flag).unwrap_or(link.up);
    if was_right && object.is_right() {
        let mut wrong_ends: Vec<_> =
            link.directions.iter().filter_map(|changed| models::check_qdisc(changed).err()).collect();
        wrong_ends.dedup();
        let node = object.node();
        wrong_ends.into_iter().for_each(|error| object.add(node.error(error)));
    }
}

fn known_keys<'d>(node: Node<'d>, keys: &[&str]) -> Object<'d> {
    node.object(&[keys, &SETTINGS, &DIRECTIONS].concat())
}

/// Reads an end: `"veth0"`, `"veth0@blue"`, or `{"interface": "veth0", "netns":
/// "/proc/123/ns/net"}`.
fn read_end(node: Node<'_>) -> Result<End, Mistakes> {
    if !matches!(node.value().kind, Kind::Object(_)) {
        return Ok(End::parse(node.text("an interface")?).map_err(|error| node.error(error))?);
    }
    let mut object = node.object(&["interface", "netns"]);
    let interface =
        object.required("interface", |name| Ok::<_, Diagnostic>((name, name.text("an interface's name")?)));
    let netns = object.optional_or("netns", None, |netns| {
        (!netns.is_null()).then(|| netns.text("a network namespace's file")).transpose()
    });
    let (interface, netns) = object.finish(|| Some((interface?, netns?)))?;
    Ok(End::new(interface.1, netns).map_err(|error| interface.0.error(error))?)
}

fn change_direction(object: &mut Object<'_>, direction: &mut DirectionSettings) {
    /// Sets the value of a member, if the member exists and is valid.
    fn set_member<'d, T, E: Into<Mistakes>>(
        object: &mut Object<'d>,
        key: &str,
        setting: &mut T,
        read: impl FnOnce(Node<'d>) -> Result<T, E>,
    ) {
        if let Some(value) = object.optional(key, read) {
            *setting = value;
        }
    }
    let DirectionSettings { rate, delay, impairments, own_limit, qdisc, stream } = direction;
    let was_right = object.is_right();
    set_member(object, "rate", rate, models::rate);
    set_member(object, "delay", delay, |node| models::time(node, "delay"));
    set_member(object, "jitter", &mut impairments.jitter, models::jitter);
    set_member(object, "overtake", &mut impairments.overtake, Node::flag);
    set_member(object, "loss", &mut impairments.loss, models::loss);
    set_member(object, "duplicate", &mut impairments.duplicate, |node| {
        models::read_probability(node, "duplicate")
    });
    set_member(object, "corrupt", &mut impairments.corrupt, |node| models::read_probability(node, "corrupt"));
    set_member(object, "reorder", &mut impairments.reorder, models::reorder);
    set_member(object, "correlation", &mut impairments.correlation, models::correlations);
    set_member(object, "limit", own_limit, models::limit);
    set_member(object, "qdisc", qdisc, models::qdisc);
    set_member(object, "stream", stream, |node| {
        node.text("the name of a random stream").map(|name| Some(name.to_owned()))
    });
    // Whether settings contradict each other can be checked only if each setting is valid.
    if was_right && object.is_right() {
        let node = object.node();
        object.collect_result(impairments.check().map_err(|error| node.error(error.to_string())));
    }
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
            let impairments = &links[0].directions[0].impairments;
            assert_eq!(impairments.jitter, expected.unwrap_or_default(), "{model}");
        }
        let chain = r#"{"FourState": {"p13": "10%", "p31": null, "p32": "0%", "p23": "100%", "p14": "0%"}}"#;
        let links = read(&format!(r#"[{{"a": "v1", "b": "v2", "loss": {chain}}}]"#)).unwrap();
        let expected = Loss::FourState { p13: 0.1, p31: 0.9, p32: 0.0, p23: 1.0, p14: 0.0 };
        assert_eq!(links[0].directions[1].impairments.loss, expected);
    }

    #[test]
    fn queueing_disciplines_are_written_as_for_tc() {
        let text = r#"[{"a": "v1", "b": "v2", "rate": "10Mbit", "qdisc": "fq_codel target 2ms",
            "b_to_a": {"rate": null, "qdisc": ["handle 1: htb default 10",
                "class add parent 1: classid 1:10 htb rate 5mbit", "qdisc add parent 1:10 handle 2: codel ecn"]}}]"#;
        let [there, back] = &read(text).unwrap()[0].directions;
        let config_text = |direction: &DirectionSettings| direction.qdisc.config().unwrap().to_string();
        assert!(config_text(there).starts_with("fq_codel limit 10240"), "{}", config_text(there));
        assert!(config_text(back).contains("{10: rate 5mbit"), "{}", config_text(back));
        assert!(
            config_text(back).contains("[codel limit 1000 target 5ms interval 100ms ecn]"),
            "{}",
            config_text(back)
        );
        // A discipline may come before the rate that it needs, and null removes it.
        let text = r#"[{"a": "v1", "b": "v2", "qdisc": "codel", "a_to_b": {"rate": "1Mbit"}, "b_to_a": {"qdisc": null}}]"#;
        let link = &mut read(text).unwrap()[0];
        assert!(!link.directions[0].qdisc.is_empty() && link.directions[1].qdisc.is_empty());
        let change_it = |link: &mut LinkSettings, text: &str| {
            let document = Document::parse("change", text).unwrap();
            apply_change(document.root(), link).map_err(|error| error.to_string())
        };
        assert!(change_it(link, r#"{"rate": null}"#).unwrap_err().contains("has no effect"));
        change_it(link, r#"{"rate": "1Mbit", "qdisc": null, "limit": "5p"}"#).unwrap();
        assert!(link.directions[0].qdisc.is_empty());
        change_it(link, r#"{"qdisc": "codel", "limit": null}"#).unwrap();
        assert_eq!(link.directions[1].own_limit, None);
    }

    #[test]
    fn wrong_disciplines_are_all_explained() {
        for (qdisc, expected) in [
            (r#""codell""#, "discipline `codell` is not supported (supported: pfifo, "),
            (r#""codell""#, "did you mean \"codel\"?"),
            (r#""sfq""#, "the most similar one is `fq_codel`"),
            (r#""fq_codel traget 5ms""#, "did you mean \"target\"?"),
            (r#""fq_codel target 5 parsecs""#, "option `parsecs` is not supported"),
            (r#""fq_codel target 5lightyears""#, "target `5lightyears`: expected a time such as 20ms"),
            (
                r#""tbf rate 1furlong burst 3000 limit 9000""#,
                "rate `1furlong`: expected a rate such as 10mbit",
            ),
            (r#""tbf rate 1mbit""#, "tbf needs a burst"),
            (r#""red limit 1000 avpkt 1000 min 1000 max 500""#, "less than the max"),
            (r#""pfifo limit -1""#, "limit `-1`: expected a whole number"),
            (r#""pfifo limit 99999999999999999999999""#, "expected a whole number"),
            (r#""""#, "missing discipline"),
            (r#""handle 1:""#, "missing discipline"),
            (r#""qdisc add root""#, "missing discipline"),
            (r#""qdisc show""#, "expected a change"),
            (r#""qdisc add dev eth0 root codel""#, "leave out `dev`"),
            (r#""class add parent 1: classid 1:1 htb rate 1mbit""#, "there is no discipline `1:`"),
            (r#"["htb", "qdisc add root htb"]"#, "there is already a discipline"),
            (r#""fq horizon 1s""#, "fq's horizon has no effect"),
            ("7", "expected a queueing discipline"),
            (r#"{"kind": "codel"}"#, "expected a queueing discipline"),
        ] {
            let text = format!(r#"[{{"a": "v1", "b": "v2", "rate": "1Mbit", "qdisc": {qdisc}}}]"#);
            let error = read(&text).unwrap_err();
            assert!(error.starts_with("links.json:1:") && error.contains(expected), "{qdisc}: {error}");
        }
        for (settings, expected) in [
            (r#""qdisc": "fq_codel""#, "without a rate no frame waits"),
            (r#""qdisc": "red limit 100000 avpkt 1000""#, "without a rate no frame waits"),
            (r#""qdisc": "fq maxrate 1mbit nopacing""#, "without a rate no frame waits"),
            (r#""rate": "1Mbit", "qdisc": "codel", "limit": "9p""#, "leave it out"),
        ] {
            let error = read(&format!(r#"[{{"a": "v1", "b": "v2", {settings}}}]"#)).unwrap_err();
            // Both directions have the same mistake.
            assert_eq!(error.matches(expected).count(), 1, "{settings}: {error}");
        }
        let text = r#"[{"a": "v1", "b": "v2", "rate": "x", "qdisc": ["codell", "class add dev x", 7],
            "b_to_a": {"qdisc": "tbf rate 1"}}, {"a": "v1", "b": "v2", "qdisc": "reed"}]"#;
        let error = file("links.json", text.to_owned()).unwrap_err();
        assert_eq!(error.all().len(), 6, "{error}");
    }

    #[test]
    fn mistakes_have_a_place_and_a_suggestion() {
        for (text, expected) in [
            (r#"[{"a": "v1"}]"#, "missing key \"b\""),
            (r#"[{"a": "v1", "b": "v2", "delya": "1ms"}]"#, "did you mean \"delay\"?"),
            (r#"[{"a": "v1", "b": "v2", "delay": 5}]"#, "did you mean \"5ms\"?"),
            (r#"[{"a": "v1", "b": "v2", "loss": "0.1"}]"#, "has no unit"),
            (r#"[{"a": "v1", "b": "an-interface-too-long"}]"#, "not an interface name"),
            (r#"[{"a": "v1", "b": "v2", "jitter": {"Normall": {}}}]"#, "did you mean \"Normal\"?"),
            (r#"[{"a": "v1", "b": "v2", "jitter": {}}]"#, "expected one model of jitter"),
            (r#"[{"a": "v1", "b": "v2", "loss": {"Frames": {"numbers": [3, 2]}}}]"#, "ascending order"),
            (r#"[{"a": "v1", "b": "v2", "reorder": ["1%"]}]"#, "a probability and a time"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with("links.json:1:") && error.contains(expected), "{error}");
        }
    }

    #[test]
    fn all_mistakes_are_listed_in_order() {
        let text = r#"{"links": [
            {"a": "v1", "bb": "v2", "delay": 5, "loss": {"FourState": {"p13": "x", "p41": "1%", "p23": "2"}},
             "correlation": {"loss": "200%", "jiter": "1%"}, "limit": ["1p", 2, true], "up": 1},
            {"a": {"interfaces": "v1", "netns": 7}, "b": 7, "b_to_a": {"rat": "1Mbit", "jitter": {"Normal": {"sigma": 1}}}},
            {"a": "v1", "b": "v2", "jitter": {"Pareto": {"scale": "x", "shape": "y"}}, "reorder": ["x", 1]}],
            "link": 1}"#;
        let mistakes = file("links.json", text.to_owned()).unwrap_err();
        let lines: Vec<_> = mistakes.all().iter().map(ToString::to_string).collect();
        let places: Vec<_> = lines.iter().map(|line| line.split(": ").nth(1).unwrap()).collect();
        let expected = [
            // No key is similar enough to suggest.
            "$.links[0]",
            "$.links[0].bb",
            "$.links[0].delay",
            "$.links[0].loss.FourState.p13",
            "$.links[0].loss.FourState.p41",
            "$.links[0].loss.FourState.p23",
            "$.links[0].correlation.loss",
            "$.links[0].correlation.jiter",
            "$.links[0].limit[1]",
            "$.links[0].limit[2]",
            "$.links[0].up",
            "$.links[1].a.interfaces",
            "$.links[1].a.netns",
            "$.links[1].b",
            "$.links[1].b_to_a.rat",
            "$.links[1].b_to_a.jitter.Normal.sigma",
            "$.links[2].jitter.Pareto.scale",
            "$.links[2].jitter.Pareto.shape",
            "$.links[2].reorder[0]",
            "$.links[2].reorder[1]",
            "$.link",
        ];
        assert_eq!(places, expected, "{lines:#?}");
    }
}
