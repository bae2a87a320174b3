//! Types as the program declares them, which is how controllers see them.

use weir_ir as ir;
use weir_ir::{DataType, DeclaredKind, DeclaredMember};

use super::{Lowerer, names};
use crate::hir::{self, RecordKind, Type, TypeId};

impl Lowerer<'_> {
    /// Returns the newtype or enum with which a value of type `ty` is declared, if there is one.
    pub(super) fn declared(&mut self, ty: TypeId) -> Option<ir::DeclaredTypeId> {
        let ty = self.ty(ty);
        match self.types[ty] {
            Type::Newtype(_) | Type::Enum(_) => self.declared_type(ty),
            _ => None,
        }
    }

    /// Lowers type arguments as the program declares them; empty if all are scalars, or if one is
    /// not a data type.
    pub(super) fn declared_args(&mut self, args: &[TypeId]) -> Vec<DataType> {
        let types: Option<Vec<DataType>> = args.iter().map(|&arg| self.data_type(arg)).collect();
        types.filter(|types| types.iter().any(|ty| !matches!(ty, DataType::Scalar(_)))).unwrap_or_default()
    }

    /// Lowers a type of data; `None` for types that exist at compile time only.
    fn data_type(&mut self, ty: TypeId) -> Option<DataType> {
        let ty = self.ty(ty);
        Some(match self.types[ty].clone() {
            Type::Bool => DataType::Scalar(ir::Type::Bool),
            Type::Error => DataType::Scalar(ir::Type::Error),
            Type::Bits { signed, width } => DataType::Scalar(ir::Type::Bits { width, signed }),
            Type::Varbit { max_width } => DataType::Scalar(ir::Type::Varbit { max: max_width }),
            Type::Tuple(items) => DataType::Tuple(self.data_types(items)?),
            Type::AnonymousStruct(fields) => {
                DataType::Tuple(self.data_types(fields.into_iter().map(|(_, ty)| ty).collect())?)
            }
            Type::Stack { element, size } => {
                DataType::Stack { element: Box::new(self.data_type(element)?), size }
            }
            Type::Newtype(_) | Type::Enum(_) | Type::Record { .. } => {
                DataType::Named(self.declared_type(ty)?)
            }
            _ => return None,
        })
    }

    fn data_types(&mut self, types: Vec<TypeId>) -> Option<Vec<DataType>> {
        types.into_iter().map(|ty| self.data_type(ty)).collect()
    }

    /// Returns a declared type. It is created at its first use, after the types that it consists
    /// of.
    fn declared_type(&mut self, ty: TypeId) -> Option<ir::DeclaredTypeId> {
        if let Some(&known) = self.declared_types.get(&ty) {
            return known;
        }
        let hir = self.hir;
        let declared = match self.types[ty].clone() {
            Type::Newtype(decl) => {
                let newtype = &hir.newtypes[decl];
                let kind = self.data_type(newtype.underlying).map(DeclaredKind::New);
                kind.map(|kind| (kind, &newtype.annotations, newtype.name.span))
            }
            Type::Enum(decl) => {
                let declaration = &hir.enums[decl];
                Some((self.declared_enum(decl), &declaration.annotations, declaration.name.span))
            }
            Type::Record { decl, args } => {
                let record = &hir.records[decl];
                let kind = self.declared_record(decl, &args);
                kind.map(|kind| (kind, &record.annotations, record.name.span))
            }
            _ => None,
        };
        let id = declared.map(|(kind, annotations, span)| {
            let (name, annotations) = (self.type_name(ty), names::annotations(annotations));
            let loc = self.loc(span);
            self.out.declared.push(ir::DeclaredType { name, kind, annotations, loc })
        });
        self.declared_types.insert(ty, id);
        id
    }

    fn declared_enum(&mut self, decl: hir::EnumId) -> DeclaredKind {
        let declaration = &self.hir.enums[decl];
        let Some(underlying) = declaration.underlying else {
            return DeclaredKind::Enum(self.enums[&decl]);
        };
        let (signed, width) = match self.types[underlying] {
            Type::Bits { signed, width } => (signed, width),
            _ => (false, 0),
        };
        let members = declaration.members.iter().filter_map(|member| {
            let value = ir::Bits::wrap_signed(width, member.value.as_ref()?);
            Some((member.name.text.clone(), value.to_biguint()))
        });
        DeclaredKind::Serializable {
            underlying: ir::Type::Bits { width, signed },
            members: members.collect(),
        }
    }

    fn declared_record(&mut self, decl: hir::RecordId, args: &[TypeId]) -> Option<DeclaredKind> {
        let record = &self.hir.records[decl];
        let mut members = Vec::with_capacity(record.fields.len());
        for field in &record.fields {
            let ty = self.types.substitute(field.ty, &record.type_params, args);
            members.push(DeclaredMember { name: field.name.text.clone(), ty: self.data_type(ty)? });
        }
        Some(match record.kind {
            RecordKind::Struct => DeclaredKind::Struct(members),
            RecordKind::Header => DeclaredKind::Header(members),
            RecordKind::Union => DeclaredKind::Union(members),
        })
    }
}
