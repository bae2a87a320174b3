//! Digests: lists of values for the control plane.

use weir_ir::program::{Arg, ArgValue, Direction, ExternCall, Leaf};
use weir_ir::{DataType, DeclaredKind, DeclaredMember, DeclaredType, MAX_WIDTH, Stmt, StmtKind, Type};
use weir_json::Node;

use crate::input::{Result, declare, id, list, name, optional, read_typed};
use crate::number::Number;
use crate::primitive::Primitive;
use crate::reader::{Reader, at_node};

impl Reader<'_> {
    /// Converts `generate_digest`, which sends the values of a list under the list's name.
    pub(crate) fn digest(
        &mut self,
        primitive: Primitive<'_, '_>,
        receiver: Node<'_>,
        list: Node<'_>,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let number = match self.number(list)? {
            Number::Const(number) => u64::try_from(number).ok(),
            _ => None,
        };
        let listed = number.and_then(|number| self.digests.get(&number).copied());
        let listed =
            listed.ok_or_else(|| list.error("there is no list of this number in \"learn_lists\""))?;
        let list_name = name(listed, "the name of a list")?.to_owned();
        let (mut leaves, mut members) = (Vec::new(), Vec::new());
        for element in listed.require("elements")?.items()? {
            let value = self.number(element)?;
            let value = match optional(element, "bitwidth") {
                Some(width) => {
                    let width = width.integer("a width in bits", 1, u64::from(MAX_WIDTH))?;
                    at_node(element, crate::number::low_bits(&value, width as u32))?
                }
                None => at_node(element, crate::number::exact_value(&value))?,
            };
            let name = member_name(element, members.len());
            members.push(DeclaredMember { name, ty: DataType::Scalar(value.ty) });
            leaves.push(Leaf::Value(value));
        }
        let type_args = leaves.iter().map(|leaf| match leaf {
            Leaf::Value(value) => value.ty,
            Leaf::Header(_) => Type::Bool,
        });
        let type_args = type_args.collect();
        // p4c uses this name if the type of the list has no name.
        let declared =
            if list_name == "digest" { Vec::new() } else { vec![self.digest_type(list_name, members)] };
        let data = Arg { name: "data".to_owned(), direction: Direction::In, value: ArgValue::Leaves(leaves) };
        let args = vec![self.argument("receiver", receiver)?, data];
        let call = ExternCall {
            callee: "digest".to_owned(),
            instance: None,
            type_args,
            declared,
            args,
            result: Vec::new(),
        };
        out.push(Stmt { kind: StmtKind::Extern(call), loc: primitive.loc });
        Ok(())
    }

    fn digest_type(&mut self, name: String, mut members: Vec<DeclaredMember>) -> DataType {
        let declared =
            self.program.declared.iter().find(|(_, declared)| declared.name == name).map(|(id, _)| id);
        let id = declared.unwrap_or_else(|| {
            let mut seen = std::collections::BTreeSet::new();
            for (position, member) in members.iter_mut().enumerate() {
                if !seen.insert(member.name.clone()) {
                    member.name = format!("{}_{position}", member.name);
                }
            }
            let kind = DeclaredKind::Struct(members);
            let (annotations, loc) = (Vec::new(), weir_ir::Loc::NONE);
            self.program.declared.push(DeclaredType { name, kind, annotations, loc })
        });
        DataType::Named(id)
    }

    /// Finds the lists of digests by their numbers.
    pub(crate) fn read_digests(&mut self) -> Result<()> {
        for node in list(self.root, "learn_lists")? {
            declare(&mut self.digests, id(node)?, node, node, "lists of digests with the id")?;
        }
        Ok(())
    }
}

/// Returns the name of a digest's part, which is the name of its field.
fn member_name(element: Node<'_>, position: usize) -> String {
    let field = read_typed(element).ok().filter(|value| value.ty == "field");
    let name = field.and_then(|value| value.value.items().ok()?.nth(1)?.text("a name").ok());
    match name {
        Some(name) => name.rsplit('.').next().unwrap_or(name).to_owned(),
        None => format!("field_{position}"),
    }
}
