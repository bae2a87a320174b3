//! Reads the file that maps the names in clients' certificates to roles, devices and rights.
//!
//! ```json
//! {"clients": [
//!     {"names": ["routing.example.org"], "rights": ["read", "write", "pipeline", "packet-io", "primary"]},
//!     {"names": ["*.monitor.example.org"], "roles": ["telemetry"], "devices": [1, 2], "rights": ["read"]}
//! ]}
//! ```

use tonic::Status;
use weir_grpc::Peer;
use weir_json::{Diagnostic, Document, Mistakes, Node};

use crate::sessions::{MAX_NAME, RoleName};

/// A right of a client in a role on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Read entities and the program; receive digests and notices of idle entries.
    Read,
    /// Change entities.
    Write,
    /// Change the program.
    Pipeline,
    /// Send and receive packets.
    PacketIo,
    /// Bid with an election id, which can make the client primary.
    Primary,
}

/// The names of the rights in files, and their descriptions in messages.
const RIGHTS: [(&str, Right, &str); 5] = [
    ("read", Right::Read, "read"),
    ("write", Right::Write, "write"),
    ("pipeline", Right::Pipeline, "change the program"),
    ("packet-io", Right::PacketIo, "send packets"),
    ("primary", Right::Primary, "bid with an election id"),
];

/// The maximum number of devices that a warning lists.
const MAX_SHOWN_DEVICES: usize = 8;

/// The rights of all clients. A client has the rights of every entry that has one of its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permissions(Vec<Entry>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    names: Vec<Pattern>,
    roles: Vec<RoleName>,
    /// The devices, each with its place in the file; `None` means all devices.
    devices: Option<Vec<(u64, Diagnostic)>>,
    rights: Vec<Right>,
}

/// A DNS name in lower case, or a wildcard for all names with one more label.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Pattern {
    Exact(String),
    OneLabelBelow(String),
}

impl Permissions {
    /// Reads a file.
    ///
    /// # Errors
    /// The file has mistakes. The error lists all of them.
    pub fn read(file: &str, text: &str) -> Result<Self, Mistakes> {
        let document = Document::parse(file, text)?;
        let mut object = document.root().object(&["clients"]);
        let entries = object.required("clients", |clients| non_empty_list(clients, Entry::read));
        object.finish(|| entries.map(Self))
    }

    /// Returns warnings about devices in the file that are not among these, with their places.
    pub fn warnings(&self, devices: &[u64]) -> Vec<Diagnostic> {
        let numbers: Vec<_> = devices.iter().take(MAX_SHOWN_DEVICES).map(u64::to_string).collect();
        let more = if devices.len() > MAX_SHOWN_DEVICES { ", ..." } else { "" };
        let named = self.0.iter().filter_map(|entry| entry.devices.as_ref()).flatten();
        let unknown = named.filter(|(device, _)| !devices.contains(device));
        let warn = |(device, place): &(u64, Diagnostic)| {
            let message =
                format!("the server has no device {device}, only the devices {}{more}", numbers.join(", "));
            Diagnostic { message, ..place.clone() }
        };
        unknown.map(warn).collect()
    }

    /// Returns the entries that contain a name of the peer's certificate.
    fn entries(&self, peer: &Peer) -> impl Iterator<Item = &Entry> {
        let has_name =
            |entry: &&Entry| entry.names.iter().any(|name| peer.names().iter().any(|other| name.has(other)));
        self.0.iter().filter(has_name)
    }

    /// Checks that a client has an entry.
    ///
    /// # Errors
    /// The client has no entry, so it has no rights.
    pub fn admit(&self, peer: &Peer) -> Result<(), Status> {
        if self.entries(peer).next().is_some() {
            return Ok(());
        }
        let why = match peer.names() {
            [] => "its certificate has no DNS name (subjectAltName)".to_owned(),
            _ => format!("no entry has a name of its certificate: {}", peer.shown_names()),
        };
        Err(Status::permission_denied(format!("the server's file of roles does not list this client: {why}")))
    }

    /// Returns whether a client has a right on a device in a role, or in any role if `role` is
    /// `None`. If `right` is `None`, returns whether the client may take part in the role.
    pub fn has(&self, peer: &Peer, device: u64, role: Option<&RoleName>, right: Option<Right>) -> bool {
        self.entries(peer).any(|entry| {
            entry.devices.as_ref().is_none_or(|devices| devices.iter().any(|(known, _)| *known == device))
                && role.is_none_or(|role| entry.roles.contains(role))
                && right.is_none_or(|right| entry.rights.contains(&right))
        })
    }

    /// Checks that [`Permissions::has`] returns true.
    ///
    /// # Errors
    /// The client lacks the right. The message names the right.
    pub fn check(
        &self,
        peer: &Peer,
        device: u64,
        role: Option<&RoleName>,
        right: Option<Right>,
    ) -> Result<(), Status> {
        if self.has(peer, device, role, right) {
            return Ok(());
        }
        let what = RIGHTS.iter().find(|(_, known, _)| Some(*known) == right);
        let what = what.map_or("take part", |(_, _, what)| *what);
        let role = role.map_or_else(String::new, |role| format!(" in {role}"));
        Err(Status::permission_denied(format!(
            "the server's file of roles does not let {} {what}{role} on device {device}",
            peer.shown_names()
        )))
    }
}

/// Reads a list, which must not be empty.
fn non_empty_list<T, E: Into<Mistakes>>(
    list: Node<'_>,
    read: impl FnMut(Node<'_>) -> Result<T, E>,
) -> Result<Vec<T>, Mistakes> {
    let read = list.list(read)?;
    if read.is_empty() { Err(list.error("the list is empty").into()) } else { Ok(read) }
}

impl Entry {
    fn read(node: Node<'_>) -> Result<Self, Mistakes> {
        let mut object = node.object(&["names", "roles", "devices", "rights"]);
        let names = object.required("names", |names| non_empty_list(names, Pattern::read));
        let roles =
            object.optional_or("roles", vec![RoleName::Default], |roles| non_empty_list(roles, read_role));
        let device = |device: Node<'_>| {
            Ok::<_, Diagnostic>((device.integer("the number of a device", 0, u64::MAX)?, device.error("")))
        };
        let devices =
            object.optional_or("devices", None, |devices| non_empty_list(devices, device).map(Some));
        let rights = object.required("rights", |rights| non_empty_list(rights, Right::read));
        object.finish(|| Some(Self { names: names?, roles: roles?, devices: devices?, rights: rights? }))
    }
}

fn read_role(node: Node<'_>) -> Result<RoleName, Diagnostic> {
    let name = node.text("the name of a role; \"\" is the default role")?;
    if name.len() > MAX_NAME {
        return Err(node.error(format!("a role's name has at most {MAX_NAME} bytes")));
    }
    Ok(RoleName::new(name, 0))
}

impl Right {
    fn read(node: Node<'_>) -> Result<Self, Diagnostic> {
        let text = node.text("a right")?;
        let right_of_name = RIGHTS.iter().find(|(name, ..)| *name == text);
        right_of_name.map(|(_, right, _)| *right).ok_or_else(|| {
            let names = || RIGHTS.iter().map(|(name, ..)| *name);
            let near = weir_suggest::nearest(text, names()).map(str::to_owned);
            let all: Vec<_> = names().map(|name| format!("{name:?}")).collect();
            node.error_with_suggestion(
                format!("there is no right {text:?}; expected {}", all.join(", ")),
                near,
            )
        })
    }
}

impl Pattern {
    fn read(node: Node<'_>) -> Result<Self, Diagnostic> {
        let text = node.text("a DNS name")?;
        let name = text.to_ascii_lowercase();
        let (pattern, labels) = match name.strip_prefix("*.") {
            Some(below) => (Self::OneLabelBelow(below.to_owned()), below),
            None => (Self::Exact(name.clone()), name.as_str()),
        };
        let why = match &pattern {
            _ if labels.contains('*') => "`*` stands for the whole first label: *.example.org",
            Self::OneLabelBelow(below) if !below.contains('.') => "`*` needs at least two labels after it",
            _ if is_address(labels) => "it is an IP address, and only DNS names of certificates count",
            _ if !is_dns_name(labels) => {
                "expected one such as controller.example.org or *.example.org, in ASCII"
            }
            _ => return Ok(pattern),
        };
        Err(node.error(format!("{text:?} is not a name for clients: {why}")))
    }

    /// Returns whether this pattern matches a name in a certificate. It does not match a wildcard
    /// in a certificate: each certificate must name its own client.
    fn has(&self, name: &str) -> bool {
        let name = name.strip_suffix('.').unwrap_or(name);
        match self {
            Self::Exact(exact) => name.eq_ignore_ascii_case(exact),
            Self::OneLabelBelow(below) => name.split_once('.').is_some_and(|(label, rest)| {
                !label.is_empty() && !label.contains('*') && rest.eq_ignore_ascii_case(below)
            }),
        }
    }
}

/// Returns whether a text looks like an IP address: the last label of a DNS name is not a number
/// (RFC 3696, section 2).
fn is_address(text: &str) -> bool {
    let text = text.trim_end_matches('.').trim_matches(['[', ']']);
    let last = text.rsplit('.').next().unwrap_or_default();
    text.parse::<std::net::IpAddr>().is_ok()
        || !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a text consists of labels of letters, digits, hyphens and underscores, with dots
/// between them (RFC 1123, section 2.1).
fn is_dns_name(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.len() <= 253 && text.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Result<Pattern, String> {
        let text = serde_json::Value::from(text).to_string();
        let document = Document::parse("roles.json", text).map_err(|error| error.to_string())?;
        Pattern::read(document.root()).map_err(|error| error.to_string())
    }

    #[test]
    fn wildcards_stand_for_one_label() {
        for (of, name, expected) in [
            ("a.example.org", "a.example.org", true),
            ("A.Example.ORG", "a.exaMple.org.", true),
            ("a.example.org", "b.example.org", false),
            ("*.example.org", "a.example.org", true),
            ("*.example.org", "a.b.example.org", false),
            ("*.example.org", "example.org", false),
            ("*.example.org", ".example.org", false),
            ("*.example.org", "*.example.org", false),
            ("*.example.org", "a*.example.org", false),
            ("*.example.org", "a.example.org.evil.net", false),
            ("localhost", "localhost", true),
        ] {
            assert_eq!(pattern(of).unwrap().has(name), expected, "{of} {name}");
        }
    }

    #[test]
    fn names_that_are_none_are_refused() {
        let long = "a".repeat(64);
        for (text, expected) in [
            ("*", "`*` stands for"),
            ("*.org", "two labels after it"),
            ("a.*.org", "`*` stands for"),
            ("a*.example.org", "`*` stands for"),
            ("10.0.0.1", "it is an IP address"),
            ("10.0.0.1.", "it is an IP address"),
            ("010.0.0.1", "it is an IP address"),
            ("*.0.0.1", "it is an IP address"),
            ("::1", "it is an IP address"),
            ("[::1]", "it is an IP address"),
            ("", "expected one such as"),
            ("a..b", "expected one such as"),
            ("a b", "expected one such as"),
            ("-a.org", "expected one such as"),
            ("bücher.example", "in ASCII"),
            ("a\u{1b}[31m.org", "\"a\\u{1b}[31m.org\" is not a name"),
            (&long, "expected one such as"),
        ] {
            let error = pattern(text).unwrap_err();
            assert!(error.starts_with("roles.json:1:1: ") && error.contains(expected), "{error}");
        }
    }

    #[test]
    fn devices_that_do_not_exist_are_warned_of() {
        let text = "{\"clients\": [\n{\"names\": [\"a.org\"], \"devices\": [1, 7], \"rights\": [\"read\"]},\n\
                    {\"names\": [\"b.org\"], \"devices\": [3], \"rights\": [\"read\"]},\n\
                    {\"names\": [\"c.org\"], \"rights\": [\"read\"]}]}";
        let permissions = Permissions::read("roles.json", text).unwrap();
        let warnings = |devices: &[u64]| {
            permissions.warnings(devices).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(
            warnings(&[1, 2]),
            [
                "roles.json:2:37: $.clients[0].devices[1]: the server has no device 7, only the devices 1, 2",
                "roles.json:3:34: $.clients[1].devices[0]: the server has no device 3, only the devices 1, 2",
            ]
        );
        assert!(warnings(&[1, 3, 7]).is_empty());
        let many: Vec<u64> = (10..100).collect();
        assert!(warnings(&many)[0].ends_with("only the devices 10, 11, 12, 13, 14, 15, 16, 17, ..."));
    }

    #[test]
    fn all_mistakes_of_a_file_have_their_places() {
        let text = r#"{"clients": [
            {"names": ["a.org"], "rights": ["read", "wirte"]},
            {"name": ["b.org"], "rights": ["read"], "devices": ["1"]},
            {"names": [], "roles": [7], "rights": []},
            7
        ], "client": 1}"#;
        let error = Permissions::read("roles.json", text).unwrap_err().to_string();
        for expected in [
            "$.clients[0].rights[1]: there is no right \"wirte\"",
            "did you mean \"write\"?",
            "$.clients[1].name: unknown key",
            "$.clients[1].devices[0]: expected the number of a device",
            "$.clients[2].names: the list is empty",
            "$.clients[2].roles[0]: expected the name of a role",
            "$.clients[2].rights: the list is empty",
            "$.clients[3]",
            "$.client",
        ] {
            assert!(error.contains(expected), "{expected} in {error}");
        }
        for text in ["", "[]", "{}", r#"{"clients": []}"#, r#"{"clients": {}}"#] {
            assert!(Permissions::read("roles.json", text).is_err(), "{text}");
        }
    }
}
