//! The clients of a server: which are known, and which one is bound to a program.

use std::collections::BTreeMap;

use tonic::{Code, Status};
use weir_p4runtime_proto::bfrt::subscribe::Notifications;

use crate::outbox::Outbox;

/// A client with a stream.
#[derive(Debug)]
pub struct Client {
    /// The number of the device.
    pub device: u32,
    /// The messages that the client wants.
    pub wants: Notifications,
    /// The client's queue.
    pub outbox: Outbox,
    /// Whether the client is bound to the device's program.
    pub is_bound: bool,
}

/// The clients with streams, by the numbers that they chose.
#[derive(Debug)]
pub struct Sessions {
    clients: BTreeMap<u32, Client>,
    most: usize,
}

impl Sessions {
    /// Creates sessions for at most this number of clients.
    pub fn new(most: usize) -> Self {
        Self { clients: BTreeMap::new(), most }
    }

    /// Adds a client.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if another client has the number, `RESOURCE_EXHAUSTED` if there are too
    /// many clients.
    pub fn subscribe(&mut self, id: u32, client: Client) -> Result<(), Status> {
        if self.clients.contains_key(&id) {
            return Err(Status::invalid_argument(format!(
                "there is a client {id} already; choose another client_id"
            )));
        }
        if self.clients.len() >= self.most {
            let most = self.most;
            return Err(Status::resource_exhausted(format!("there are {most} clients, which is the most")));
        }
        self.clients.insert(id, client);
        Ok(())
    }

    /// Removes a client, which ends its binding.
    pub fn leave(&mut self, id: u32) {
        self.clients.remove(&id);
    }

    /// Binds a client to the program of its device. A program has at most one client.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the client has no stream, `ALREADY_EXISTS` if another client is bound to
    /// the program, `INVALID_ARGUMENT` if the client's stream is for another device.
    pub fn bind(&mut self, id: u32, device: u32) -> Result<(), Status> {
        let other = self
            .clients
            .iter()
            .find(|(other, client)| **other != id && client.is_bound && client.device == device);
        let other = other.map(|(other, _)| *other);
        let client = self.clients.get_mut(&id).ok_or_else(|| no_stream(id))?;
        if client.device != device {
            let own = client.device;
            return Err(Status::invalid_argument(format!("the client's stream is for the device {own}")));
        }
        if let Some(other) = other {
            return Err(Status::already_exists(format!("the client {other} is bound to the program")));
        }
        client.is_bound = true;
        Ok(())
    }

    /// Ends the binding of the client that is bound to the program of a device.
    pub fn unbind(&mut self, device: u32) {
        self.clients.values_mut().filter(|client| client.device == device).for_each(|client| {
            client.is_bound = false;
        });
    }

    /// Returns whether a client has a stream.
    pub fn has_stream(&self, id: u32) -> bool {
        self.clients.contains_key(&id)
    }

    /// Returns the device to whose program a client is bound.
    ///
    /// # Errors
    /// The client has no stream, or is not bound.
    pub fn bound(&self, id: u32) -> Result<u32, Status> {
        match self.clients.get(&id) {
            Some(client) if client.is_bound => Ok(client.device),
            Some(_) => Err(Status::new(
                Code::FailedPrecondition,
                format!("the client {id} is not bound: send SetForwardingPipelineConfig with BIND"),
            )),
            None => Err(no_stream(id)),
        }
    }

    /// Returns the clients of a device.
    pub fn of_device(&self, device: u32) -> impl Iterator<Item = &Client> {
        self.clients.values().filter(move |client| client.device == device)
    }

    /// Returns the number of messages that the clients have lost.
    pub fn lost(&self) -> u64 {
        self.clients.values().map(|client| client.outbox.lost()).sum()
    }

    /// Returns the number of clients.
    pub fn len(&self) -> usize {
        self.clients.len()
    }
}

fn no_stream(id: u32) -> Status {
    Status::unavailable(format!(
        "the client {id} has no stream: open StreamChannel and subscribe, or name the program (p4_name)"
    ))
}
