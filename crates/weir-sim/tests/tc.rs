//! `tc` commands, case by case: each block of testdata/tc.txt on a new interface. `INSTA_UPDATE=always` writes the answers anew; read
//! them.

use std::fmt::Write;

use weir_sim::{Tc, TcCommand};

#[test]
fn each_command_is_done_or_refused_by_name() {
    let mut answers = String::new();
    for block in include_str!("../testdata/tc.txt").split("\n\n") {
        let mut interface = Tc::default();
        let lines = block.lines().filter(|line| !line.starts_with('#'));
        for line in lines.clone() {
            writeln!(answers, "{line}").unwrap();
            let done = TcCommand::parse(line).and_then(|command| {
                assert_eq!(command.device(), "eth0");
                command.apply(&mut interface)
            });
            if let Err(error) = done {
                assert_eq!(error.line, line);
                writeln!(answers, "    refused: {error}").unwrap();
            }
        }
        if lines.count() > 0 {
            match interface.config() {
                Some(config) => writeln!(answers, "    = {config:#?}\n").unwrap(),
                None => writeln!(answers, "    = none\n").unwrap(),
            }
        }
    }
    insta::assert_snapshot!(answers);
}
