//! The properties of tables that architectures add to P4's own: objects, and settings such as
//! time-outs.

use weir_ir::{ExternId, Program, PropertyValue, Table};

use crate::error::{LoadError, LoadWarning};

/// P4's own properties of tables.
const OWN: [&str; 7] =
    ["actions", "default_action", "entries", "key", "largest_priority_wins", "priority_delta", "size"];

/// The properties of an architecture's tables.
pub(in crate::arch) struct TableProperties {
    /// The name of the architecture, for messages.
    pub architecture: &'static str,
    /// The property for action profiles and selectors.
    pub implementation: ObjectProperty,
    /// The properties for direct counters, meters and registers.
    pub direct: &'static [ObjectProperty],
    /// The properties that have other values, and the kind of value of each.
    pub settings: &'static [(&'static str, Setting)],
}

/// A property whose value is an object.
pub(in crate::arch) struct ObjectProperty {
    pub name: &'static str,
    /// The types that the object can have.
    pub types: &'static [&'static str],
}

/// The value of a property that is not an object.
#[derive(Clone, Copy)]
pub(in crate::arch) enum Setting {
    /// True or false.
    Bool,
    /// A number.
    Number,
    /// A member of this enumeration, which has this number of members. Its first member switches
    /// the property off.
    Member(&'static str, u32),
    /// An action of the table, with arguments.
    Action,
}

impl ObjectProperty {
    /// Returns the types that the object may have, with an article.
    fn wanted(&self) -> String {
        let with_article = |name: &&str| {
            let is_vowel = name.starts_with(['a', 'e', 'i', 'o', 'u', 'A', 'E', 'I', 'O', 'U']);
            format!("{} {name}", if is_vowel { "an" } else { "a" })
        };
        self.types.iter().map(with_article).collect::<Vec<_>>().join(" or ")
    }
}

impl Setting {
    fn fits(self, value: &PropertyValue) -> bool {
        match self {
            Self::Bool => matches!(value, PropertyValue::Bool(_)),
            Self::Number => matches!(value, PropertyValue::Int(_)),
            Self::Member(_, members) => {
                matches!(value, PropertyValue::Int(member) if *member >= 0.into() && *member < members.into())
            }
            Self::Action => matches!(value, PropertyValue::Call(_)),
        }
    }

    fn wanted(self) -> String {
        match self {
            Self::Bool => "true or false".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Member(enumeration, _) => format!("a member of {enumeration}"),
            Self::Action => "an action of the table".to_owned(),
        }
    }
}

impl TableProperties {
    fn objects(&self) -> impl Iterator<Item = &ObjectProperty> + Clone {
        self.direct.iter().chain([&self.implementation])
    }

    /// Returns the names of all properties: P4's own and the architecture's.
    fn names(&self) -> Vec<&'static str> {
        let objects = self.objects().map(|property| property.name);
        let settings = self.settings.iter().map(|(name, _)| *name);
        let mut names: Vec<_> = OWN.into_iter().chain(objects).chain(settings).collect();
        names.sort_unstable();
        names
    }

    /// Makes the object of the architecture's property the implementation of its table.
    pub(in crate::arch) fn prepare(&self, program: &mut Program) {
        for table in program.tables.values_mut() {
            let position = table.attached.iter().position(|(name, _)| name == self.implementation.name);
            if let Some(position) = position.filter(|_| table.implementation.is_none()) {
                table.implementation = Some(table.attached.remove(position).1);
            }
        }
    }

    /// Refuses a table whose properties have wrong values.
    pub(in crate::arch) fn check(&self, program: &Program, table: &Table) -> Result<(), LoadError> {
        if let Some(object) = table.implementation {
            self.check_type(program, table, &self.implementation, object)?;
        }
        for (position, (name, object)) in table.attached.iter().enumerate() {
            self.check_attached(program, table, name, *object)?;
            let repeats = table.attached[..position].iter().any(|(earlier, _)| earlier == name);
            if repeats || name == self.implementation.name {
                let kind = &program.externs[*object].kind;
                let problem = format!(
                    "`{name}` of table `{}` names several objects, but a table has one {kind}",
                    table.name
                );
                return Err(LoadError::malformed(program, table.property_loc(name), problem));
            }
        }
        let property_error = |name: &str, wanted: &str| {
            let problem = format!("`{name}` of table `{}` must be {wanted}", table.name);
            Err(LoadError::malformed(program, table.property_loc(name), problem))
        };
        for (name, value) in &table.properties {
            // Objects are in `implementation` and `attached`.
            if let Some(property) = self.objects().find(|property| property.name == name) {
                return property_error(name, &property.wanted());
            }
            let setting = self.settings.iter().find(|(known, _)| known == name);
            if let Some((_, setting)) = setting.filter(|(_, setting)| !setting.fits(value)) {
                return property_error(name, &setting.wanted());
            }
        }
        Ok(())
    }

    fn check_type(
        &self,
        program: &Program,
        table: &Table,
        property: &ObjectProperty,
        object: ExternId,
    ) -> Result<(), LoadError> {
        let (kind, name) = (&program.externs[object].kind, property.name);
        if property.types.contains(&kind.as_str()) {
            return Ok(());
        }
        let problem =
            format!("`{name}` of table `{}` must be {}, not a {kind}", table.name, property.wanted());
        Err(LoadError::malformed(program, table.property_loc(name), problem))
    }

    /// Checks that the property exists, that the object has its type, and that a direct object
    /// belongs to this table alone.
    fn check_attached(
        &self,
        program: &Program,
        table: &Table,
        name: &str,
        object: ExternId,
    ) -> Result<(), LoadError> {
        let kind = &program.externs[object].kind;
        let Some(property) = self.objects().find(|property| property.name == name) else {
            let feature = format!("`{name}` of table `{}` ({kind})", table.name);
            let help = match weir_suggest::nearest(name, self.objects().map(|property| property.name)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None if self.direct.is_empty() => format!("{}'s tables have no objects", self.architecture),
                None => {
                    let known =
                        self.direct.iter().map(|known| format!("`{}`, {}", known.name, known.wanted()));
                    format!(
                        "{}'s tables have {}",
                        self.architecture,
                        known.collect::<Vec<_>>().join(", and ")
                    )
                }
            };
            return Err(LoadError::unsupported(program, table.property_loc(name), feature, Some(help)));
        };
        self.check_type(program, table, property, object)?;
        let attached = |other: &&Table| other.attached.iter().any(|(_, of_other)| *of_other == object);
        let mut tables = program.tables.values().filter(attached).map(|other| &other.name);
        match (tables.next(), tables.next()) {
            (Some(first), Some(second)) if name != self.implementation.name => {
                let problem = format!(
                    "the {kind} `{}` has a cell for each entry of one table, but tables `{first}` and `{second}` both \
                     name it",
                    program.externs[object].name
                );
                Err(LoadError::malformed(program, table.property_loc(name), problem))
            }
            _ => Ok(()),
        }
    }

    /// Warns of properties that neither P4 nor the architecture has, and of settings without
    /// effect.
    pub(in crate::arch) fn warnings(&self, program: &Program, table: &Table) -> Vec<LoadWarning> {
        let names = self.names();
        let unknown = table.properties.iter().filter(|(name, _)| !names.contains(&name.as_str()));
        let unknown = unknown.map(|(name, _)| {
            let message = format!("the property `{name}` of table `{}` has no effect", table.name);
            let help = match weir_suggest::nearest(name, names.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("{}'s tables have: {}", self.architecture, names.join(", ")),
            };
            LoadWarning::new(program, LoadWarning::UNKNOWN_PROPERTY, table.property_loc(name), message, help)
        });
        let settings = table.properties.iter().filter(|(name, _)| self.is_setting(name));
        let ignored = settings.filter_map(|(name, value)| self.without_entries(program, table, name, value));
        unknown.chain(ignored).collect()
    }

    fn is_setting(&self, name: &str) -> bool {
        self.settings.iter().any(|(known, _)| *known == name)
    }

    /// Returns whether members of the table's implementation form groups. In a program that is not
    /// prepared yet, the implementation is still among the attached objects.
    fn has_groups(&self, program: &Program, table: &Table) -> bool {
        let attached = table.attached.iter().filter(|(name, _)| name == self.implementation.name);
        let mut objects = attached.map(|(_, object)| *object).chain(table.implementation);
        objects.any(|object| program.externs[object].kind.ends_with("Selector"))
    }

    /// Warns of time-outs and other settings of entries that have no effect: a table without a key
    /// has no entries, and `const entries` have no time-outs and are the only entries of their
    /// table.
    fn without_entries(
        &self,
        program: &Program,
        table: &Table,
        name: &str,
        value: &PropertyValue,
    ) -> Option<LoadWarning> {
        let is_off = matches!(value, PropertyValue::Bool(false)) || *value == PropertyValue::Int(0.into());
        let help = if table.keys.is_empty() {
            "a table without a key has no entries"
        } else if matches!(value, PropertyValue::Call(_)) {
            if self.has_groups(program, table) {
                return None;
            }
            "a table without an action selector has no groups"
        } else if table.const_entries && !is_off {
            "controllers give entries time-outs, and cannot add entries to `const entries`"
        } else {
            return None;
        };
        let message = format!("`{name}` of table `{}` has no effect", table.name);
        let (id, loc) = (LoadWarning::IGNORED_PROPERTY, table.property_loc(name));
        Some(LoadWarning::new(program, id, loc, message, help.to_owned()))
    }
}
