//! Extern objects, and the package, which assigns blocks to roles of the architecture.

use crate::annotation::Annotation;
use crate::bits::Bits;
use crate::loc::Loc;
use crate::types::Type;
use crate::types::declared::DataType;

use super::variable::Param;
use super::{ControlId, ExternId, ParserId, ProcedureId, VarId};

/// An extern object that the program instantiates.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternInstance {
    /// The name that the control plane uses.
    pub name: String,
    /// The extern's P4 name: `register`, `direct_counter`, ….
    pub kind: String,
    /// The object's type arguments, flattened: `register<bit<48>>` has one.
    pub type_args: Vec<Type>,
    /// The type arguments as declared; empty if all are scalars, which `type_args` describes
    /// completely.
    pub declared: Vec<DataType>,
    /// The extern function that creates the object, if it is not created by a constructor.
    pub factory: Option<String>,
    /// The evaluated arguments of the constructor or function that creates it, in order.
    pub args: Vec<ConstArg>,
    /// The program's implementations of its abstract methods, for the architecture to call back
    /// (P4_16 section 11.3.1).
    pub methods: Vec<ExternMethod>,
    /// The annotations of the instance.
    pub annotations: Vec<Annotation>,
    /// The place of its declaration.
    pub loc: Loc,
}

/// A method of an extern object that the program implements. The caller assigns the parameters'
/// variables, runs the procedure, and reads the variables of `out` and `inout` parameters and the
/// result.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternMethod {
    /// The method's P4 name.
    pub name: String,
    /// The procedure that implements it.
    pub procedure: ProcedureId,
    /// The parameters with their storage.
    pub params: Vec<Param>,
    /// The variables that hold the method's result after the procedure, flattened; empty for
    /// `void`.
    pub result: Vec<VarId>,
}

/// A compile-time value that is passed to an extern's or package's constructor.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstArg {
    /// A number or boolean, with its type.
    Bits(Type, Bits),
    /// A string.
    Text(String),
    /// An extern object.
    Extern(ExternId),
    /// A list or struct.
    List(Vec<ConstArg>),
}

/// An evaluated package instance, which gives each block its role in the architecture.
#[derive(Clone, Debug, PartialEq)]
pub struct Package {
    /// The package's P4 name (`V1Switch`): the switch chooses its architecture by this name.
    pub kind: String,
    /// The instance's name, `main` at the top.
    pub name: String,
    /// The constructor's parameter names and arguments, in order.
    pub args: Vec<(String, PackageArg)>,
    /// The annotations on the instance.
    pub annotations: Vec<Annotation>,
    /// The place where it is instantiated.
    pub loc: Loc,
}

impl Package {
    /// Returns the first parser of the package and of the packages in it, in order.
    pub fn first_parser(&self) -> Option<ParserId> {
        self.args.iter().find_map(|(_, arg)| match arg {
            PackageArg::Parser(id) => Some(*id),
            PackageArg::Package(inner) => inner.first_parser(),
            PackageArg::Control(_) | PackageArg::Const(_) => None,
        })
    }
}

/// An argument of a package's constructor.
#[derive(Clone, Debug, PartialEq)]
pub enum PackageArg {
    /// A parser.
    Parser(ParserId),
    /// A control, which may be a deparser.
    Control(ControlId),
    /// Another package, such as PSA's pipelines.
    Package(Box<Package>),
    /// A value.
    Const(ConstArg),
}
