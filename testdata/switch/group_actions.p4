/* A selector whose action sets may do something before the chosen action. */
#include <core.p4>
#include <v1model.p4>

header request_t {
    bit<8> group;
    bit<8> way;
    bit<32> source;
    bit<16> mark;
    bit<16> tag;
    bit<8> ran;
}

struct headers_t {
    request_t request;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.request);
        transition accept;
    }
}

control V(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

@noWarn("drop-overwritten") control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action_selector(HashAlgorithm.crc16, 32w64, 32w16) paths;

    action send(bit<9> port) {
        standard.egress_spec = port;
    }

    action drop() {
        mark_to_drop(standard);
    }

    // Its parameter has the name of the one of `send`.
    action mark(bit<16> port) {
        hdr.request.mark = port;
    }

    action tag_some(bit<16> tag, bit<72> long) {
        hdr.request.mark = (bit<16>)(long >> 40);
        if (hdr.request.way == 1) {
            return;
        }
        if (hdr.request.way == 2) {
            standard.egress_spec = 9;
            exit;
        }
        hdr.request.tag = tag;
    }

    table balance {
        key = {
            hdr.request.group: exact;
            hdr.request.source: selector;
        }
        actions = { @groupaction mark; send; drop; @groupaction tag_some; @defaultonly NoAction; }
        implementation = paths;
        default_action = NoAction();
    }

    table by_source {
        key = {
            hdr.request.source: exact;
            hdr.request.way: selector;
        }
        actions = { send; @groupaction mark; }
        implementation = paths;
    }

    apply {
        switch (balance.apply().action_run) {
            mark: { hdr.request.ran = 1; }
            send: { hdr.request.ran = 2; }
            drop: { hdr.request.ran = 3; }
            tag_some: { hdr.request.ran = 4; }
            default: { hdr.request.ran = 5; }
        }
        by_source.apply();
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {}
}

control C(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.request);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
