//! Tests that documents are read with places, and that mistakes are reported with their places.

use weir_json::{Document, Kind, Mistakes, Value};

fn parse(text: &str) -> Result<Document, Mistakes> {
    Document::parse("a.json", text)
}

fn refused(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn values_of_every_kind_are_read() {
    let document = parse("{\"a\": [null, true, -1.5e3, \"x\\u0041\", {}]}").unwrap();
    let kinds: Vec<_> = document
        .root()
        .require("a")
        .unwrap()
        .items()
        .unwrap()
        .map(|item| item.value().kind.clone())
        .collect();
    assert_eq!(
        kinds,
        [
            Kind::Null,
            Kind::Bool(true),
            Kind::Number("-1.5e3".into()),
            Kind::Text("xA".into()),
            Kind::Object(Vec::new())
        ]
    );
}

#[test]
fn syntax_errors_have_line_and_column() {
    for (text, message) in [
        ("", "a.json:1:1: is not JSON: the file is empty"),
        ("{\"a\": 1", "a.json:1:1: is not JSON: this bracket is never closed"),
        ("{\n  \"a\": 1,\n}", "a.json:2:9: is not JSON: trailing commas are not allowed"),
        ("[1] // one", "a.json:1:5: is not JSON: comments are not allowed"),
        ("{\"é\": 1, \"a\": 2,\n \"a\": 3}", "a.json:2:2: $.a: the key \"a\" appears twice in one object"),
        ("[NaN]", "a.json:1:2: is not JSON: unexpected token"),
    ] {
        assert_eq!(refused(text), message);
    }
    let deep = "[".repeat(100_000);
    assert!(refused(&deep).ends_with("is nested too deeply"), "{}", refused(&deep));
}

#[test]
fn text_after_a_syntax_error_is_read() {
    for (text, messages) in [
        (
            "{\"a\": 1, \"a\": {\"b\": 1, \"b\": 2},\n \"c\": [{\"d\": 1, \"d\": 1}], \"a\": 3}",
            &[
                "1:10: $.a: the key \"a\" appears twice in one object",
                "1:24: $.a.b: the key \"b\" appears twice in one object",
                "2:17: $.c[0].d: the key \"d\" appears twice in one object",
                "2:27: $.a: the key \"a\" appears twice in one object",
            ][..],
        ),
        (
            "// é\n{\"a\": [1, 2,], /* two\nlines */ \"b\": 'x\"y' \"c\": 0x1F,\n\"d\": None, \"a\": [1,, 2], \"e\": +1,}",
            &[
                "1:1: is not JSON: comments are not allowed",
                "2:12: is not JSON: trailing commas are not allowed",
                "2:16: is not JSON: comments are not allowed",
                "3:15: is not JSON: single-quoted strings are not allowed",
                "3:20: is not JSON: expected comma",
                "3:26: is not JSON: hexadecimal numbers are not allowed",
                "4:6: is not JSON: unexpected token",
                "4:12: $.a: the key \"a\" appears twice in one object",
                "4:20: is not JSON: unexpected comma",
                "4:31: is not JSON: unary plus on numbers is not allowed",
                "4:33: is not JSON: trailing commas are not allowed",
            ],
        ),
        // After these mistakes, the rest of the text is not read.
        (
            "[[1,], {a: 1, \"b\": ",
            &[
                "1:4: is not JSON: trailing commas are not allowed",
                "1:9: is not JSON: expected string for object property",
            ],
        ),
        (
            "{\"a\": [1,], b: 2, c: 3}",
            &[
                "1:9: is not JSON: trailing commas are not allowed",
                "1:13: is not JSON: expected string for object property",
            ],
        ),
        ("{\"a\": ['x, 2]}", &["1:8: is not JSON: single-quoted strings are not allowed"]),
        ("// nothing", &["1:1: is not JSON: comments are not allowed"]),
        ("{0x1: 1, \"a\": [1,]}", &["1:2: is not JSON: hexadecimal numbers are not allowed"]),
    ] {
        let expected: Vec<_> = messages.iter().map(|line| format!("a.json:{line}")).collect();
        assert_eq!(refused(text).lines().collect::<Vec<_>>(), expected, "{text}");
    }
}

#[test]
fn reading_continues_after_twenty_syntax_errors() {
    let text = format!("[{}]", vec!["[1,]"; 1000].join(", "));
    assert_eq!(parse(&text).unwrap_err().all().len(), 21);
    let text = format!("{{{}}}", vec!["\"a\": 1"; 1000].join(", "));
    let mistakes = parse(&text).unwrap_err();
    assert_eq!((mistakes.all().len(), mistakes.is_cut()), (100, true));
}

#[test]
fn getters_report_expectation_and_place() {
    let text = "{\n  \"ports\": [1, -1, 1.5, 600],\n  \"hdr.x\": {\"nmae\": 1, \"zzz\": 2}\n}";
    let document = parse(text).unwrap();
    let ports: Vec<_> = document.root().require("ports").unwrap().items().unwrap().collect();
    assert_eq!(ports[0].integer("a port", 0, 511), Ok(1));
    let message = |port: usize| ports[port].integer("a port", 0, 511).unwrap_err().to_string();
    assert_eq!(message(1), "a.json:2:16: $.ports[1]: -1 is out of range: expected a port from 0 to 511");
    assert_eq!(message(2), "a.json:2:20: $.ports[2]: expected a port (a whole number), found a number 1.5");
    assert_eq!(message(3), "a.json:2:25: $.ports[3]: 600 is out of range: expected a port from 0 to 511");
    let inner = document.root().require("hdr.x").unwrap();
    assert_eq!(
        inner.object(&["name", "zzz"]).finish(|| Some(())).unwrap_err().to_string(),
        "a.json:3:21: $.\"hdr.x\".nmae: unknown key \"nmae\"; did you mean \"name\"?"
    );
    assert_eq!(
        inner.object(&["nmae", "other"]).finish(|| Some(())).unwrap_err().to_string(),
        "a.json:3:31: $.\"hdr.x\".zzz: unknown key \"zzz\" (known: nmae, other)"
    );
    assert_eq!(
        inner.require("name").unwrap_err().to_string(),
        "a.json:3:12: $.\"hdr.x\": missing key \"name\"; did you mean \"nmae\"?"
    );
    assert_eq!(inner.text("a name").unwrap_err().message, "expected a name (a string), found an object");
    assert_eq!(inner.flag().unwrap_err().message, "expected true or false, found an object");
}

#[test]
fn values_without_text_have_a_path() {
    let port = Value::from(Kind::Other("b'1'".into()));
    let document = Document::from_value(Kind::Object(vec![("port".into(), port)]).into());
    let error = document.root().require("port").unwrap().integer("a port", 0, 9).unwrap_err();
    assert_eq!(error.to_string(), "$.port: expected a port (a whole number), found b'1'");
}

#[test]
fn long_values_are_not_shown() {
    let document = parse(&format!("\"{}\"", "x".repeat(100))).unwrap();
    assert_eq!(document.root().flag().unwrap_err().message, "expected true or false, found a string");
}
