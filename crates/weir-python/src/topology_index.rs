//! Finds the nodes, addresses and links of a topology by name, address and end.

use pyo3::prelude::*;
use weir_topology::{Error, Index, end, name};

use crate::topology::{HostSpec, read};
use crate::topology_parts::Endpoint;
use crate::{errors, value};

/// The contents of a topology: names, addresses and ends of links, which must be unique.
#[pyclass]
#[derive(Default)]
pub struct TopologyIndex(Index);

fn topology(error: Error) -> PyErr {
    errors::topology(&error)
}

#[pymethods]
impl TopologyIndex {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Returns the number of hosts, of switches and of links.
    fn counts(&self) -> (usize, usize, usize) {
        self.0.counts()
    }

    /// Refuses a name for a new node that is already used, or that looks like a port or a command.
    fn check_name(&self, given: &Bound<'_, PyAny>) -> PyResult<()> {
        read(given, |given| name::check_new(given, &self.0).map(drop))
    }

    /// Adds a host, or replaces its state. If `check` is set, refuses a host without an IPv4
    /// address or with an address that is in use.
    fn add_host(&mut self, host: HostSpec<'_>, check: bool) -> PyResult<()> {
        let host = host.read()?;
        if check {
            return self.0.add_host(&host).map_err(topology);
        }
        self.0.place_host(&host);
        Ok(())
    }

    fn add_switch(&mut self, name: &str) {
        self.0.add_switch(name);
    }

    /// Adds a link and returns its number. If `check` is set, refuses a link if an end already has
    /// one, or if both ends are on one node.
    fn add_link(&mut self, a: Endpoint, b: Endpoint, check: bool) -> PyResult<usize> {
        let (a, b) = (a.into(), b.into());
        if check { self.0.add_link(&a, &b).map_err(topology) } else { Ok(self.0.place_link(&a, &b)) }
    }

    /// Returns the next free MAC address for a host.
    fn next_mac(&mut self) -> String {
        self.0.next_mac().to_string()
    }

    /// Reads one end of a link: its node, and the port of a switch or the interface of a host.
    fn read_end(&self, given: &Bound<'_, PyAny>) -> PyResult<Endpoint> {
        read(given, |given| end::read(given, &self.0)).map(Endpoint::from)
    }

    /// Returns the linked ports of a switch, in ascending order.
    fn ports(&self, switch: &str) -> Vec<u32> {
        self.0.ports(switch)
    }

    /// Returns the lowest port of a switch, from 1 on, that has no link.
    fn free_port(&self, switch: &str) -> PyResult<u32> {
        self.0.free_port(switch).map_err(topology)
    }

    /// Returns the number of the link between two nodes or ends, in either order.
    fn find_link(&self, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<usize> {
        let read = |given| end::read(&value::read(given)?, &self.0).map_err(topology);
        let (first, second) = (read(a)?, read(b)?);
        let texts: (String, String) = (a.extract()?, b.extract()?);
        self.0.find_link(&first, &second, [&texts.0, &texts.1]).map_err(topology)
    }

    /// Returns the number of the link at an end, or `None` if the end has no link.
    fn link_at(&self, end: Endpoint) -> Option<usize> {
        self.0.link_at(&end.into())
    }

    /// Returns the ends of a link.
    fn ends(&self, link: usize) -> Option<(Endpoint, Endpoint)> {
        self.0.ends(link).map(|(a, b)| (a.clone().into(), b.clone().into()))
    }
}
