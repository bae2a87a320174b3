//! Converts types of P4Info, and resolves the names of other types in them.

use rustc_hash::FxHashMap;
use weir_ir::Program;
use weir_switch::p4info::{MAPPINGS, TextNames};

use super::data_type::DataType;
use super::field::Field;
use super::translation::{TextType, Translation};
use crate::proto::config::p4_new_type_translation::SdnType;
use crate::proto::config::{self, p4_bitstring_like_type_spec, p4_data_type_spec, p4_new_type_spec};
use crate::translated::{is_port_type, text_names, translation};

/// The maximum nesting depth of types.
const MAX_DEPTH: usize = 16;
/// The maximum number of values in a type.
const MAX_PARTS: usize = 4096;

/// The named types of a P4Info.
pub(super) struct Types<'a> {
    info: Option<&'a config::P4TypeInfo>,
    /// The positions of the types whose values are texts, by name.
    texts: FxHashMap<&'a str, usize>,
}

impl<'a> Types<'a> {
    pub fn new(info: Option<&'a config::P4TypeInfo>) -> Self {
        let translated = info.into_iter().flat_map(|info| info.new_types.iter());
        let is_text = |spec: &config::P4NewTypeSpec| {
            matches!(translation(spec).and_then(|found| found.sdn_type.as_ref()), Some(SdnType::SdnString(_)))
        };
        let texts = translated.filter(|(_, spec)| is_text(spec)).enumerate();
        Self { info, texts: texts.map(|(position, (name, _))| (name.as_str(), position)).collect() }
    }

    /// Returns the types whose values are texts, in the order of their positions. Their names come
    /// from the P4Info, or otherwise from the program. A type is a type of ports if `packet_in` or
    /// `packet_out` uses it, or otherwise if it has the name of a port type.
    pub fn text_types(
        &self,
        p4info: &config::P4Info,
        program: &Program,
        problems: &mut Vec<String>,
    ) -> Vec<TextType> {
        let mut types = vec![TextType::default(); self.texts.len()];
        for (name, place) in &self.texts {
            let spec = self.info.and_then(|info| info.new_types.get(*name));
            let declared = || program.declared.values().find(|declared| declared.name == *name);
            let names = match spec.and_then(text_names) {
                Some(names) => names.map(Some),
                None => {
                    declared().map_or(Ok(None), |declared| TextNames::from_annotations(&declared.annotations))
                }
            };
            let names = names.unwrap_or_else(|problem| {
                problems.push(format!("`@{MAPPINGS}` of the type `{name}`: {problem}"));
                None
            });
            let uri = spec.and_then(translation).map_or("", |found| found.uri.as_str());
            types[*place] = TextType {
                name: (*name).to_owned(),
                names: names.unwrap_or_default(),
                is_port: is_port_type(uri) || is_port_type(name),
            };
        }
        let headers = p4info.controller_packet_metadata.iter().flat_map(|header| &header.metadata);
        let sent: Vec<&str> =
            headers.filter_map(|field| Some(field.type_name.as_ref()?.name.as_str())).collect();
        if types.iter().any(|ty| ty.is_port && sent.contains(&ty.name.as_str())) {
            types.iter_mut().for_each(|ty| ty.is_port &= sent.contains(&ty.name.as_str()));
        }
        problems.sort();
        types
    }

    /// Returns the translation of a named type. If the type is translated, also returns its width
    /// for controllers.
    pub fn translation(&self, name: Option<&config::P4NamedType>) -> (Translation, Option<u32>) {
        let spec = name.and_then(|name| Some((name, self.info?.new_types.get(&name.name)?)));
        let Some((name, spec)) = spec else { return (Translation::None, None) };
        let Some(found) = translation(spec) else { return (Translation::None, None) };
        match &found.sdn_type {
            Some(SdnType::SdnBitwidth(width)) => {
                let ports = is_port_type(&found.uri) || is_port_type(&name.name);
                let translation = if ports { Translation::Ports } else { Translation::Number };
                (translation, u32::try_from(*width).ok())
            }
            Some(SdnType::SdnString(_)) => match self.texts.get(name.name.as_str()) {
                Some(map) => (Translation::Text(*map), Some(0)),
                None => (Translation::None, None),
            },
            None => (Translation::None, None),
        }
    }

    /// Converts a type, including all types that it names.
    pub fn data_type(&self, spec: Option<&config::P4DataTypeSpec>) -> Result<DataType, String> {
        let mut parts = 0;
        self.data_type_within(spec, 0, &mut parts)
    }

    /// Returns the names of the members of a struct.
    pub fn member_names(&self, spec: Option<&config::P4DataTypeSpec>) -> Vec<String> {
        let name = match spec.and_then(|spec| spec.type_spec.as_ref()) {
            Some(p4_data_type_spec::TypeSpec::Struct(name)) => &name.name,
            _ => return Vec::new(),
        };
        let declared = self.info.and_then(|info| info.structs.get(name));
        declared
            .into_iter()
            .flat_map(|declared| &declared.members)
            .map(|member| member.name.clone())
            .collect()
    }

    fn data_type_within(
        &self,
        spec: Option<&config::P4DataTypeSpec>,
        depth: usize,
        parts: &mut usize,
    ) -> Result<DataType, String> {
        use p4_data_type_spec::TypeSpec as T;
        *parts += 1;
        if depth > MAX_DEPTH || *parts > MAX_PARTS {
            return Err("its type contains too many others".to_owned());
        }
        let spec = spec.and_then(|spec| spec.type_spec.as_ref()).ok_or("it has no type")?;
        let info = || self.info.ok_or("the P4Info has no `type_info`".to_owned());
        let named = |kind: &str, name: &str| format!("`type_info` has no {kind} `{name}`");
        match spec {
            T::Bitstring(spec) => {
                let (width, signed) = bitstring(spec)?;
                Ok(if signed { DataType::Int(width) } else { DataType::Bits(width) })
            }
            T::Bool(_) => Ok(DataType::Bool),
            T::Tuple(tuple) => {
                let members = tuple.members.iter();
                let members = members.map(|member| self.data_type_within(Some(member), depth + 1, parts));
                Ok(DataType::Tuple(members.collect::<Result<_, _>>()?))
            }
            T::Struct(name) => {
                let declared = info()?.structs.get(&name.name).ok_or_else(|| named("struct", &name.name))?;
                let members = declared.members.iter();
                let members =
                    members.map(|member| self.data_type_within(member.type_spec.as_ref(), depth + 1, parts));
                Ok(DataType::Struct(members.collect::<Result<_, _>>()?))
            }
            T::Header(name) => {
                let declared = info()?.headers.get(&name.name).ok_or_else(|| named("header", &name.name))?;
                let field = |member: &config::p4_header_type_spec::Member| {
                    bitstring(member.type_spec.as_ref().ok_or("a field has no type")?)
                };
                *parts += declared.members.len();
                Ok(DataType::Header(declared.members.iter().map(field).collect::<Result<_, String>>()?))
            }
            T::SerializableEnum(name) => {
                let declared = info()?.serializable_enums.get(&name.name);
                let declared = declared.ok_or_else(|| named("serializable enum", &name.name))?;
                let width = declared.underlying_type.as_ref().map_or(0, |spec| spec.bitwidth);
                Ok(DataType::EnumValue(positive(width)?))
            }
            T::Enum(name) => {
                let declared = info()?.enums.get(&name.name).ok_or_else(|| named("enum", &name.name))?;
                let members = declared.members.iter().map(|member| member.name.clone()).collect();
                Ok(DataType::Enum { members, bits: 32, error: false })
            }
            T::Error(_) => {
                let members = info()?.error.as_ref().map(|error| error.members.clone()).unwrap_or_default();
                Ok(DataType::Enum { members, bits: 32, error: true })
            }
            T::NewType(name) => {
                let declared = info()?.new_types.get(&name.name).ok_or_else(|| named("type", &name.name))?;
                match &declared.representation {
                    Some(p4_new_type_spec::Representation::OriginalType(original)) => {
                        self.data_type_within(Some(original), depth + 1, parts)
                    }
                    _ => {
                        let (translation, width) = self.translation(Some(name));
                        let width = width.ok_or_else(|| format!("the type `{}` has no width", name.name))?;
                        let name = name.name.clone();
                        let field = Field { id: 0, name, width, bits: width, translation };
                        Ok(DataType::Translated(Box::new(field)))
                    }
                }
            }
            T::HeaderUnion(_) | T::HeaderStack(_) | T::HeaderUnionStack(_) => {
                Err("header stacks and header unions cannot be read or written as data".to_owned())
            }
        }
    }
}

/// Checks that a width is positive.
fn positive(width: i32) -> Result<u32, String> {
    u32::try_from(width).ok().filter(|width| *width != 0).ok_or_else(|| format!("{width} is not a width"))
}

/// Returns the width of a number in bits, and whether the number is signed.
fn bitstring(spec: &config::P4BitstringLikeTypeSpec) -> Result<(u32, bool), String> {
    use p4_bitstring_like_type_spec::TypeSpec as T;
    match &spec.type_spec {
        Some(T::Bit(spec)) => Ok((positive(spec.bitwidth)?, false)),
        Some(T::Int(spec)) => Ok((positive(spec.bitwidth)?, true)),
        Some(T::Varbit(_)) => Err("varbits cannot be read or written as data".to_owned()),
        None => Err("a number has no width".to_owned()),
    }
}
