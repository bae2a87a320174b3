//! Headers, unions and stacks in expressions and statements.
//!
//! At most one header of a union is valid: making one valid makes the others invalid.

use num_bigint::BigInt;
use weir_ir::program::{HeaderRef, StackId};
use weir_ir::{BinaryOp, Expr, ExprKind, Loc, Stmt, StmtKind, Type};
use weir_json::Node;

use crate::input::{Result, number, read_exactly, read_typed, unknown};
use crate::number;
use crate::reader::{Reader, unsupported};
use crate::storage::UnionStack;

impl Reader<'_> {
    /// Reads a header, or an element of a stack.
    pub(crate) fn header_value(&self, node: Node<'_>) -> Result<HeaderRef> {
        let value = read_typed(node)?;
        match value.ty {
            "header" | "regular" => match self.instance(value.value)?.header {
                Some(header) => Ok(HeaderRef::Header(header)),
                None => Err(unsupported(value.value, "metadata is used as a header")),
            },
            "expression" => self.header_operation(value.value),
            // p4c writes `stack.last` like a field.
            "stack_field" => {
                let [stack, last] = read_exactly(value.value, "a stack's name and \"last\"")?;
                match last.text("a field's name")? {
                    "last" => {
                        let stack = self.stack_of(stack)?;
                        Ok(HeaderRef::Element(stack, Box::new(self.last_index(stack))))
                    }
                    _ => Err(value.not_here("a header")),
                }
            }
            _ => Err(value.not_here("a header")),
        }
    }

    /// Reads an operation whose value is a header that is chosen at run time.
    pub(crate) fn header_operation(&self, operation: Node<'_>) -> Result<HeaderRef> {
        let op = operation.require("op")?;
        let (left, right) = (operation.require("left")?, operation.require("right")?);
        match op.text("an operator")? {
            "dereference_header_stack" => {
                Ok(HeaderRef::Element(self.stack_value(left)?, Box::new(self.index(right)?)))
            }
            "access_union_header" => {
                let mut members = self.union_members(left)?;
                let position = usize::try_from(&number(right)?).ok();
                match position.filter(|position| *position < members.len()) {
                    Some(position) => Ok(members.swap_remove(position)),
                    None => Err(right.error("the union has no such member")),
                }
            }
            _ => Err(op.error("this operator does not give a header")),
        }
    }

    /// Reads the headers of a union, or of an element of a stack of unions.
    pub(crate) fn union_members(&self, node: Node<'_>) -> Result<Vec<HeaderRef>> {
        let value = read_typed(node)?;
        match value.ty {
            "header_union" => {
                let name = value.value.text("a header union's name")?;
                let names = self.storage.unions.keys().map(String::as_str);
                let union = self.storage.unions.get(name);
                let union = union.ok_or_else(|| unknown(value.value, "header union", name, names))?;
                Ok(union.members.iter().map(|id| HeaderRef::Header(*id)).collect())
            }
            "expression" if value.value.get("op").is_some() => {
                let operation = value.value;
                let op = operation.require("op")?;
                if op.text("an operator")? != "dereference_union_stack" {
                    return Err(value.not_here("a header union"));
                }
                let stack = read_typed(operation.require("left")?)?;
                let stack = self.union_stack(stack.value)?;
                let index = self.index(operation.require("right")?)?;
                let element =
                    |(_, stack): &(String, StackId)| HeaderRef::Element(*stack, Box::new(index.clone()));
                Ok(stack.members.iter().map(element).collect())
            }
            _ => Err(value.not_here("a header union")),
        }
    }

    fn union_stack(&self, node: Node<'_>) -> Result<&UnionStack> {
        let name = node.text("a header union stack's name")?;
        let names = self.storage.union_stacks.keys().map(String::as_str);
        self.storage.union_stacks.get(name).ok_or_else(|| unknown(node, "header union stack", name, names))
    }

    /// Finds the stack that the node names.
    pub(crate) fn stack_of(&self, node: Node<'_>) -> Result<StackId> {
        let name = node.text("a header stack's name")?;
        let names = self.storage.stacks.keys().map(String::as_str);
        self.storage.stacks.get(name).copied().ok_or_else(|| unknown(node, "header stack", name, names))
    }

    fn stack_value(&self, node: Node<'_>) -> Result<StackId> {
        let value = read_typed(node)?;
        if value.ty == "header_stack" {
            self.stack_of(value.value)
        } else {
            Err(value.not_here("a header stack"))
        }
    }

    /// Returns the stack of a member of a stack of unions.
    pub(crate) fn member_stack(&self, stack: Node<'_>, member: Node<'_>) -> Result<StackId> {
        let name = member.text("a member's name")?;
        let members = &self.union_stack(stack)?.members;
        let stack_of_member = members.iter().find(|(known, _)| known == name);
        let known = members.iter().map(|(known, _)| known.as_str());
        stack_of_member.map(|(_, stack)| *stack).ok_or_else(|| unknown(member, "member", name, known))
    }

    /// Reads the stacks that a stack of headers or of unions consists of.
    fn stacks_value(&self, node: Node<'_>) -> Result<Vec<StackId>> {
        let value = read_typed(node)?;
        match value.ty {
            "header_stack" => Ok(vec![self.stack_of(value.value)?]),
            "header_union_stack" => {
                Ok(self.union_stack(value.value)?.members.iter().map(|(_, stack)| *stack).collect())
            }
            _ => Err(value.not_here("a stack")),
        }
    }

    /// Returns the number of elements of a stack that were filled.
    pub(crate) fn next_index(&self, node: Node<'_>) -> Result<Expr> {
        let stacks = self.stacks_value(node)?;
        match stacks.first() {
            Some(stack) => Ok(self.read(self.program.stacks[*stack].next_index)),
            None => Err(node.error("the union of this stack has no members")),
        }
    }

    /// Returns the index of the element of a stack that was filled last.
    pub(crate) fn last_index(&self, stack: StackId) -> Expr {
        let next = self.read(self.program.stacks[stack].next_index);
        let one = number::constant(Type::bit(32), &BigInt::from(1));
        let kind = ExprKind::Binary(BinaryOp::Sub, Box::new(next), Box::new(one));
        Expr { kind, ty: Type::bit(32) }
    }

    /// Returns an expression that tells whether a header is valid.
    pub(crate) fn validity(&self, header: &HeaderRef) -> Expr {
        match header {
            HeaderRef::Header(id) => self.read(self.program.headers[*id].valid),
            HeaderRef::Element(stack, index) => {
                let elements = &self.program.stacks[*stack].elements;
                let vars = elements.iter().map(|id| self.program.headers[*id].valid).collect();
                Expr { kind: ExprKind::Indexed { vars, index: index.clone() }, ty: Type::Bool }
            }
            HeaderRef::Next(stack) => self.validity(&HeaderRef::Element(
                *stack,
                Box::new(self.read(self.program.stacks[*stack].next_index)),
            )),
        }
    }

    /// Makes the other headers of the union that a header belongs to invalid.
    fn invalidate_siblings(&self, header: &HeaderRef, loc: Loc) -> Vec<Stmt> {
        let kinds = match header {
            HeaderRef::Header(id) if self.program.siblings(*id).next().is_some() => {
                vec![StmtKind::InvalidateOthers(*id)]
            }
            HeaderRef::Header(_) | HeaderRef::Next(_) => Vec::new(),
            // The other headers are elements of other stacks, which move with the index.
            HeaderRef::Element(stack, index) => {
                let all = self.storage.stack_siblings.get(&stack.index()).map_or(&[][..], Vec::as_slice);
                let others = all.iter().filter(|other| *other != stack);
                let element = |other: &StackId| HeaderRef::Element(*other, index.clone());
                others.map(|other| StmtKind::SetInvalid(element(other))).collect()
            }
        };
        kinds.into_iter().map(|kind| Stmt { kind, loc }).collect()
    }

    /// Adds statements that make a header valid, and the others of its union invalid.
    pub(crate) fn set_valid(&self, header: HeaderRef, loc: Loc, out: &mut Vec<Stmt>) {
        let invalidations = self.invalidate_siblings(&header, loc);
        out.push(Stmt { kind: StmtKind::SetValid(header), loc });
        out.extend(invalidations);
    }

    /// Translates the assignment of a header.
    pub(crate) fn copy_header(&self, nodes: [Node<'_>; 2], loc: Loc, out: &mut Vec<Stmt>) -> Result<()> {
        let (to, from) = (self.header_value(nodes[0])?, self.header_value(nodes[1])?);
        let type_of = |header: &HeaderRef| match header {
            HeaderRef::Header(id) => self.program.headers[*id].ty,
            HeaderRef::Element(stack, _) | HeaderRef::Next(stack) => {
                self.program.headers[self.program.stacks[*stack].elements[0]].ty
            }
        };
        if type_of(&to) != type_of(&from) {
            return Err(nodes[1].error("the two headers have different types"));
        }
        let invalidations = self.invalidate_siblings(&to, loc);
        out.push(Stmt { kind: StmtKind::Copy { to: to.clone(), from }, loc });
        if !invalidations.is_empty() {
            let condition = self.validity(&to);
            let (then, otherwise) = (weir_ir::Block(invalidations), weir_ir::Block::default());
            out.push(Stmt { kind: StmtKind::If { condition, then, otherwise }, loc });
        }
        Ok(())
    }

    /// Assigns a union, member by member.
    pub(crate) fn copy_union(&self, nodes: [Node<'_>; 2], loc: Loc, out: &mut Vec<Stmt>) -> Result<()> {
        let (to, from) = (self.union_members(nodes[0])?, self.union_members(nodes[1])?);
        if to.len() != from.len() {
            return Err(nodes[1].error("the two unions have different types"));
        }
        let pairs = to.into_iter().zip(from);
        out.extend(pairs.map(|(to, from)| Stmt { kind: StmtKind::Copy { to, from }, loc }));
        Ok(())
    }

    /// Translates the assignment of a whole stack with its counter.
    pub(crate) fn copy_stack(&self, nodes: [Node<'_>; 2], loc: Loc, out: &mut Vec<Stmt>) -> Result<()> {
        let (to, from) = (self.stacks_value(nodes[0])?, self.stacks_value(nodes[1])?);
        let size = |stack: &StackId| self.program.stacks[*stack].elements.len();
        if to.len() != from.len() || to.first().map(size) != from.first().map(size) {
            return Err(nodes[1].error("the two stacks have different sizes"));
        }
        for (to, from) in to.into_iter().zip(from) {
            let (target, source) = (&self.program.stacks[to], &self.program.stacks[from]);
            for (to, from) in target.elements.iter().zip(&source.elements) {
                let kind = StmtKind::Copy { to: HeaderRef::Header(*to), from: HeaderRef::Header(*from) };
                out.push(Stmt { kind, loc });
            }
            let kind = StmtKind::SetNextIndex(to, self.read(source.next_index));
            out.push(Stmt { kind, loc });
        }
        Ok(())
    }

    /// Translates `push` and `pop`, which move a stack's elements by a constant number of places.
    pub(crate) fn shift_stack(
        &self,
        nodes: [Node<'_>; 2],
        is_push: bool,
        loc: Loc,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let count = match self.number(nodes[1])? {
            number::Number::Const(count) => u32::try_from(count).ok(),
            _ => None,
        };
        let count =
            count.ok_or_else(|| unsupported(nodes[1], "a stack moves by a number that is not a constant"))?;
        for stack in self.stacks_value(nodes[0])? {
            let kind =
                if is_push { StmtKind::PushFront(stack, count) } else { StmtKind::PopFront(stack, count) };
            out.push(Stmt { kind, loc });
        }
        Ok(())
    }

    /// Reads a header from the packet.
    pub(crate) fn extract(
        &self,
        target: Node<'_>,
        varbit_bits: Option<Expr>,
        loc: Loc,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let value = read_typed(target)?;
        match value.ty {
            "regular" => {
                let header = self.header_value(target)?;
                self.check_varbit(&header, varbit_bits.is_some(), target)?;
                let invalidations = self.invalidate_siblings(&header, loc);
                out.push(Stmt { kind: StmtKind::Extract { to: header, varbit_bits }, loc });
                out.extend(invalidations);
            }
            "stack" => {
                let header = HeaderRef::Next(self.stack_of(value.value)?);
                self.check_varbit(&header, varbit_bits.is_some(), target)?;
                out.push(Stmt { kind: StmtKind::Extract { to: header, varbit_bits }, loc });
            }
            "union_stack" => {
                let [stack, member] = read_exactly(value.value, "the names of a stack and of a member")?;
                let stack = self.member_stack(stack, member)?;
                let header = HeaderRef::Next(stack);
                self.check_varbit(&header, varbit_bits.is_some(), target)?;
                out.push(Stmt { kind: StmtKind::Extract { to: header, varbit_bits }, loc });
                let next = self.read(self.program.stacks[stack].next_index);
                let filled = HeaderRef::Element(stack, Box::new(self.last_index(stack)));
                out.extend(self.invalidate_siblings(&filled, loc));
                for other in &self.storage.stack_siblings[&stack.index()] {
                    if *other != stack {
                        out.push(Stmt { kind: StmtKind::SetNextIndex(*other, next.clone()), loc });
                    }
                }
            }
            _ => return Err(value.not_here("a header to extract")),
        }
        Ok(())
    }

    fn check_varbit(&self, header: &HeaderRef, given: bool, node: Node<'_>) -> Result<()> {
        let id = match header {
            HeaderRef::Header(id) => *id,
            HeaderRef::Element(stack, _) | HeaderRef::Next(stack) => self.program.stacks[*stack].elements[0],
        };
        let layout = &self.program.header_types[self.program.headers[id].ty];
        match (layout.varbits() > 0, given) {
            (true, false) => Err(unsupported(
                node,
                &format!(
                    "\"{}\" has a field of variable length, whose length this does not say",
                    layout.name
                ),
            )),
            (false, true) => Err(node.error(format!("\"{}\" has no field of variable length", layout.name))),
            _ => Ok(()),
        }
    }
}
