// A label-switching router in the manner of MPLS: a stack of labels that the parser collects, and the control
// swaps, pushes and pops.
#include <core.p4>
#include <v1model.p4>

const bit<16> ETHERTYPE_MPLS = 0x8847;
const bit<16> ETHERTYPE_IPV4 = 0x0800;

#define MAX_LABELS 4

error {
    TooManyLabels
}

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> ether_type;
}

header label_t {
    bit<20> label;
    bit<3>  traffic_class;
    bit<1>  bottom;
    bit<8>  ttl;
}

header ipv4_t {
    bit<64> front;
    bit<8>  ttl;
    bit<88> rest;
}

struct headers_t {
    ethernet_t           ethernet;
    label_t[MAX_LABELS]  labels;
    ipv4_t               ipv4;
}

struct metadata_t {
    bit<8> depth;
}

parser LabelParser(packet_in packet, out headers_t hdr, inout metadata_t meta,
                   inout standard_metadata_t standard_metadata) {
    state start {
        meta.depth = 0;
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHERTYPE_MPLS: next_label;
            ETHERTYPE_IPV4: ipv4;
            default: accept;
        }
    }

    state next_label {
        verify(meta.depth < MAX_LABELS, error.TooManyLabels);
        packet.extract(hdr.labels.next);
        meta.depth = meta.depth + 1;
        transition select(hdr.labels.last.bottom) {
            0: next_label;
            1: behind_labels;
        }
    }

    state behind_labels {
        transition select(packet.lookahead<bit<4>>()) {
            4: ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

control LabelVerify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control LabelIngress(inout headers_t hdr, inout metadata_t meta,
                     inout standard_metadata_t standard_metadata) {
    action discard() {
        mark_to_drop(standard_metadata);
    }

    action send(bit<9> port) {
        standard_metadata.egress_spec = port;
    }

    action swap(bit<20> label, bit<9> port) {
        hdr.labels[0].label = label;
        hdr.labels[0].ttl = hdr.labels[0].ttl - 1;
        send(port);
    }

    action push(bit<20> label, bit<9> port) {
        hdr.labels.push_front(1);
        hdr.labels[0].setValid();
        hdr.labels[0].label = label;
        hdr.labels[0].traffic_class = 0;
        hdr.labels[0].bottom = (bit<1>)!hdr.labels[1].isValid();
        hdr.labels[0].ttl = 64;
        hdr.ethernet.ether_type = ETHERTYPE_MPLS;
        send(port);
    }

    action pop(bit<9> port) {
        hdr.labels.pop_front(1);
        if (!hdr.labels[0].isValid()) {
            hdr.ethernet.ether_type = ETHERTYPE_IPV4;
        }
        send(port);
    }

    table labels {
        key = { hdr.labels[0].label: exact; }
        actions = { swap; push; pop; discard; }
        default_action = discard;
    }

    table classes {
        key = { hdr.ipv4.isValid(): exact; standard_metadata.ingress_port: exact; }
        actions = { push; send; discard; }
        default_action = discard;
    }

    apply {
        if (hdr.labels[0].isValid()) {
            if (hdr.labels[0].ttl > 1) {
                labels.apply();
            } else {
                discard();
            }
        } else {
            switch (classes.apply().action_run) {
                push: { hdr.labels[0].traffic_class = 1; }
                send: { }
                default: { log_msg("no class for port {}", { standard_metadata.ingress_port }); }
            }
        }
    }
}

control LabelEgress(inout headers_t hdr, inout metadata_t meta,
                    inout standard_metadata_t standard_metadata) {
    apply { }
}

control LabelChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control LabelDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.labels);
        packet.emit(hdr.ipv4);
    }
}

V1Switch(LabelParser(), LabelVerify(), LabelIngress(), LabelEgress(), LabelChecksum(),
         LabelDeparser()) main;
