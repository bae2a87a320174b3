//! Types, storage and extern objects.

use weir_ir::{
    Bits, ConstArg, CoreErrors, Enumeration, ExternInstance, HeaderField, HeaderId, HeaderType, Id, Loc,
    Type, ValueSet, ValueSetField,
};

use crate::maker::{Maker, VARBITS, WIDTHS};

impl Maker<'_> {
    /// Declares the types of the program.
    pub(crate) fn types(&mut self) {
        let program = &mut self.program;
        program.files = vec!["a.p4".into(), "dir/b \"c\".p4".into()];
        program.errors = CoreErrors::NAMES.iter().chain(&["Custom"]).map(|name| (*name).to_owned()).collect();
        program.enums.push(Enumeration {
            name: "color".into(),
            members: vec!["red".into(), "table".into(), "blue".into()],
        });
        self.declared_types();
        for (i, varbit) in [(0, false), (1, false), (2, true)] {
            let count = self.number_below(5) + 1;
            let mut fields: Vec<_> = (0..count)
                .map(|field| {
                    let width = self.choose(&WIDTHS);
                    let ty = match self.number_below(4) {
                        0 | 1 => Type::bit(width),
                        2 => Type::int(width),
                        _ => Type::Bool,
                    };
                    let declared = self.declared(ty);
                    HeaderField { name: format!("f{field}"), ty, declared, annotations: self.annotations() }
                })
                .collect();
            if self.number_below(2) == 0 {
                let position = self.number_below(count + 1);
                fields.insert(
                    position,
                    HeaderField {
                        name: "sum".into(),
                        ty: Type::bit(16),
                        declared: None,
                        annotations: Vec::new(),
                    },
                );
            }
            let bits: u32 = fields.iter().map(|field| field.ty.width()).sum();
            if !bits.is_multiple_of(8) && !self.one_in(4) {
                // Most headers of real programs are whole bytes.
                let ty = Type::bit(bits.next_multiple_of(8) - bits);
                fields.push(HeaderField {
                    name: "spare".into(),
                    ty,
                    declared: None,
                    annotations: Vec::new(),
                });
            }
            if varbit {
                let max = self.choose(&VARBITS);
                fields.push(HeaderField {
                    name: "rest".into(),
                    ty: Type::Varbit { max },
                    declared: None,
                    annotations: Vec::new(),
                });
            }
            let annotations = self.annotations();
            self.program.header_types.push(HeaderType { name: format!("h{i}_t"), fields, annotations });
        }
    }

    /// Declares the variables, headers and stacks of the program.
    pub(crate) fn storage(&mut self) {
        for width in WIDTHS {
            self.program.add_var(format!("meta.u{width}"), Type::bit(width), Loc::NONE);
            if self.one_in(3) {
                let loc = self.loc();
                let id = self.program.add_var(format!("int {width}"), Type::int(width), loc);
                self.program.vars[id].annotations = self.annotations();
            }
        }
        let kinds = [
            ("flag", Type::Bool),
            ("color", Type::Enum(Id::new(0))),
            ("error", Type::Error),
            ("b", Type::Bool),
            ("meta.rest", self.varbit()),
            ("rest", self.varbit()),
        ];
        for (name, ty) in kinds {
            self.program.add_var(name, ty, Loc::NONE);
        }
        for i in 0..self.number_below(4) + 1 {
            let ty = Id::new(self.number_below(3));
            let loc = self.loc();
            self.program.add_header(&format!("hdr.h{i}"), ty, loc);
        }
        for i in 0..self.number_below(2) + 1 {
            let ty = Id::new(self.number_below(2));
            let size = self.number_below(3) as u32 + 1;
            let loc = self.loc();
            self.program.add_stack(&format!("hdr.s{i}"), ty, size, loc);
        }
        self.unions();
    }

    /// Makes unions of headers that follow one another, also of elements of stacks.
    fn unions(&mut self) {
        let mut rest: Vec<HeaderId> = self.program.headers.iter().map(|(id, _)| id).collect();
        while !rest.is_empty() {
            let count = (self.number_below(3) + 1).min(rest.len());
            let members = rest.drain(..count).collect();
            if self.one_in(2) {
                self.program.add_union(members);
            }
        }
    }

    /// Declares the extern instances of the program.
    pub(crate) fn externs(&mut self) {
        let loc = self.loc();
        let args = vec![
            ConstArg::Bits(Type::bit(32), self.bits(32)),
            ConstArg::Text("x".into()),
            ConstArg::List(vec![ConstArg::Bits(Type::Bool, Bits::bool(true))]),
        ];
        let annotations = self.annotations();
        let type_args = vec![Type::bit(48), Type::Enum(Id::new(0))];
        let name = "C.reg".into();
        let factory = self.one_in(2).then(|| "make".into());
        self.program.externs.push(ExternInstance {
            name,
            kind: "register".into(),
            type_args,
            declared: self.data_types(),
            factory,
            args,
            methods: Vec::new(),
            annotations,
            loc,
        });
        let fields = vec![
            ValueSetField {
                name: "a".into(),
                width: 8,
                declared: self.declared(Type::bit(8)),
                match_kind: "exact".into(),
                annotations: self.annotations(),
            },
            ValueSetField {
                name: "b".into(),
                width: 16,
                declared: None,
                match_kind: "ternary".into(),
                annotations: Vec::new(),
            },
        ];
        let annotations = self.annotations();
        self.program.value_sets.push(ValueSet { name: "P.set".into(), fields, size: 4, annotations, loc });
    }
}
