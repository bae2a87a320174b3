//! Declared types of each kind, and references to them.

use weir_ir::{
    Annotation, AnnotationForm, DataType, DeclaredKind, DeclaredMember, DeclaredType, DeclaredTypeId, Id,
    Loc, Type,
};

use crate::maker::Maker;

impl Maker<'_> {
    pub(crate) fn declared_types(&mut self) {
        let id = |index| DataType::Named(DeclaredTypeId::new(index));
        let byte = DataType::Scalar(Type::bit(8));
        let member = |name: &str, ty: &DataType| DeclaredMember { name: name.into(), ty: ty.clone() };
        let serializable = DeclaredKind::Serializable {
            underlying: Type::bit(16),
            members: vec![("IP".into(), 0x800u32.into()), ("type".into(), 7u32.into())],
        };
        let stack = DataType::Stack { element: Box::new(id(5)), size: 3 };
        let tuple = DataType::Tuple(vec![byte.clone(), DataType::Tuple(Vec::new()), stack]);
        let kinds = [
            ("octet", DeclaredKind::New(byte.clone())),
            ("color", DeclaredKind::Enum(Id::new(0))),
            ("kind", serializable),
            ("octet again", DeclaredKind::New(id(0))),
            ("pair", DeclaredKind::Struct(vec![member("as", &byte), member("b", &id(1))])),
            ("head", DeclaredKind::Header(vec![member("a", &byte)])),
            ("either", DeclaredKind::Union(vec![member("h", &id(5))])),
            ("all", DeclaredKind::Struct(vec![member("a", &tuple), member("b", &id(6))])),
        ];
        for (name, kind) in kinds {
            let form = AnnotationForm::Bare;
            let annotations = vec![Annotation { name: "of".into(), args: Vec::new(), form }];
            let loc = Loc { file: 1, line: 3, column: 4 };
            self.program.declared.push(DeclaredType { name: name.into(), kind, annotations, loc });
        }
    }

    /// Returns the declared type that has the values of `ty`, if there is one.
    pub(crate) fn declared(&self, ty: Type) -> Option<DeclaredTypeId> {
        let mut types = self.program.declared.iter();
        types.find(|(id, _)| self.program.scalar(&DataType::Named(*id)) == Some(ty)).map(|(id, _)| id)
    }

    /// Makes type arguments for a declared type.
    pub(crate) fn data_types(&self) -> Vec<DataType> {
        vec![DataType::Named(Id::new(7)), DataType::Scalar(Type::Error)]
    }
}
