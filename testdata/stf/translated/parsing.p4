// P4_14 as p4test prints it: stacks, variable fields, lookahead, value sets, and an entry for packets from elsewhere.
#include <core.p4>
#define V1MODEL_VERSION 20200408
#include <v1model.p4>

struct local_t {
    bit<8> left;
}

header start_t {
    bit<8>  version;
    bit<8>  labels;
    bit<16> type;
}

header label_t {
    bit<7> number;
    bit<1> bottom;
}

header options_t {
    bit<4> length;
    bit<4> flags;
    varbit<120> data;
}

@name("options_t") header options_t_1 {
    bit<4> length;
    bit<4> flags;
}

header rest_t {
    bit<8> byte;
}

struct metadata {
    @name(".local")
    local_t local;
}

struct headers {
    @name(".first")
    start_t    first;
    @name(".options")
    options_t  options;
    @name(".rest")
    rest_t     rest;
    @name(".labels")
    label_t[3] labels;
}

parser ParserImpl(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    options_t_1 tmp_hdr;
    @name(".known") value_set<bit<16>>(4) known;
    @parser_value_set_size(4) @name(".pairs") value_set<tuple<bit<8>, bit<16>>>(4) pairs;
    @name(".parse_label") state parse_label {
        packet.extract(hdr.labels.next);
        meta.local.left = meta.local.left - 8w1;
        transition select(meta.local.left, hdr.labels.last.bottom) {
            (8w0 &&& 8w255, 1w0 &&& 1w0): parse_rest;
            (8w0 &&& 8w0, 1w1 &&& 1w1): parse_rest;
            default: parse_label;
        }
    }
    @name(".parse_options") state parse_options {
        tmp_hdr = packet.lookahead<options_t_1>();
        packet.extract(hdr.options, (bit<32>)(((bit<32>)tmp_hdr.length << 2) * 8 - 8));
        transition parse_rest;
    }
    @name(".parse_rest") state parse_rest {
        packet.extract(hdr.rest);
        transition accept;
    }
    @name(".parse_start") state parse_start {
        packet.extract(hdr.first);
        meta.local.left = hdr.first.labels;
        transition select(hdr.first.type) {
            16w1: parse_label;
            known: parse_options;
            default: pairs_of_start;
        }
    }
    @name(".pairs_of_start") state pairs_of_start {
        transition select(hdr.first.version, hdr.first.type) {
            pairs: parse_rest;
            default: accept;
        }
    }
    @packet_entry @name(".start_mirrored") state start_mirrored {
        transition parse_rest;
    }
    @name(".start") state start {
        transition select((packet.lookahead<bit<8>>())[0:0]) {
            1w1: parse_rest;
            default: parse_start;
        }
    }
}

control egress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    apply {
    }
}

control ingress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    @name(".push") action push(bit<7> number) {
        hdr.labels.push_front(1);
        hdr.labels[0].setValid();
        hdr.labels[0].number = number;
        hdr.labels[0].bottom = 1w0;
        hdr.first.labels = hdr.first.labels + 8w1;
    }
    @name(".pop") action pop() {
        hdr.labels.pop_front(1);
        hdr.first.labels = hdr.first.labels - 8w1;
    }
    @name(".change") table change {
        actions = {
            push;
            pop;
        }
        key = {
            hdr.labels[0].isValid(): exact;
            hdr.labels[0].number   : ternary;
        }
        size = 8;
    }
    apply {
        standard_metadata.egress_spec = 9w1;
        if (hdr.first.isValid() && !hdr.options.isValid()) {
            change.apply();
        }
    }
}

control DeparserImpl(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr.first);
        packet.emit(hdr.options);
        packet.emit(hdr.labels);
        packet.emit(hdr.rest);
    }
}

control verifyChecksum(inout headers hdr, inout metadata meta) {
    apply {
    }
}

control computeChecksum(inout headers hdr, inout metadata meta) {
    apply {
    }
}

V1Switch(ParserImpl(), verifyChecksum(), ingress(), egress(), computeChecksum(), DeparserImpl()) main;
