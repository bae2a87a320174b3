//! Determines the layout of types: allowed nesting, sizes and default values.

use num_bigint::BigInt;
use weir_syntax::{Diagnostic, Span};

use super::Checker;
use super::members::Owner;
use crate::hir::{self, Expr, ExprKind, RecordKind, SizeMeasure, Type, TypeId, Types};

impl Checker<'_> {
    /// Returns the fields of a record with its type arguments substituted; `None` for other types.
    pub(super) fn fields(&mut self, ty: TypeId) -> Option<Vec<(String, TypeId)>> {
        match self.program.types[ty].clone() {
            Type::Record { decl, args } => {
                let program = &mut self.program;
                let record = &program.records[decl];
                let types = &mut program.types;
                let field = |field: &hir::Field| {
                    (field.name.text.clone(), types.substitute(field.ty, &record.type_params, &args))
                };
                Some(record.fields.iter().map(field).collect())
            }
            Type::AnonymousStruct(fields) => Some(fields),
            _ => None,
        }
    }

    /// Returns the position and type of a record's field.
    pub(super) fn field_named(&mut self, ty: TypeId, name: &str) -> Option<(usize, TypeId)> {
        match &self.program.types[ty] {
            Type::Record { decl, args } => {
                let (decl, args) = (*decl, args.clone());
                let field = self.member_named(Owner::Record(decl), name)?;
                let record = &self.program.records[decl];
                let field_type = record.fields[field].ty;
                Some((field, self.program.types.substitute(field_type, &record.type_params, &args)))
            }
            Type::AnonymousStruct(fields) => {
                let field = fields.iter().position(|(field, _)| field == name)?;
                Some((field, fields[field].1))
            }
            _ => None,
        }
    }

    /// Returns the kind of a record; `None` for other types.
    pub(super) fn record_kind(&self, ty: TypeId) -> Option<RecordKind> {
        match self.program.types[ty] {
            Type::Record { decl, .. } => Some(self.program.records[decl].kind),
            _ => None,
        }
    }

    /// Returns whether a record may have a field of type `ty`. Reports an error if not (P4_16
    /// section 7.2.9).
    pub(super) fn may_be_field(&mut self, kind: RecordKind, ty: TypeId, span: Span) -> bool {
        if ty == Types::POISON {
            return false;
        }
        let (container, ok, expected) = match kind {
            RecordKind::Header => (
                "header",
                self.is_wire_type(ty, true),
                "expected `bit<W>`, `int<W>`, `varbit<W>`, `bool`, an enum with an underlying type, or a struct or array of these",
            ),
            RecordKind::Union => {
                ("header_union", self.record_kind(ty) == Some(RecordKind::Header), "expected a header")
            }
            RecordKind::Struct => ("struct", self.is_value_type(ty), "expected a type with run-time values"),
        };
        if !ok {
            let message = format!("a {container} cannot have a field of type {}", self.show(ty));
            self.report(Diagnostic::error("bad-field-type", message).primary(span, expected));
        }
        ok
    }

    fn is_wire_type(&self, ty: TypeId, varbit: bool) -> bool {
        match &self.program.types[ty] {
            Type::Bits { .. } | Type::Bool | Type::Newtype(_) | Type::Var(_) | Type::Poison => true,
            Type::Varbit { .. } => varbit,
            Type::Enum(decl) => self.program.enums[*decl].underlying.is_some(),
            Type::Stack { element, .. } => self.is_wire_type(*element, false),
            Type::Record { decl, .. } => {
                let record = &self.program.records[*decl];
                record.kind == RecordKind::Struct
                    && record.fields.iter().all(|field| self.is_wire_type(field.ty, false))
            }
            _ => false,
        }
    }

    /// Returns whether variables and struct fields can have type `ty`.
    pub(super) fn is_value_type(&self, ty: TypeId) -> bool {
        match &self.program.types[ty] {
            Type::Bits { .. }
            | Type::Bool
            | Type::Error
            | Type::Varbit { .. }
            | Type::Enum(_)
            | Type::Record { .. }
            | Type::Newtype(_)
            | Type::Var(_)
            | Type::Poison => true,
            Type::Stack { element, .. } => self.is_value_type(*element),
            Type::Tuple(items) => items.iter().all(|&item| self.is_value_type(item)),
            Type::AnonymousStruct(fields) => fields.iter().all(|(_, ty)| self.is_value_type(*ty)),
            _ => false,
        }
    }

    /// Returns the size of a type in bits or bytes; `None` for types without a size, and for sizes
    /// that are unknown before instantiation.
    pub(super) fn size_of(&mut self, ty: TypeId, measure: SizeMeasure) -> Option<u64> {
        let full = matches!(measure, SizeMeasure::MaxBits | SizeMeasure::MaxBytes);
        let bits = self.count_bits(ty, full)?;
        Some(match measure {
            SizeMeasure::MinBits | SizeMeasure::MaxBits => bits,
            SizeMeasure::MinBytes | SizeMeasure::MaxBytes => bits.div_ceil(8),
        })
    }

    fn count_bits(&mut self, ty: TypeId, full: bool) -> Option<u64> {
        match self.program.types[ty].clone() {
            Type::Bits { width, .. } => Some(u64::from(width)),
            Type::Bool => Some(1),
            Type::Varbit { max_width } => Some(if full { u64::from(max_width) } else { 0 }),
            Type::Enum(decl) => self.count_bits(self.program.enums[decl].underlying?, full),
            Type::Newtype(decl) => self.count_bits(self.program.newtypes[decl].underlying, full),
            Type::Stack { element, size } => {
                Some(self.count_bits(element, full)?.saturating_mul(u64::from(size)))
            }
            Type::Tuple(items) => items
                .iter()
                .try_fold(0u64, |sum, &item| Some(sum.saturating_add(self.count_bits(item, full)?))),
            Type::Record { .. } => {
                let union = self.record_kind(ty) == Some(RecordKind::Union);
                let mut total: Option<u64> = None;
                for (_, field) in self.fields(ty)? {
                    let bits = self.count_bits(field, full)?;
                    total = Some(match total {
                        None => bits,
                        Some(sum) if !union => sum.saturating_add(bits),
                        Some(most) => most.max(bits),
                    });
                }
                Some(total.unwrap_or(0))
            }
            _ => None,
        }
    }

    /// Returns the default value of a type (P4_16 section 7.3), written out where the type is
    /// known.
    pub(super) fn default_value(&mut self, ty: TypeId, span: Span) -> Expr {
        let kind = match self.program.types[ty].clone() {
            Type::Bool => ExprKind::Bool(false),
            Type::Int | Type::Bits { .. } => ExprKind::Int(BigInt::ZERO),
            Type::String => ExprKind::String(String::new()),
            Type::Enum(decl) if self.program.enums[decl].underlying.is_none() => {
                ExprKind::EnumMember { decl, member: 0 }
            }
            Type::Error if !self.program.errors.is_empty() => ExprKind::Error(hir::Id::new(0)),
            Type::Record { .. } if self.record_kind(ty) != Some(RecordKind::Struct) => ExprKind::Invalid,
            Type::Record { .. } | Type::AnonymousStruct(_) => {
                let fields = self.fields(ty).unwrap_or_default();
                ExprKind::Aggregate(
                    fields.into_iter().map(|(_, field)| self.default_value(field, span)).collect(),
                )
            }
            Type::Tuple(items) => {
                ExprKind::Aggregate(items.into_iter().map(|item| self.default_value(item, span)).collect())
            }
            _ => ExprKind::Default,
        };
        Expr { kind, ty, span }
    }
}
