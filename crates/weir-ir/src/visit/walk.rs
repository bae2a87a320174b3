//! The walk over a program, for both kinds of visitors.

/// A visitor and its `walk` functions, which take everything by `&`, or by `&mut` if the last
/// argument is `mut`; `iter` and `values` are the methods that iterate accordingly.
macro_rules! visitor {
    ($Visitor:ident, $iter:ident, $values:ident $(, $mut:ident)?) => {
        /// Visits every handle, expression, statement and block of a program. An implementation of
        /// `expr`, `stmt` or `block` decides whether to visit the parts, by calling the `walk`
        /// function of the same name.
        pub trait $Visitor {
            /// Called before the nodes of an item are visited, with the item's name and its place
            /// in the source.
            fn place(&mut self, _item: &str, _loc: Loc) {}
            /// Visits a handle of a variable.
            fn var(&mut self, _id: &$($mut)? VarId) {}
            /// Visits a handle of a header.
            fn header(&mut self, _id: &$($mut)? HeaderId) {}
            /// Visits a handle of a stack.
            fn stack(&mut self, _id: &$($mut)? StackId) {}
            /// Visits a handle of a union.
            fn union(&mut self, _id: &$($mut)? UnionId) {}
            /// Visits a handle of an extern object.
            fn extern_instance(&mut self, _id: &$($mut)? ExternId) {}
            /// Visits a handle of a value set.
            fn value_set(&mut self, _id: &$($mut)? ValueSetId) {}
            /// Visits a handle of an action.
            fn action(&mut self, _id: &$($mut)? ActionId) {}
            /// Visits a handle of a procedure.
            fn procedure(&mut self, _id: &$($mut)? ProcedureId) {}
            /// Visits a handle of a table.
            fn table(&mut self, _id: &$($mut)? TableId) {}
            /// Visits a handle of a parser.
            fn parser(&mut self, _id: &$($mut)? ParserId) {}
            /// Visits a handle of a control.
            fn control(&mut self, _id: &$($mut)? ControlId) {}
            /// Visits a handle of a header type.
            fn header_type(&mut self, _id: &$($mut)? Id<HeaderType>) {}
            /// Visits a handle of an enumeration.
            fn enumeration(&mut self, _id: &$($mut)? Id<Enumeration>) {}
            /// Visits a handle of a declared type.
            fn declared_type(&mut self, _id: &$($mut)? DeclaredTypeId) {}
            /// Visits a handle of a state of a parser with `count` states.
            fn state(&mut self, _id: &$($mut)? ParserStateId, _count: usize) {}
            /// Visits a parameter of a parser, control or method.
            fn param(&mut self, param: &$($mut)? Param) {
                walk_param(self, param);
            }
            /// Visits an expression.
            fn expr(&mut self, expr: &$($mut)? Expr) {
                walk_expr(self, expr);
            }
            /// Visits a statement.
            fn stmt(&mut self, stmt: &$($mut)? Stmt) {
                walk_stmt(self, stmt);
            }
            /// Visits a block.
            fn block(&mut self, block: &$($mut)? Block) {
                walk_block(self, block);
            }
        }

        /// Visits the enum that a type is.
        fn ty(visitor: &mut (impl $Visitor + ?Sized), ty: &$($mut)? Type) {
            if let Type::Enum(id) = ty {
                visitor.enumeration(id);
            }
        }

        fn data_type(visitor: &mut (impl $Visitor + ?Sized), of: &$($mut)? DataType) {
            match of {
                DataType::Scalar(scalar) => ty(visitor, scalar),
                DataType::Named(id) => visitor.declared_type(id),
                DataType::Tuple(members) => members.$iter().for_each(|member| data_type(visitor, member)),
                DataType::Stack { element, .. } => data_type(visitor, element),
            }
        }

        fn declared_type(visitor: &mut (impl $Visitor + ?Sized), of: &$($mut)? DeclaredType) {
            match &$($mut)? of.kind {
                DeclaredKind::New(of) => data_type(visitor, of),
                DeclaredKind::Enum(id) => visitor.enumeration(id),
                DeclaredKind::Serializable { underlying, .. } => ty(visitor, underlying),
                DeclaredKind::Struct(members) | DeclaredKind::Header(members) | DeclaredKind::Union(members) => {
                    members.$iter().for_each(|member| data_type(visitor, &$($mut)? member.ty));
                }
            }
        }

        /// Visits the parts of an expression.
        pub fn walk_expr(visitor: &mut (impl $Visitor + ?Sized), expr: &$($mut)? Expr) {
            ty(visitor, &$($mut)? expr.ty);
            match &$($mut)? expr.kind {
                ExprKind::Const(_) | ExprKind::PacketLength => {}
                ExprKind::Var(id) => visitor.var(id),
                ExprKind::Indexed { vars, index } => {
                    vars.$iter().for_each(|id| visitor.var(id));
                    visitor.expr(index);
                }
                ExprKind::Unary(_, operand) | ExprKind::Cast(operand) | ExprKind::Slice { operand, .. } => {
                    visitor.expr(operand);
                }
                ExprKind::Binary(_, left, right) => {
                    visitor.expr(left);
                    visitor.expr(right);
                }
                ExprKind::Mux(condition, then, otherwise) => {
                    visitor.expr(condition);
                    visitor.expr(then);
                    visitor.expr(otherwise);
                }
            }
        }

        /// Visits a block's statements.
        pub fn walk_block(visitor: &mut (impl $Visitor + ?Sized), block: &$($mut)? Block) {
            block.0.$iter().for_each(|stmt| visitor.stmt(stmt));
        }

        /// Visits the variables and the index of a place.
        fn place(visitor: &mut (impl $Visitor + ?Sized), place: &$($mut)? Place) {
            match place {
                Place::Var(id) => visitor.var(id),
                Place::Indexed(vars, index) => {
                    vars.$iter().for_each(|id| visitor.var(id));
                    visitor.expr(index);
                }
            }
        }

        fn header_ref(visitor: &mut (impl $Visitor + ?Sized), header: &$($mut)? HeaderRef) {
            match header {
                HeaderRef::Header(id) => visitor.header(id),
                HeaderRef::Element(id, index) => {
                    visitor.stack(id);
                    visitor.expr(index);
                }
                HeaderRef::Next(id) => visitor.stack(id),
            }
        }

        /// Visits the parts of a statement.
        pub fn walk_stmt(visitor: &mut (impl $Visitor + ?Sized), stmt: &$($mut)? Stmt) {
            visitor.place("", stmt.loc);
            match &$($mut)? stmt.kind {
                StmtKind::Assign(to, from) => {
                    place(visitor, to);
                    visitor.expr(from);
                }
                StmtKind::SetValid(header) | StmtKind::SetInvalid(header) | StmtKind::Emit(header) => {
                    header_ref(visitor, header);
                }
                StmtKind::InvalidateOthers(id) => visitor.header(id),
                StmtKind::Copy { to, from } => {
                    header_ref(visitor, to);
                    header_ref(visitor, from);
                }
                StmtKind::SetNextIndex(id, index) => {
                    visitor.stack(id);
                    visitor.expr(index);
                }
                StmtKind::PushFront(id, _) | StmtKind::PopFront(id, _) => visitor.stack(id),
                StmtKind::If { condition, then, otherwise } => {
                    visitor.expr(condition);
                    visitor.block(then);
                    visitor.block(otherwise);
                }
                StmtKind::Switch { scrutinee, cases, default } => {
                    visitor.expr(scrutinee);
                    cases.$iter().for_each(|(_, block)| visitor.block(block));
                    visitor.block(default);
                }
                StmtKind::Loop { condition, body, step } => {
                    visitor.expr(condition);
                    visitor.block(body);
                    visitor.block(step);
                }
                StmtKind::Break | StmtKind::Continue | StmtKind::Return | StmtKind::Exit => {}
                StmtKind::Call(id) => visitor.procedure(id),
                StmtKind::CallAction(id) => visitor.action(id),
                StmtKind::Apply { table, hit, action_run } => {
                    visitor.table(table);
                    [hit, action_run].into_iter().flatten().for_each(|id| visitor.var(id));
                }
                StmtKind::Extract { to, varbit_bits } => {
                    header_ref(visitor, to);
                    varbit_bits.$iter().for_each(|bits| visitor.expr(bits));
                }
                StmtKind::Lookahead(to) => place(visitor, to),
                StmtKind::Advance(bits) => visitor.expr(bits),
                StmtKind::Verify { condition, error } => {
                    visitor.expr(condition);
                    visitor.expr(error);
                }
                StmtKind::Extern(call) => walk_extern_call(visitor, call),
            }
        }

        /// Visits the parts that an extern call names.
        pub fn walk_extern_call(visitor: &mut (impl $Visitor + ?Sized), call: &$($mut)? ExternCall) {
            call.instance.$iter().for_each(|id| visitor.extern_instance(id));
            call.type_args.$iter().for_each(|arg| ty(visitor, arg));
            call.declared.$iter().for_each(|arg| data_type(visitor, arg));
            for arg in &$($mut)? call.args {
                match &$($mut)? arg.value {
                    ArgValue::Leaves(leaves) => leaves.$iter().for_each(|leaf| match leaf {
                        Leaf::Value(value) => visitor.expr(value),
                        Leaf::Header(id) => visitor.header(id),
                    }),
                    ArgValue::Vars { vars, .. } => vars.$iter().for_each(|id| visitor.var(id)),
                    ArgValue::Text(_) => {}
                    ArgValue::Extern(id) => visitor.extern_instance(id),
                }
            }
            call.result.$iter().for_each(|id| visitor.var(id));
        }

        fn const_arg(visitor: &mut (impl $Visitor + ?Sized), arg: &$($mut)? ConstArg) {
            match arg {
                ConstArg::Bits(of, _) => ty(visitor, of),
                ConstArg::Text(_) => {}
                ConstArg::Extern(id) => visitor.extern_instance(id),
                ConstArg::List(items) => items.$iter().for_each(|item| const_arg(visitor, item)),
            }
        }

        /// Visits the storage of a parameter.
        pub fn walk_param(visitor: &mut (impl $Visitor + ?Sized), param: &$($mut)? Param) {
            param.storage.vars.$iter().for_each(|id| visitor.var(id));
            param.storage.headers.$iter().for_each(|id| visitor.header(id));
            param.storage.stacks.$iter().for_each(|id| visitor.stack(id));
        }

        fn keysets(visitor: &mut (impl $Visitor + ?Sized), keysets: &$($mut)? [Keyset]) {
            for keyset in keysets {
                if let Keyset::Set(id) = keyset {
                    visitor.value_set(id);
                }
            }
        }

        /// Visits the instance of a package.
        fn package(visitor: &mut (impl $Visitor + ?Sized), of: &$($mut)? Package) {
            visitor.place(&of.name, of.loc);
            for (_, arg) in &$($mut)? of.args {
                match arg {
                    PackageArg::Parser(id) => visitor.parser(id),
                    PackageArg::Control(id) => visitor.control(id),
                    PackageArg::Package(inner) => package(visitor, inner),
                    PackageArg::Const(arg) => const_arg(visitor, arg),
                }
            }
        }

        fn action(visitor: &mut (impl $Visitor + ?Sized), action: &$($mut)? Action) {
            visitor.place(&action.name, action.loc);
            for param in &$($mut)? action.params {
                visitor.var(&$($mut)? param.var);
                param.declared.$iter().for_each(|id| visitor.declared_type(id));
            }
            visitor.block(&$($mut)? action.body);
        }

        fn action_call(visitor: &mut (impl $Visitor + ?Sized), call: &$($mut)? ActionCall) {
            visitor.action(&$($mut)? call.action);
        }

        fn table(visitor: &mut (impl $Visitor + ?Sized), table: &$($mut)? Table) {
            visitor.place(&table.name, table.loc);
            for key in &$($mut)? table.keys {
                visitor.place(&table.name, key.loc);
                visitor.expr(&$($mut)? key.expr);
                key.declared.$iter().for_each(|id| visitor.declared_type(id));
            }
            for listed in &$($mut)? table.actions {
                visitor.action(&$($mut)? listed.action);
                if let Some(pair) = &$($mut)? listed.composed {
                    visitor.action(&$($mut)? pair.first);
                    visitor.action(&$($mut)? pair.second);
                }
            }
            action_call(visitor, &$($mut)? table.default_action);
            for entry in &$($mut)? table.entries {
                visitor.place(&table.name, entry.loc);
                keysets(visitor, &$($mut)? entry.keysets);
                action_call(visitor, &$($mut)? entry.call);
            }
            table.implementation.$iter().for_each(|id| visitor.extern_instance(id));
            table.attached.$iter().for_each(|(_, id)| visitor.extern_instance(id));
            for (_, value) in &$($mut)? table.properties {
                if let PropertyValue::Call(call) = value {
                    action_call(visitor, call);
                }
            }
        }

        /// Visits the state that a transition leads to.
        fn target(visitor: &mut (impl $Visitor + ?Sized), target: &$($mut)? Target, count: usize) {
            if let Target::State(id) = target {
                visitor.state(id, count);
            }
        }

        /// Visits a parser.
        pub fn walk_parser(visitor: &mut (impl $Visitor + ?Sized), parser: &$($mut)? Parser) {
            visitor.place(&parser.name, parser.loc);
            parser.params.$iter().for_each(|param| visitor.param(param));
            let count = parser.states.len();
            visitor.state(&$($mut)? parser.start, count);
            visitor.block(&$($mut)? parser.locals);
            for state in parser.states.$values() {
                visitor.place(&parser.name, state.loc);
                visitor.block(&$($mut)? state.body);
                match &$($mut)? state.transition {
                    Transition::Goto(to) => target(visitor, to, count),
                    Transition::Select { keys, cases, loc } => {
                        visitor.place(&parser.name, *loc);
                        keys.$iter().for_each(|key| visitor.expr(key));
                        for case in cases {
                            visitor.place(&parser.name, case.loc);
                            keysets(visitor, &$($mut)? case.keysets);
                            target(visitor, &$($mut)? case.target, count);
                        }
                    }
                }
            }
        }

        /// Visits everything. Items come in the order of the program's fields.
        pub fn walk_program(visitor: &mut (impl $Visitor + ?Sized), program: &$($mut)? Program) {
            for declared in program.declared.$values() {
                visitor.place(&declared.name, declared.loc);
                declared_type(visitor, declared);
            }
            for header_type in program.header_types.$values() {
                visitor.place(&header_type.name, Loc::NONE);
                for field in &$($mut)? header_type.fields {
                    ty(visitor, &$($mut)? field.ty);
                    field.declared.$iter().for_each(|id| visitor.declared_type(id));
                }
            }
            for var in program.vars.$values() {
                visitor.place(&var.name, var.loc);
                ty(visitor, &$($mut)? var.ty);
                match &$($mut)? var.role {
                    VarRole::Plain => {}
                    VarRole::Field(id) | VarRole::Validity(id) => visitor.header(id),
                    VarRole::NextIndex(id) => visitor.stack(id),
                }
            }
            for header in program.headers.$values() {
                visitor.place(&header.name, Loc::NONE);
                visitor.header_type(&$($mut)? header.ty);
                visitor.var(&$($mut)? header.valid);
                header.fields.$iter().for_each(|id| visitor.var(id));
                header.union.$iter().for_each(|id| visitor.union(id));
            }
            for stack in program.stacks.$values() {
                visitor.place(&stack.name, Loc::NONE);
                stack.elements.$iter().for_each(|id| visitor.header(id));
                visitor.var(&$($mut)? stack.next_index);
            }
            for union in program.unions.$values() {
                visitor.place("", Loc::NONE);
                union.members.$iter().for_each(|id| visitor.header(id));
            }
            for instance in program.externs.$values() {
                visitor.place(&instance.name, instance.loc);
                instance.type_args.$iter().for_each(|arg| ty(visitor, arg));
                instance.declared.$iter().for_each(|arg| data_type(visitor, arg));
                instance.args.$iter().for_each(|arg| const_arg(visitor, arg));
                for method in &$($mut)? instance.methods {
                    visitor.procedure(&$($mut)? method.procedure);
                    method.params.$iter().for_each(|param| visitor.param(param));
                    method.result.$iter().for_each(|id| visitor.var(id));
                }
            }
            for set in program.value_sets.$values() {
                visitor.place(&set.name, set.loc);
                for field in &$($mut)? set.fields {
                    field.declared.$iter().for_each(|id| visitor.declared_type(id));
                }
            }
            program.actions.$values().for_each(|of| action(visitor, of));
            for procedure in program.procedures.$values() {
                visitor.place(&procedure.name, procedure.loc);
                visitor.block(&$($mut)? procedure.body);
            }
            program.tables.$values().for_each(|of| table(visitor, of));
            program.parsers.$values().for_each(|parser| walk_parser(visitor, parser));
            for control in program.controls.$values() {
                visitor.place(&control.name, control.loc);
                control.params.$iter().for_each(|param| visitor.param(param));
                visitor.block(&$($mut)? control.body);
            }
            program.main.$iter().for_each(|of| package(visitor, of));
        }
    };
}

pub(super) use visitor;
