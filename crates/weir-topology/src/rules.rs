//! The rules of the network that will run a topology.

use weir_json::Diagnostic;
use weir_json::Node;

use crate::{Error, Host};

/// The rules of the network that will run a topology, in the network's words.
pub trait NetworkRules {
    /// Checks a line of `tc`; see [`CheckTc`](crate::CheckTc).
    ///
    /// # Errors
    /// The line is not understood.
    fn tc(&self, line: &str) -> Result<Option<String>, String>;

    /// Refuses a host that the network would refuse, with all its settings and disciplines.
    ///
    /// # Errors
    /// The network refuses the host; the error says why.
    fn host(&self, host: &Host) -> Result<(), String>;

    /// Refuses the name of a timing profile that the network does not have.
    ///
    /// # Errors
    /// There is no profile of this name.
    fn profile(&self, name: &str) -> Result<(), Error>;
}

/// The states of a host while a document describes it: one state after each part of the
/// description.
#[derive(Default)]
pub(crate) struct HostStates<'d>(Vec<(Node<'d>, Host)>);

impl<'d> HostStates<'d> {
    /// Adds the state of the host after a part of the document.
    pub(crate) fn add(&mut self, part: Node<'d>, host: &Host) {
        self.0.push((part, host.clone()));
    }

    /// Refuses the last state of the host if the network would refuse it. The mistake is at the
    /// part from which on the network refuses all states: a later part can correct an earlier one.
    pub(crate) fn check(&self, rules: &dyn NetworkRules) -> Result<(), Diagnostic> {
        let Some((_, last)) = self.0.last() else { return Ok(()) };
        let Err(reason) = rules.host(last) else { return Ok(()) };
        let refused = self.0.iter().rev().take_while(|(_, host)| rules.host(host).is_err());
        match refused.last() {
            Some((part, _)) => Err(part.error(reason)),
            None => Ok(()),
        }
    }
}
