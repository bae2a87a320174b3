//! The servers of a flow.

use std::fmt;

use crate::Error;

/// The hosts that may receive traffic: one, or several if a data plane selects one of them. Results
/// refer to them by their index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerHosts(Vec<String>);

impl ServerHosts {
    /// Returns the names of the hosts, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Checks that there are servers, and no host twice.
    pub(super) fn check(&self) -> Result<(), Error> {
        let refused = |reason| Err(Error::BadApp { app: "servers", reason });
        if self.0.is_empty() {
            return refused("no host; expected at least one server".to_owned());
        }
        match self.0.iter().enumerate().find(|(place, name)| self.0[..*place].contains(name)) {
            Some((_, name)) => refused(format!("{name} is named twice; expected each host once")),
            None => Ok(()),
        }
    }
}

impl fmt::Display for ServerHosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", "))
    }
}

impl From<&str> for ServerHosts {
    fn from(name: &str) -> Self {
        ServerHosts(vec![name.to_owned()])
    }
}

impl From<&String> for ServerHosts {
    fn from(name: &String) -> Self {
        ServerHosts(vec![name.clone()])
    }
}

impl From<Vec<String>> for ServerHosts {
    fn from(names: Vec<String>) -> Self {
        ServerHosts(names)
    }
}

impl<const N: usize> From<[&str; N]> for ServerHosts {
    fn from(names: [&str; N]) -> Self {
        ServerHosts(names.map(str::to_owned).to_vec())
    }
}
