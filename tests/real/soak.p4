// Sends packets on by the table `ports`. Every packet also looks into three tables whose entries come
// and go all the time: one of each kind of match.
#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

struct headers_t {
    ethernet_t ethernet;
}

struct metadata_t {
    bit<16> note;
}

parser Parse(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control Check(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control In(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    direct_counter(CounterType.packets_and_bytes) seen;
    register<bit<16>>(16) notes;

    action to(bit<9> port) {
        sm.egress_spec = port;
    }
    action drop() {
        mark_to_drop(sm);
    }
    action note(bit<16> value) {
        meta.note = meta.note ^ value;
    }
    table ports {
        key = { hdr.ethernet.dst: exact; }
        actions = { to; drop; }
        default_action = drop();
    }
    table hosts {
        key = { hdr.ethernet.src: exact; }
        actions = { note; NoAction; }
        default_action = NoAction();
        counters = seen;
        size = 4096;
    }
    table routes {
        key = { hdr.ethernet.src: lpm; }
        actions = { note; NoAction; }
        default_action = NoAction();
        size = 4096;
    }
    table rules {
        key = { hdr.ethernet.src: ternary; hdr.ethernet.type: ternary; }
        actions = { note; NoAction; }
        default_action = NoAction();
        size = 4096;
    }
    apply {
        ports.apply();
        hosts.apply();
        routes.apply();
        rules.apply();
        notes.write(0, meta.note);
    }
}

control Out(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { }
}

control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
    }
}

V1Switch(Parse(), Check(), In(), Out(), Check(), Deparse()) main;
