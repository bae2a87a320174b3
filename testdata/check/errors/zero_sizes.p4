// Arrays of counters, meters and registers without elements, value sets without room. Tables of
// size 0 have no limit.
#include <core.p4>
#include <v1model.p4>

header item_h { bit<8> kind; bit<8> count; }
struct headers_t { item_h item; }
struct meta_t {}

const bit<32> NONE = 4 - 4;

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    value_set<bit<8>>(NONE) empty;                      // WARNING zero-size
    value_set<bit<8>>(1) small;
    state start {
        packet.extract(hdr.item);
        transition select(hdr.item.kind) {
            empty: reject;
            small: accept;
            default: accept;
        }
    }
}

// What the size is depends on who makes an instance of the control.
control Sized(inout headers_t hdr)(bit<32> size) {
    register<bit<8>>(size) kept;
    apply { kept.write(0, hdr.item.kind); }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    counter(0, CounterType.packets) none;               // WARNING zero-size
    meter(NONE, MeterType.bytes) no_meters;             // WARNING zero-size
    register<bit<8>>(0) nothing;                        // WARNING zero-size
    register<bit<8>>(1) one;
    direct_counter(CounterType.bytes) direct;
    Sized(4) sized;
    table t {
        key = { hdr.item.kind: exact; }
        actions = { NoAction; }
        default_action = NoAction();
        counters = direct;
    }
    table unlimited {
        key = { hdr.item.kind: exact; }
        actions = { NoAction; }
        default_action = NoAction();
        size = (bit<16>)NONE;
    }
    table roomy {
        key = { hdr.item.count: exact; }
        actions = { NoAction; }
        default_action = NoAction();
        size = 1;
    }
    apply {
        unlimited.apply();
        roomy.apply();
        none.count(1);
        no_meters.execute_meter(0, hdr.item.count);
        nothing.read(hdr.item.count, 0);
        one.write(0, 7);
        sized.apply(hdr);
        t.apply();
        standard.egress_spec = 1;
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) { apply {} }
control V(inout headers_t hdr, inout meta_t meta) { apply {} }
control C(inout headers_t hdr, inout meta_t meta) { apply {} }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
