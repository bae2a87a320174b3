//! Conversion of the typed tree's types to IR types.

use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use weir_ir as ir;
use weir_syntax::{Diagnostic, Span};

use super::names;
use super::{Lowered, Lowerer, MAX_OBJECTS};
use crate::hir::display::type_name;
use crate::hir::{self, RecordKind, Type, TypeId};

/// The maximum number of IR variables for one variable of the program.
const MAX_PARTS: u64 = 1 << 18;

/// The maximum number of IR variables for all variables of functions, actions and controls that
/// other controls apply.
const MAX_ROUTINE_PARTS: u64 = 1 << 20;

/// The structure of a type, with its type arguments substituted.
pub(super) enum Shape {
    /// A single variable.
    Scalar(ir::Type),
    /// A struct, tuple or anonymous struct: its members with names (`0`, `1`, … in tuples) and
    /// annotations.
    Group(Vec<Member>),
    /// A header: its declared members.
    Header(Vec<Member>),
    /// A header union: its headers.
    Union(Vec<Member>),
    /// A header stack or array.
    Array { element: TypeId, size: u32 },
    /// A type without a representation at run time: strings, `int`, blocks, extern objects and
    /// lists.
    CompileTime,
}

/// A member of a struct, tuple, header or header union.
pub(super) struct Member {
    pub name: String,
    pub ty: TypeId,
    pub annotations: hir::Annotations,
}

impl Lowerer<'_> {
    /// Returns `ty` with the type variables in scope substituted.
    pub(super) fn ty(&mut self, ty: TypeId) -> TypeId {
        let frame = &self.frames[self.cx.frame];
        self.types.substitute(ty, &frame.type_params, &frame.type_args)
    }

    /// Returns the types of the `count` members of a value of type `ty`.
    pub(super) fn member_types(&mut self, ty: TypeId, count: usize) -> Vec<TypeId> {
        match self.shape(ty) {
            Shape::Group(members) | Shape::Union(members) => members.iter().map(|member| member.ty).collect(),
            Shape::Array { element, .. } => vec![element; count],
            _ => vec![ty; count],
        }
    }

    /// Returns the structure of the type `ty`.
    pub(super) fn shape(&mut self, ty: TypeId) -> Shape {
        let ty = self.ty(ty);
        let plain = |name: String, ty: TypeId| Member { name, ty, annotations: hir::Annotations::default() };
        match self.types[ty].clone() {
            Type::Bool => Shape::Scalar(ir::Type::Bool),
            Type::Error => Shape::Scalar(ir::Type::Error),
            Type::MatchKind => Shape::Scalar(ir::Type::Enum(self.match_kinds())),
            Type::Bits { signed, width } => Shape::Scalar(ir::Type::Bits { width, signed }),
            Type::Varbit { max_width } => Shape::Scalar(ir::Type::Varbit { max: max_width }),
            Type::Enum(decl) => match self.hir.enums[decl].underlying {
                Some(underlying) => self.shape(underlying),
                None => Shape::Scalar(ir::Type::Enum(self.enums[&decl])),
            },
            Type::Newtype(decl) => self.shape(self.hir.newtypes[decl].underlying),
            Type::Record { decl, args } => {
                let record = &self.hir.records[decl];
                let members = record
                    .fields
                    .iter()
                    .map(|field| Member {
                        name: field.name.text.clone(),
                        ty: self.types.substitute(field.ty, &record.type_params, &args),
                        annotations: field.annotations.clone(),
                    })
                    .collect();
                match record.kind {
                    RecordKind::Struct => Shape::Group(members),
                    RecordKind::Header => Shape::Header(members),
                    RecordKind::Union => Shape::Union(members),
                }
            }
            Type::Tuple(items) => Shape::Group(
                items.iter().enumerate().map(|(index, &ty)| plain(index.to_string(), ty)).collect(),
            ),
            Type::AnonymousStruct(fields) => {
                Shape::Group(fields.into_iter().map(|(name, ty)| plain(name, ty)).collect())
            }
            Type::Stack { element, size } => Shape::Array { element, size },
            _ => Shape::CompileTime,
        }
    }

    /// Returns the type of the only variable that represents `ty`. Reports an error at `span` if
    /// there are several or none.
    pub(super) fn scalar_type(&mut self, ty: TypeId, span: Span) -> Lowered<ir::Type> {
        match self.shape(ty) {
            Shape::Scalar(ty) => Ok(ty),
            _ => {
                let name = self.type_name(ty);
                self.unsupported(span, &format!("a value of type `{name}` here"))
            }
        }
    }

    /// Returns whether `ty` is a header or header union, so that its stacks are header stacks.
    pub(super) fn is_header_like(&mut self, ty: TypeId) -> bool {
        matches!(self.shape(ty), Shape::Header(_) | Shape::Union(_))
    }

    /// Collects the scalars of `ty`, depth first, without validity bits and counters.
    pub(super) fn flatten_type(&mut self, ty: TypeId, into: &mut Vec<ir::Type>) {
        match self.shape(ty) {
            Shape::Scalar(ty) => into.push(ty),
            Shape::Group(members) | Shape::Header(members) | Shape::Union(members) => {
                for member in members {
                    self.flatten_type(member.ty, into);
                }
            }
            Shape::Array { element, size } => {
                for _ in 0..size {
                    self.flatten_type(element, into);
                }
            }
            Shape::CompileTime => {}
        }
    }

    /// Returns the type in P4 syntax.
    pub(super) fn type_name(&mut self, ty: TypeId) -> String {
        let ty = self.ty(ty);
        type_name(self.hir, &self.types, ty)
    }

    /// Returns the layout of a header type, which is created at its first use.
    pub(super) fn header_type(&mut self, ty: TypeId, span: Span) -> Lowered<ir::Id<ir::HeaderType>> {
        let ty = self.ty(ty);
        if let Some(&known) = self.header_types.get(&ty) {
            return Ok(known);
        }
        let mut fields = Vec::new();
        if let Shape::Header(members) = self.shape(ty) {
            for member in members {
                self.header_fields(&member, "", span, &mut fields)?;
            }
        }
        let annotations = match &self.types[ty] {
            Type::Record { decl, .. } => names::annotations(&self.hir.records[*decl].annotations),
            _ => Vec::new(),
        };
        let name = self.type_name(ty);
        let id = self.out.header_types.push(ir::HeaderType { name, fields, annotations });
        self.header_types.insert(ty, id);
        Ok(id)
    }

    fn header_fields(
        &mut self,
        member: &Member,
        prefix: &str,
        span: Span,
        into: &mut Vec<ir::HeaderField>,
    ) -> Lowered<()> {
        let name = names::qualified_name(prefix, &member.name);
        match self.shape(member.ty) {
            Shape::Scalar(ty) => {
                let declared = self.declared(member.ty);
                let annotations = names::annotations(&member.annotations);
                into.push(ir::HeaderField { name, ty, declared, annotations });
                Ok(())
            }
            Shape::Group(members) => {
                members.iter().try_for_each(|inner| self.header_fields(inner, &name, span, into))
            }
            Shape::Array { element, size } => (0..size).try_for_each(|index| {
                let name = format!("{}[{index}]", member.name);
                let item = Member { name, ty: element, annotations: member.annotations.clone() };
                self.header_fields(&item, prefix, span, into)
            }),
            _ => {
                let ty = self.type_name(member.ty);
                self.unsupported(span, &format!("a header field of type `{ty}`"))
            }
        }
    }

    /// Returns the size of a type in bits or bytes (P4_16 section 9).
    pub(super) fn size_of(&mut self, measure: hir::SizeMeasure, ty: TypeId, span: Span) -> Lowered<BigInt> {
        use hir::SizeMeasure::{MaxBits, MaxBytes, MinBits, MinBytes};
        let bits = self.size_in_bits(ty, matches!(measure, MaxBits | MaxBytes), span)?;
        Ok(match measure {
            MinBits | MaxBits => bits,
            MinBytes | MaxBytes => (bits + 7u32) >> 3,
        })
    }

    fn size_in_bits(&mut self, ty: TypeId, full: bool, span: Span) -> Lowered<BigInt> {
        match self.shape(ty) {
            Shape::Scalar(ir::Type::Varbit { .. }) if !full => Ok(BigInt::ZERO),
            Shape::Scalar(ty) => Ok(BigInt::from(ty.width())),
            Shape::Group(members) | Shape::Header(members) => members
                .iter()
                .try_fold(BigInt::ZERO, |sum, member| Ok(sum + self.size_in_bits(member.ty, full, span)?)),
            Shape::Union(members) => members.iter().try_fold(BigInt::ZERO, |largest, member| {
                Ok(largest.max(self.size_in_bits(member.ty, full, span)?))
            }),
            Shape::Array { element, size } => Ok(self.size_in_bits(element, full, span)? * size),
            Shape::CompileTime => {
                let name = self.type_name(ty);
                self.unsupported(span, &format!("the size of type `{name}`"))
            }
        }
    }

    /// Returns an upper bound for the number of parts into which a value of the type is flattened.
    /// Empty members also count.
    fn max_parts(&mut self, ty: TypeId) -> u64 {
        if let Some(&known) = self.parts.get(&ty) {
            return known;
        }
        let parts = match self.shape(ty) {
            Shape::Scalar(_) | Shape::CompileTime => 1,
            Shape::Group(members) | Shape::Header(members) | Shape::Union(members) => {
                members.iter().fold(1, |sum: u64, member| sum.saturating_add(self.max_parts(member.ty)))
            }
            Shape::Array { element, size } => self.max_parts(element).saturating_mul(u64::from(size)),
        };
        self.parts.insert(ty, parts);
        parts
    }

    /// Reports an error if a variable of the type has more than `MAX_PARTS` parts, or all variables
    /// of routines so far have more than `MAX_ROUTINE_PARTS`. Instantiations of generic functions
    /// can double a type again and again.
    pub(super) fn check_part_count(&mut self, ty: TypeId, span: Span) -> Lowered<()> {
        let ty = self.ty(ty);
        let parts = self.max_parts(ty);
        if parts > MAX_PARTS {
            let name = self.type_name(ty);
            return self.unsupported(
                span,
                &format!("a variable of type `{name}`, which has more than {MAX_PARTS} parts"),
            );
        }
        if self.cx.is_routine() {
            self.routine_parts = self.routine_parts.saturating_add(parts);
        }
        if self.routine_parts <= MAX_ROUTINE_PARTS || self.is_too_large() {
            return Ok(());
        }
        self.made = MAX_OBJECTS;
        let message = format!(
            "the variables of functions, actions and applied controls have more than {MAX_ROUTINE_PARTS} parts"
        );
        self.refuse(
            Diagnostic::error("program-too-large", message)
                .primary(span, "this variable exceeds the limit")
                .note("the variables of each instantiation of a generic function count separately"),
        )
    }

    /// Reports an error at `main` if all variables together take more than `MAX_STATE_WORDS`.
    pub(super) fn check_storage_size(&mut self, main: Span) -> Lowered<()> {
        let words: u64 = self.out.vars.values().map(|var| u64::from(var.ty.state_words())).sum();
        if words <= ir::MAX_STATE_WORDS {
            return Ok(());
        }
        let mib = |words: u64| words.div_ceil(1 << 17);
        let mut diagnostic =
            Diagnostic::error("program-too-large", format!("the variables take {} MiB", mib(words)))
                .primary(main, format!("at most {} MiB are allowed", mib(ir::MAX_STATE_WORDS)));
        if let Some(largest) = self.out.vars.values().max_by_key(|var| var.ty.state_words()) {
            let (name, bits) = (&largest.name, largest.ty.width());
            diagnostic =
                diagnostic.note(format!("a variable of the largest type is `{name}` with {bits} bits"));
        }
        self.refuse(diagnostic)
    }

    /// Returns the enumeration of the match kinds, which exists only in programs that use them as
    /// values.
    pub(super) fn match_kinds(&mut self) -> ir::Id<ir::Enumeration> {
        if let Some(known) = self.match_kinds {
            return known;
        }
        let members = self.hir.match_kinds.iter().map(|(_, kind)| kind.0.name.text.clone()).collect();
        let id = self.out.enums.push(ir::Enumeration { name: "match_kind".to_string(), members });
        self.match_kinds = Some(id);
        id
    }

    /// Declares every enumeration without an underlying type.
    pub(super) fn declare_enums(&mut self) {
        let mut ids = FxHashMap::default();
        for (id, declaration) in
            self.hir.enums.iter().filter(|(_, declaration)| declaration.underlying.is_none())
        {
            let members = declaration.members.iter().map(|member| member.name.text.clone()).collect();
            let lowered =
                self.out.enums.push(ir::Enumeration { name: declaration.name.text.clone(), members });
            ids.insert(id, lowered);
        }
        self.enums = ids;
    }
}
