//! Choices made from entropy, and the values and types that all parts of a program use.

use weir_ir::{
    Annotation, AnnotationArg, AnnotationForm, AnnotationValue, Bits, Id, Loc, MAX_VARBIT, Program, Type,
    VarId,
};

/// Typical widths and edge cases: one bit, less than a byte, bytes, words, more than one and two
/// words, more than 128 bits, zero bits, and the maximum.
pub(crate) const WIDTHS: [u32; 16] = [8, 1, 16, 32, 7, 48, 13, 64, 65, 128, 129, 200, 0, 33, 100, 2048];

/// Typical widths of `varbit` types; some exceed the widest `bit`, and one is the maximum.
pub(crate) const VARBITS: [u32; 8] = [32, 320, 0, 65, 129, 2048, 2049, MAX_VARBIT];

/// A random program under construction.
pub(crate) struct Maker<'a> {
    pub(crate) entropy: &'a [u8],
    pub(crate) at: usize,
    pub(crate) program: Program,
}

impl Maker<'_> {
    /// Draws a number below `count`, chosen by the entropy; 0 after the entropy is used up.
    pub(crate) fn number_below(&mut self, count: usize) -> usize {
        let byte = self.entropy.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(byte) % count.max(1)
    }

    pub(crate) fn one_in(&mut self, cases: usize) -> bool {
        self.number_below(cases) == cases - 1
    }

    /// Chooses one of the items.
    pub(crate) fn choose<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.number_below(items.len())]
    }

    /// Draws a value of a width.
    pub(crate) fn bits(&mut self, width: u32) -> Bits {
        match self.number_below(4) {
            0 => Bits::new(width, self.number_below(256) as u128),
            1 => Bits::ones(width),
            2 => Bits::zero(width),
            _ => {
                let bytes: Vec<u8> = (0..width.div_ceil(8)).map(|_| self.number_below(256) as u8).collect();
                Bits::from_be_bytes(width, &bytes)
            }
        }
    }

    /// Draws a value that the type can have.
    pub(crate) fn value(&mut self, ty: Type) -> Bits {
        match ty {
            Type::Enum(_) => Bits::new(32, self.number_below(3) as u128),
            Type::Error => Bits::new(32, self.number_below(8) as u128),
            Type::Varbit { max } => {
                let width = self.number_below(max as usize + 1) as u32;
                // A byte of entropy chooses among the first 256 lengths only.
                let width = if self.one_in(8) { max } else { width };
                self.bits(width)
            }
            Type::Bool | Type::Bits { .. } => self.bits(ty.width()),
        }
    }

    /// Draws a place in the source.
    pub(crate) fn loc(&mut self) -> Loc {
        match self.number_below(3) {
            0 => Loc::NONE,
            file => Loc {
                file: file as u32 - 1,
                line: self.number_below(200) as u32 + 1,
                column: self.number_below(80) as u32 + 1,
            },
        }
    }

    /// Makes annotations with arguments of all kinds.
    pub(crate) fn annotations(&mut self) -> Vec<Annotation> {
        let values = [
            AnnotationValue::Text("a \"text\"\n".into()),
            AnnotationValue::Int((-7).into()),
            AnnotationValue::Bool(true),
        ];
        (0..self.number_below(3))
            .map(|i| {
                let args = values[..self.number_below(4)].iter().enumerate();
                let args = args
                    .map(|(i, value)| AnnotationArg {
                        key: (i == 1).then(|| "key".into()),
                        value: value.clone(),
                    })
                    .collect();
                let args: Vec<AnnotationArg> = args;
                let form = match args.len() {
                    1 => AnnotationForm::Structured,
                    2 => AnnotationForm::Unstructured("1 + 2".into()),
                    _ => AnnotationForm::usual(&args),
                };
                Annotation { name: ["name", "field_list"][i].into(), args, form }
            })
            .collect()
    }

    /// Returns the type of the varbit fields.
    pub(crate) fn varbit(&self) -> Type {
        let fields = self.program.header_types.values().flat_map(|layout| &layout.fields);
        fields.map(|field| field.ty).find(|ty| matches!(ty, Type::Varbit { .. })).unwrap_or(Type::Bool)
    }

    /// Draws a type of scalars.
    pub(crate) fn scalar(&mut self) -> Type {
        let width = self.choose(&WIDTHS);
        match self.number_below(6) {
            0..=2 => Type::bit(width),
            3 => Type::int(width),
            4 => Type::Bool,
            _ => Type::Enum(Id::new(0)),
        }
    }

    /// Returns the variables of one type that statements may assign.
    pub(crate) fn vars_of(&self, ty: Type) -> Vec<VarId> {
        use weir_ir::VarRole::{Field, Plain};
        let assignable = self.program.vars.iter().filter(|(_, var)| matches!(var.role, Plain | Field(_)));
        assignable.filter(|(_, var)| var.ty == ty).map(|(id, _)| id).collect()
    }
}
