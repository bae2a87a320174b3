//! Switches with random entries, groups and sessions.

use std::sync::Arc;

use crate::by_name::{
    ByName, Call, CloneSession, Entry, GroupMember, Match, MatchKind, MeterConfig, Replica, Target, Update,
};
use rand_pcg::Pcg64Mcg;
use weir_device::Port;
use weir_exec::Executor;
use weir_switch::{Switch, SwitchConfig};

use super::{CPU_PORT, agreeing, below, number};

pub fn settings() -> SwitchConfig {
    let ports = SwitchConfig::default().with_ports((0..=12).chain([CPU_PORT]));
    SwitchConfig { capacity: 1_000_000, priorities: 8, ..ports }
}

/// Returns a switch with random entries, groups and sessions, and with the entries of [`agreeing`].
/// The same seed gives the same switch.
pub fn configured_switch(executor: Arc<dyn Executor>, settings: SwitchConfig, seed: u64) -> Switch {
    let random = &mut Pcg64Mcg::new(u128::from(seed) << 1 | 1);
    let mut switch = Switch::new(executor, settings).unwrap();
    let schema = switch.schema().clone();
    let mut control = switch.by_name();
    for group in 1..=9u16 {
        let replica = |rid| Replica::new(below(random, 13) as Port, rid);
        let replicas = Some((0..group % 4).map(replica).collect());
        control.write(&[Update::SetMulticastGroup { group, replicas }]).unwrap();
    }
    for session in 0..=9 {
        let config = CloneSession {
            port: Some(below(random, 13) as Port),
            group: (session % 3 == 2).then_some(session as u16),
            truncate: (session % 4 == 3).then_some(20),
            // Other sessions have one copy, because programs that clone their clones double the
            // copies in each pass.
            replicas: (session % 3 == 2)
                .then(|| Replica::new(below(random, 13) as Port, 1))
                .into_iter()
                .collect(),
            priority: (session % 5 == 4).then_some(1),
            ..CloneSession::default()
        };
        control.write(&[Update::SetCloneSession { session, config: Some(config) }]).unwrap();
    }
    let call = |random: &mut Pcg64Mcg, action: &str| {
        let params = schema.actions.iter().find(|known| known.name == action).unwrap().params.iter();
        Call {
            action: action.to_owned(),
            args: params.map(|p| (p.name.clone(), number(random, p.width))).collect(),
        }
    };
    for profile in schema.profiles.iter().filter(|profile| !profile.tables.is_empty()) {
        let table = &schema.tables[profile.tables[0].index()];
        for member in 0..profile.size.min(6) as u32 {
            let action = &table.actions[below(random, table.actions.len() as u64) as usize].action;
            let action = call(random, action);
            // The action may be for defaults only, or not for all tables.
            let _ = control.write(&[Update::InsertMember {
                profile: profile.name.clone(),
                member: Some(member),
                action,
            }]);
        }
        let members: Vec<_> = control.profile(&profile.name).unwrap().members.keys().copied().collect();
        for group in 0..if profile.is_selector { 3 } else { 0 } {
            let members = members.iter().skip(group as usize * 2);
            let members = members.map(|member| GroupMember::new(*member, 1 + member)).collect();
            control
                .write(&[Update::InsertGroup { profile: profile.name.clone(), group: Some(group), members }])
                .unwrap();
        }
    }
    for meter in &schema.meters {
        for index in 0..meter.size.min(16) {
            let [committed_rate, committed_burst, above, peak_burst] = [0; 4].map(|_| below(random, 2_000));
            let peak_rate = committed_rate + above;
            let config = MeterConfig::per_second(committed_rate, committed_burst, peak_rate, peak_burst);
            control.write_meter(&meter.name, index, Some(config)).unwrap();
        }
    }
    for (table, entry) in agreeing::entries(&schema) {
        control.insert(&table, entry).unwrap();
    }
    for table in &schema.tables {
        for _ in 0..12 {
            let matches = table.keys.iter().map(|key| {
                let (a, b) = (number(random, key.width), number(random, key.width));
                let accepts = match key.kind {
                    kind if kind != MatchKind::Exact && below(random, 2) == 0 => Match::Any,
                    MatchKind::Lpm => Match::Lpm(a, below(random, u64::from(key.width) + 1) as u32),
                    MatchKind::Ternary => Match::Ternary(a, b),
                    MatchKind::Range if a.compare(&b, false).is_le() => Match::Range(a, b),
                    _ => Match::Exact(a),
                };
                (key.name.clone(), accepts)
            });
            let matches = matches.collect();
            let action = match below(random, 3) {
                0 if table.profile.is_some() => Target::Member(below(random, 6) as u32),
                _ if table.profile.is_some() => Target::Group(below(random, 3) as u32),
                _ => {
                    let action = &table.actions[below(random, table.actions.len() as u64) as usize].action;
                    Target::Action(call(random, action))
                }
            };
            let priority = table.needs_priority().then(|| below(random, 100) as u32);
            let idle_timeout = table.support_timeout.then(|| 1 + below(random, 1_000_000));
            // The request may be refused (constant, full, a duplicate, or for the default only):
            // then the table has one entry less.
            let _ = control.insert(&table.name, Entry { matches, priority, action, idle_timeout });
        }
        if table.direct_meter.is_some() {
            // A few packets, or some hundred bytes, for each entry.
            let most = if table.direct_meter_bytes { 200 } else { 3 };
            let [committed_burst, above] = [0; 2].map(|_| below(random, most));
            let config = Some(MeterConfig::per_second(0, committed_burst, 0, committed_burst + above));
            let table = table.name.clone();
            control.write(&[Update::WriteDirectMeterArray { table, config }]).unwrap();
        }
    }
    switch
}
