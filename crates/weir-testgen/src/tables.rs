//! Actions and tables.

use std::collections::BTreeMap;

use weir_ir::{
    Action, ActionCall, ActionParam, ActionRef, CalledAction, Entry, Id, Key, Keyset, Loc, Procedure,
    PropertyValue, Table, Type,
};

use crate::maker::Maker;

impl Maker<'_> {
    /// Makes the actions of the program.
    pub(crate) fn actions(&mut self) {
        for i in 0..self.number_below(3) + 1 {
            let params = (0..self.number_below(3))
                .map(|param| {
                    let ty = self.scalar();
                    let name = format!("p{param}");
                    let var = self.program.add_var(format!("C.a{i}.{name}"), ty, Loc::NONE);
                    let declared = self.declared(ty);
                    ActionParam { name, var, declared, annotations: self.annotations() }
                })
                .collect();
            let loc = self.loc();
            let annotations = self.annotations();
            let body = self.body(2, false);
            let control_plane = self.one_in(3).then(|| format!("C.outside {i}"));
            let name = format!("C.a{i}");
            self.program.actions.push(Action { name, control_plane, params, body, annotations, loc });
        }
        let loc = self.loc();
        let annotations = self.annotations();
        let body = self.body(2, false);
        let action = Some(CalledAction { name: "C.called action".into(), annotations });
        self.program.procedures.push(Procedure { name: "helper".into(), action, body, loc });
    }

    pub(crate) fn action_call(&mut self) -> ActionCall {
        let action = Id::new(self.number_below(self.program.actions.len()));
        let types: Vec<Type> =
            self.program.actions[action].params.iter().map(|param| self.program.vars[param.var].ty).collect();
        let args = types.into_iter().map(|ty| self.value(ty)).collect();
        ActionCall { action, args }
    }

    /// Makes the tables of the program.
    pub(crate) fn tables(&mut self) {
        for i in 0..self.number_below(2) + 1 {
            let keys: Vec<Key> = (0..self.number_below(3))
                .map(|key| {
                    let ty = self.scalar();
                    let match_kind = self.choose(&["exact", "ternary", "range"]).to_owned();
                    let name = format!("key {key}");
                    Key {
                        name,
                        expr: self.expr(ty, 1),
                        declared: self.declared(ty),
                        match_kind,
                        annotations: self.annotations(),
                        loc: self.loc(),
                    }
                })
                .collect();
            let actions = self.program.actions.iter().map(|(action, _)| action).collect::<Vec<_>>();
            let actions = actions
                .into_iter()
                .map(|action| ActionRef {
                    action,
                    default_only: false,
                    table_only: false,
                    group_only: false,
                    composed: None,
                    annotations: self.annotations(),
                })
                .collect();
            let entries = (0..self.number_below(4))
                .map(|_| Entry {
                    keysets: keys.iter().map(|key| self.keyset(key.expr.ty)).collect(),
                    call: self.action_call(),
                    priority: [None, Some(7)][self.number_below(2)],
                    is_const: self.one_in(2),
                    loc: self.loc(),
                })
                .collect();
            let mut table = Table {
                name: format!("C.t{i}"),
                keys,
                actions,
                default_action: self.action_call(),
                const_default: self.one_in(2),
                entries,
                const_entries: self.one_in(2),
                size: [None, Some(1024)][self.number_below(2)],
                implementation: [None, Some(Id::new(0))][self.number_below(2)],
                attached: if self.one_in(2) { vec![("counters".into(), Id::new(0))] } else { Vec::new() },
                properties: vec![("support_timeout".into(), PropertyValue::Bool(true))],
                property_locs: BTreeMap::new(),
                annotations: self.annotations(),
                loc: self.loc(),
            };
            self.property_locs(&mut table);
            self.program.tables.push(table);
        }
    }

    /// Sets the source places of a table's properties, but not of all of them.
    fn property_locs(&mut self, table: &mut Table) {
        let attached = table.attached.iter().map(|(property, _)| property);
        let property_names = table.properties.iter().map(|(property, _)| property);
        let mut properties: Vec<String> = attached.chain(property_names).cloned().collect();
        properties.extend(table.implementation.map(|_| "implementation".to_owned()));
        for property in properties {
            let loc = self.loc();
            if loc != Loc::NONE {
                table.property_locs.insert(property, loc);
            }
        }
    }

    /// Makes a keyset for a key of this type.
    pub(crate) fn keyset(&mut self, ty: Type) -> Keyset {
        let width = ty.width();
        match self.number_below(4) {
            0 => Keyset::Any,
            1 => Keyset::Value(self.value(ty)),
            2 => Keyset::Mask(self.bits(width), self.bits(width)),
            _ => Keyset::Range(self.bits(width), self.bits(width)),
        }
    }
}
