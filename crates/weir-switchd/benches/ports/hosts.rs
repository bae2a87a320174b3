//! Hosts, each in its own network namespace.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::wires::{ip, pair};

/// A host: a network namespace that exists as long as a process.
pub struct Host(Child);

impl Host {
    /// Hosts 1 and 2, each with its own veth pair. `name` gives the names of the pair's interfaces:
    /// `h` is the host's interface, and `s` is the other one.
    pub fn host_pair(name: impl Fn(&str, usize) -> String) -> [Self; 2] {
        [1, 2].map(|end| {
            pair(&name("h", end), &name("s", end));
            Self::new(&name("h", end), end)
        })
    }

    /// Hosts 1 and 2, connected by one veth pair.
    pub fn connected(left: &str, right: &str) -> [Self; 2] {
        pair(left, right);
        [Self::new(left, 1), Self::new(right, 2)]
    }

    /// Host 1 or 2, with this interface.
    fn new(interface: &str, number: usize) -> Self {
        let mut command = Command::new("unshare");
        let process = command.args(["--net", "sh", "-c", "echo; exec cat"]).stdin(Stdio::piped());
        let mut process = process.stdout(Stdio::piped()).spawn().expect("unshare(1) is installed");
        let mut line = String::new();
        let lines = process.stdout.take().expect("it is piped");
        BufReader::new(lines).read_line(&mut line).expect("it has its namespace now");
        let host = Self(process);
        ip(&format!("link set {interface} address 08:00:00:00:00:0{number} netns {}", host.0.id()));
        let peer = 3 - number;
        for command in [
            format!("address add 10.0.0.{number}/24 dev {interface}"),
            format!("link set {interface} up"),
            format!("neighbour add 10.0.0.{peer} lladdr 08:00:00:00:00:0{peer} dev {interface}"),
        ] {
            let words: Vec<&str> = std::iter::once("ip").chain(command.split(' ')).collect();
            assert!(host.run(&words).status().is_ok_and(|status| status.success()), "{command}");
        }
        host
    }

    fn run(&self, words: &[&str]) -> Command {
        let mut command = Command::new("nsenter");
        command.arg(format!("--net=/proc/{}/ns/net", self.0.id())).args(words);
        command
    }

    /// Starts this program on the host.
    pub fn program(&self, words: &[&str]) -> Child {
        let this = std::env::current_exe().expect("this program has a path");
        let mut command = self.run(&[this.to_str().expect("its path is text")]);
        command.args(words).stdout(Stdio::piped()).spawn().expect("nsenter(1) is installed")
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ended_already = self.0.kill();
        let _ = self.0.wait();
    }
}
