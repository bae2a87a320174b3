//! The program at the beginning of `docs/explanation/ir.md` is valid.

use weir_ir::{text, violations};

#[test]
fn the_example_of_the_page_is_a_valid_program() {
    let page = include_str!("../../../docs/explanation/ir.md");
    let example = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let program = text::parse(example).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(violations(&program), []);
    let printed = text::print(&program);
    assert_eq!(text::parse(&printed).unwrap(), program);
    // The page shows the program as Weir prints it, except for comments and empty lines.
    let lines = |text: &str| -> Vec<String> {
        let code = text.lines().map(|line| line.split("//").next().unwrap_or("").trim_end().to_owned());
        code.filter(|line| !line.is_empty()).collect()
    };
    assert_eq!(lines(example), lines(&printed));
}
