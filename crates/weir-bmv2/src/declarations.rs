//! Header types, headers, stacks and unions, and the metadata.

use std::collections::{BTreeMap, BTreeSet};

use weir_ir::program::{HeaderId, Program, Stack, StackId, Storage as ParamStorage, Var, VarId, VarRole};
use weir_ir::{Annotation, AnnotationArg, AnnotationForm, AnnotationValue, HeaderField, HeaderType, Id, Loc};
use weir_ir::{MAX_VARBIT, MAX_WIDTH, Type};
use weir_json::{Kind, Node};

use crate::input::{Result, declare, flag, id, list, name, read_exactly, read_typed, unknown};
use crate::reader::{Reader, unsupported};
use crate::storage::{Instance, STANDARD, Union, UnionStack};

/// Other header instances whose fields belong to the standard metadata.
const INTRINSIC: [&str; 3] = [STANDARD, "queueing_metadata", "intrinsic_metadata"];

/// The fields of v1model's standard metadata.
const STANDARD_FIELDS: [&str; 16] = [
    "ingress_port",
    "egress_spec",
    "egress_port",
    "instance_type",
    "packet_length",
    "enq_timestamp",
    "enq_qdepth",
    "deq_timedelta",
    "deq_qdepth",
    "ingress_global_timestamp",
    "egress_global_timestamp",
    "mcast_grp",
    "egress_rid",
    "checksum_error",
    "parser_error",
    "priority",
];

impl<'d> Reader<'d> {
    /// Reads all data that the document declares.
    pub(crate) fn read_storage(&mut self) -> Result<()> {
        let types = self.header_types()?;
        let mut by_id = BTreeMap::new();
        for node in list(self.root, "headers")? {
            let name = name(node, "a header's name")?;
            let ty = node.require("header_type")?;
            let type_name = ty.text("a header type's name")?;
            let type_names = types.keys().map(String::as_str);
            let ty =
                *types.get(type_name).ok_or_else(|| unknown(ty, "header type", type_name, type_names))?;
            let instance =
                if flag(node, "metadata", false)? { self.metadata(name, ty) } else { self.header(name, ty) };
            if let Some(header) = instance.header {
                declare(&mut by_id, id(node)?, header, node, "headers with the id")?;
            }
            declare(&mut self.storage.instances, name.to_owned(), instance, node, "headers")?;
        }
        self.stacks(&by_id)?;
        self.unions(&by_id)?;
        for node in list(self.root, "field_aliases")? {
            let [alias, target] = read_exactly(node, "an alias: a name and a field")?;
            let var = self.field_of(target)?;
            let name = alias.text("the name of a field")?.to_owned();
            declare(&mut self.storage.aliases, name, var, alias, "aliases")?;
        }
        self.field_lists()
    }

    fn header_types(&mut self) -> Result<BTreeMap<String, Id<HeaderType>>> {
        let mut types = BTreeMap::new();
        for node in list(self.root, "header_types")? {
            let name = name(node, "a header type's name")?;
            let (mut fields, mut fixed) = (Vec::new(), 0u64);
            let mut varbit = None;
            for field in node.require("fields")?.items()? {
                let parts: Vec<_> = field.items()?.collect();
                let [field_name, width, rest @ ..] = &parts[..] else {
                    return Err(
                        field.error("expected a field: its name, its width, and whether it is signed")
                    );
                };
                let signed = match rest {
                    // p4c writes 0 for fields of type bool.
                    [signed] if matches!(&signed.value().kind, Kind::Number(number) if number == "0") => {
                        false
                    }
                    [signed] => signed.flag()?,
                    [] => false,
                    [_, more, ..] => return Err(more.expected("the end of the field")),
                };
                if matches!(&width.value().kind, Kind::Text(text) if text == "*") {
                    if varbit.replace(fields.len()).is_some() {
                        return Err(field.error("a header type has two fields of variable length"));
                    }
                    fields.push((*field_name, Type::Varbit { max: 0 }));
                    continue;
                }
                let width = width.integer("the width of a field in bits", 0, u64::from(MAX_WIDTH))? as u32;
                fixed += u64::from(width);
                fields.push((*field_name, Type::Bits { width, signed }));
            }
            if let Some(position) = varbit {
                let bytes = node.require("max_length")?;
                let most = u64::from(MAX_VARBIT / 8) + fixed / 8;
                let bits = bytes.integer("the header's largest size in bytes", 0, most)? * 8;
                let max = bits.checked_sub(fixed).ok_or_else(|| {
                    bytes.error(format!("the header's other fields have {fixed} bits, more than {bits}"))
                })?;
                fields[position].1 = Type::Varbit { max: max as u32 };
            }
            let field = |(name, ty): (Node<'_>, Type)| {
                let name = name.text("a field's name")?.to_owned();
                Ok(HeaderField { name, ty, declared: None, annotations: Vec::new() })
            };
            let fields = fields.into_iter().map(field).collect::<Result<Vec<_>>>()?;
            let ty = HeaderType { name: name.to_owned(), fields, annotations: Vec::new() };
            let ty = self.program.header_types.push(ty);
            declare(&mut types, name.to_owned(), ty, node, "header types")?;
        }
        Ok(types)
    }

    /// Adds a header and its variables.
    fn header(&mut self, name: &str, ty: Id<HeaderType>) -> Instance {
        let id = self.program.add_header(name, ty, Loc::NONE);
        let names = self.program.header_types[ty].fields.iter().map(|field| field.name.clone());
        let fields = names.zip(self.program.headers[id].fields.iter().copied()).collect();
        Instance { header: Some(id), fields }
    }

    /// Adds a metadata instance, whose fields become variables.
    fn metadata(&mut self, name: &str, ty: Id<HeaderType>) -> Instance {
        let declared = self.program.header_types[ty].fields.clone();
        let fields = declared.into_iter().map(|field| {
            let var = self.program.add_var(
                weir_ir::storage::qualified_name(name, &field.name),
                field.ty,
                Loc::NONE,
            );
            (field.name, var)
        });
        Instance { header: None, fields: fields.collect() }
    }

    /// Translates all header stacks of the document.
    fn stacks(&mut self, by_id: &BTreeMap<u64, HeaderId>) -> Result<()> {
        for node in list(self.root, "header_stacks")? {
            let name = name(node, "a header stack's name")?;
            let elements = headers_of(node.require("header_ids")?, by_id)?;
            let stack = self.stack(name, elements, node)?;
            declare(&mut self.storage.stacks, name.to_owned(), stack, node, "header stacks")?;
        }
        Ok(())
    }

    /// Adds a header stack of these elements.
    fn stack(&mut self, name: &str, elements: Vec<HeaderId>, node: Node<'_>) -> Result<StackId> {
        if elements.is_empty() {
            return Err(node.error(format!("the stack \"{name}\" has no headers")));
        }
        let stack = StackId::new(self.program.stacks.len());
        let next_index = self.program.vars.push(Var {
            name: weir_ir::storage::qualified_name(name, weir_ir::storage::NEXT),
            ty: Type::bit(32),
            role: VarRole::NextIndex(stack),
            annotations: Vec::new(),
            loc: Loc::NONE,
        });
        self.program.stacks.push(Stack { name: name.to_owned(), elements, next_index });
        Ok(stack)
    }

    /// Translates all header unions of the document.
    fn unions(&mut self, by_id: &BTreeMap<u64, HeaderId>) -> Result<()> {
        let mut member_names = BTreeMap::new();
        for node in list(self.root, "header_union_types")? {
            let mut names = Vec::new();
            for member in node.require("headers")?.items()? {
                let [name, _] = read_exactly(member, "a member: its name and its header type")?;
                names.push(name.text("a member's name")?.to_owned());
            }
            let name = name(node, "a union type's name")?.to_owned();
            declare(&mut member_names, name, names, node, "union types")?;
        }
        let mut union_ids = BTreeMap::new();
        for node in list(self.root, "header_unions")? {
            let name = name(node, "a header union's name")?;
            let members = headers_of(node.require("header_ids")?, by_id)?;
            let mut seen = BTreeSet::new();
            for (position, member) in members.iter().enumerate() {
                let header = &self.program.headers[*member];
                if header.union.is_some() || !seen.insert(*member) {
                    let node = node.require("header_ids")?.items()?.nth(position).unwrap_or(node);
                    return Err(node.error(format!("the header \"{}\" is already in a union", header.name)));
                }
            }
            self.program.add_union(members.clone());
            let union = Union { members };
            declare(&mut union_ids, id(node)?, union.clone(), node, "header unions with the id")?;
            declare(&mut self.storage.unions, name.to_owned(), union, node, "header unions")?;
        }
        for node in list(self.root, "header_union_stacks")? {
            let stack_name = name(node, "a header union stack's name")?;
            let ty = node.require("union_type")?;
            let type_name = ty.text("a union type's name")?;
            let names = member_names.get(type_name).ok_or_else(|| {
                unknown(ty, "union type", type_name, member_names.keys().map(String::as_str))
            })?;
            let mut unions = Vec::new();
            for union in node.require("header_union_ids")?.items()? {
                let id = union.integer("the id of a header union", 0, u64::MAX)?;
                let union_id = union_ids.get(&id).filter(|union| union.members.len() == names.len());
                unions.push(union_id.ok_or_else(|| union.error(format!("there is no such union {id}")))?);
            }
            let mut members = Vec::new();
            for (position, member) in names.iter().enumerate() {
                let elements = unions.iter().map(|union| union.members[position]).collect();
                let stack =
                    self.stack(&weir_ir::storage::qualified_name(stack_name, member), elements, node)?;
                members.push((member.clone(), stack));
            }
            let stacks: Vec<_> = members.iter().map(|(_, stack)| *stack).collect();
            for stack in &stacks {
                self.storage.stack_siblings.insert(stack.index(), stacks.clone());
            }
            let (stacks, stack) = (&mut self.storage.union_stacks, UnionStack { members });
            declare(stacks, stack_name.to_owned(), stack, node, "header union stacks")?;
        }
        Ok(())
    }

    /// Marks the metadata that copies of packets keep with the numbers of the field lists.
    fn field_lists(&mut self) -> Result<()> {
        for node in list(self.root, "field_lists")? {
            let number = node.require("id")?.integer("the number of a field list", 0, 255)?;
            for element in node.require("elements")?.items()? {
                let value = read_typed(element)?;
                if value.ty != "field" {
                    return Err(value.not_here("a field of metadata"));
                }
                let var = self.field_of(value.value)?;
                let var = &mut self.program.vars[var];
                if var.role != VarRole::Plain {
                    return Err(unsupported(
                        element,
                        "a field list keeps a field of a header, not of metadata",
                    ));
                }
                let value = AnnotationValue::Int(number.into());
                let args = vec![AnnotationArg { key: None, value }];
                let form = AnnotationForm::usual(&args);
                var.annotations.push(Annotation { name: "field_list".to_owned(), args, form });
            }
        }
        Ok(())
    }

    /// Finds the header or metadata instance that the node names.
    pub(crate) fn instance(&self, node: Node<'_>) -> Result<&Instance> {
        let name = node.text("a header's name")?;
        let names = self.storage.instances.keys().map(String::as_str);
        self.storage.instances.get(name).ok_or_else(|| unknown(node, "header", name, names))
    }

    /// Finds the field with this pair of names, which are the header's name and the field's name.
    pub(crate) fn field_of(&self, node: Node<'_>) -> Result<VarId> {
        let [header, field] = read_exactly(node, "a field: the names of its header and of itself")?;
        let instance = self.instance(header)?;
        let name = field.text("a field's name")?;
        if name == weir_ir::storage::VALID
            && let Some(header) = instance.header
        {
            return Ok(self.program.headers[header].valid);
        }
        let declared = instance.fields.iter().find(|(known, _)| known == name);
        let known = instance.fields.iter().map(|(known, _)| known.as_str());
        declared.map(|(_, var)| *var).ok_or_else(|| unknown(field, "field", name, known))
    }

    /// Returns whether a pair of names refers to the validity of metadata, which is always valid.
    pub(crate) fn is_always_valid(&self, node: Node<'_>) -> Result<bool> {
        let [header, field] = read_exactly(node, "a field: the names of its header and of itself")?;
        let is_validity = field.text("a field's name")? == weir_ir::storage::VALID;
        Ok(is_validity && self.instance(header)?.header.is_none())
    }

    /// Returns the variables of the standard metadata, by v1model's names.
    pub(crate) fn standard_metadata(&self) -> Vec<(String, VarId)> {
        let var_of = |instance: &str, field: &str| {
            let alias = self.storage.aliases.get(&weir_ir::storage::qualified_name(instance, field)).copied();
            alias.or_else(|| {
                let fields = &self.storage.instances.get(instance)?.fields;
                fields.iter().find(|(known, _)| known == field).map(|(_, var)| *var)
            })
        };
        let mut found = Vec::new();
        for field in STANDARD_FIELDS {
            if let Some(var) = INTRINSIC.iter().find_map(|instance| var_of(instance, field)) {
                found.push((field.to_owned(), var));
            }
        }
        for (name, var) in
            self.storage.instances.get(STANDARD).map_or(&[][..], |instance| &instance.fields[..])
        {
            if found.iter().all(|(known, known_var)| known != name && known_var != var) {
                found.push((name.clone(), *var));
            }
        }
        found
    }

    /// Returns the storage of the three parameters of v1model's blocks: headers, metadata, standard
    /// metadata.
    pub(crate) fn param_storage(&self) -> [ParamStorage; 3] {
        let standard = self.standard_metadata();
        let headers = header_storage(&self.program);
        let metadata = self.storage.instances.iter().filter(|(_, instance)| instance.header.is_none());
        let metadata = metadata.flat_map(|(_, instance)| instance.fields.iter().map(|(_, var)| *var));
        let vars: Vec<_> =
            metadata.filter(|var| standard.iter().all(|(_, standard_var)| standard_var != var)).collect();
        let paths = vars.iter().map(|var| self.program.vars[*var].name.clone()).collect();
        let metadata = ParamStorage { vars, paths, ..ParamStorage::default() };
        let (paths, vars) = standard.into_iter().unzip();
        [headers, metadata, ParamStorage { vars, paths, ..ParamStorage::default() }]
    }
}

fn header_storage(program: &Program) -> ParamStorage {
    let mut vars = Vec::new();
    for header in program.headers.values() {
        vars.push(header.valid);
        vars.extend(&header.fields);
    }
    vars.extend(program.stacks.values().map(|stack| stack.next_index));
    let paths = vars.iter().map(|var| program.vars[*var].name.clone()).collect();
    ParamStorage {
        vars,
        headers: program.headers.iter().map(|(id, _)| id).collect(),
        stacks: program.stacks.iter().map(|(id, _)| id).collect(),
        paths,
    }
}

fn headers_of(node: Node<'_>, by_id: &BTreeMap<u64, HeaderId>) -> Result<Vec<HeaderId>> {
    let header = |node: Node<'_>| {
        let id = node.integer("the id of a header", 0, u64::MAX)?;
        by_id.get(&id).copied().ok_or_else(|| node.error(format!("there is no header with the id {id}")))
    };
    node.items()?.map(header).collect()
}
