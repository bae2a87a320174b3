//! The tables as JSON ("BfRt schema 1.0").

use serde_json::{Value, json};

use crate::bench::Bench;

/// Returns a table by its name.
fn table<'v>(info: &'v Value, name: &str) -> &'v Value {
    let tables = info["tables"].as_array().unwrap();
    tables.iter().find(|table| table["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

/// Returns the numbers and names of fields.
fn fields(list: &Value) -> Vec<(u64, &str)> {
    let list = list.as_array().unwrap().iter().map(|field| field.get("singleton").unwrap_or(field));
    list.map(|field| (field["id"].as_u64().unwrap(), field["name"].as_str().unwrap())).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn programs_have_the_names_and_numbers_of_the_schema() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let [program, fixed] = client.info().await;
    assert_eq!(program["schema_version"], "1.0.0");
    let routes = table(&program, "pipe.I.routes");
    assert_eq!(routes["table_type"], "MatchAction_Direct");
    assert_eq!(routes["size"], 1024);
    assert_eq!(routes["key"][0]["match_type"], "LPM");
    assert_eq!(routes["key"][0]["type"], json!({"type": "bytes", "width": 32}));
    assert_eq!(fields(&routes["data"]), [(65553, "$COUNTER_SPEC_BYTES"), (65554, "$COUNTER_SPEC_PKTS")]);
    let actions: Vec<_> = routes["action_specs"].as_array().unwrap().iter().map(|of| &of["name"]).collect();
    assert_eq!(actions, ["I.forward_counted", "I.drop"], "actions have no pipe");
    assert_eq!(fields(&routes["action_specs"][0]["data"]), [(1, "port")]);
    let acl = table(&program, "pipe.I.acl");
    let keys: Vec<_> =
        acl["key"].as_array().unwrap().iter().map(|key| key["match_type"].as_str().unwrap()).collect();
    assert_eq!(keys, ["Ternary", "Exact", "Range", "Exact"]);
    assert_eq!(acl["key"][3]["id"], 65537, "the priority");
    let ecmp = table(&program, "pipe.I.ecmp");
    assert_eq!(ecmp["table_type"], "MatchAction_Indirect_Selector");
    assert_eq!(ecmp["key"].as_array().unwrap().len(), 1, "selector keys are not part of the key");
    let choice: Vec<_> = ecmp["data"][0]["oneof"].as_array().unwrap().iter().map(|of| &of["id"]).collect();
    assert_eq!(choice, [65539, 65540]);
    let (members, groups) = (table(&program, "pipe.I.hops"), table(&program, "pipe.I.hops_sel"));
    assert_eq!((&members["table_type"], &groups["table_type"]), (&json!("Action"), &json!("Selector")));
    assert_eq!(ecmp["depends_on"], json!([groups["id"], members["id"]]));
    assert_eq!(table(&program, "pipe.I.indirect")["table_type"], "MatchAction_Indirect");
    let pairs = table(&program, "pipe.I.pairs");
    assert_eq!(fields(&pairs["data"]), [(1, "I.pairs.first"), (2, "I.pairs.second")]);
    let class = &pairs["data"][0]["singleton"]["annotations"][0];
    assert_eq!(class, &json!({"name": "$bfrt_field_class", "value": "register_data"}));
    assert_eq!(fields(&table(&program, "pipe.I.values")["data"]), [(1, "I.values.f1")]);
    assert_eq!(table(&program, "pipe.P.types")["table_type"], "ParserValueSet");
    assert_eq!(table(&program, "pipe.I.fixed")["attributes"], json!(["EntryScope", "ConstTable"]));
    let macs = table(&program, "pipe.I.macs");
    assert_eq!(macs["attributes"], json!(["EntryScope", "IdleTimeout"]));
    let learn = &program["learn_filters"][0];
    assert_eq!(learn["name"], "pipe.learn_t");
    assert_eq!(fields(&learn["fields"]), [(1, "mac"), (2, "port")]);
    for (name, first) in
        [("$PORT", 0xff01_0001_u64), ("$pre.mgid", 0xff02_0001), ("$mirror.cfg", 0xff04_0001)]
    {
        assert_eq!(table(&fixed, name)["id"], first);
    }
    let mut ids: Vec<u64> = Vec::new();
    for one in program["tables"].as_array().unwrap().iter().chain(fixed["tables"].as_array().unwrap()) {
        ids.push(one["id"].as_u64().unwrap());
    }
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "numbers are unique");
}
