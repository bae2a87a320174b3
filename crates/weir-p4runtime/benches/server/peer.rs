//! A copy of this program that runs in another process.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::str::FromStr;

/// Another process that runs this program, until it is dropped.
pub struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Peer {
    /// Starts this program again with these arguments.
    pub fn start(arguments: &[&str]) -> Self {
        let program = std::env::current_exe().expect("this program is a file");
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let input = child.stdin.take().expect("it is a pipe");
        let output = BufReader::new(child.stdout.take().expect("it is a pipe"));
        Self { child, input, output }
    }

    /// Sends a number to the other process.
    pub fn send(&mut self, number: f64) {
        writeln!(self.input, "{number}").expect("it reads");
    }

    /// Reads the next line of numbers from the other process.
    pub fn numbers(&mut self) -> Vec<f64> {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it answers");
        assert!(!line.is_empty(), "the other process has ended");
        line.split_whitespace().map(number).collect()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _ended = self.child.wait();
    }
}

/// Parses a number from an argument or from a line of the other process.
pub fn number<T: FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("expected a number, found {text}"))
}

/// Prints numbers for the process that started this one.
pub fn print<const N: usize>(numbers: [f64; N]) {
    let words = numbers.map(|number| number.to_string());
    println!("{}", words.join(" "));
}
