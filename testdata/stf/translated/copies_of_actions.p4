// P4_14 as p4test prints it: a table with a direct meter or counter has copies of its actions, with the actions' names.
#include <core.p4>
#define V1MODEL_VERSION 20200408
#include <v1model.p4>

struct local_t {
    bit<32> colour;
}

header frame_t {
    bit<8>  to;
    bit<8>  by;
    bit<32> mark;
}

struct metadata {
    @name(".local")
    local_t local;
}

struct headers {
    @name(".frame")
    frame_t frame;
}

parser ParserImpl(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    @name(".parse_frame") state parse_frame {
        packet.extract(hdr.frame);
        transition accept;
    }
    @name(".start") state start {
        transition parse_frame;
    }
}

control egress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    @name(".show") action show() {
        hdr.frame.mark = meta.local.colour;
    }
    @name(".keep") action keep() {
    }
    @name(".shown") table shown {
        actions = {
            show;
            keep;
        }
        key = {
            hdr.frame.by: exact;
        }
        size = 4;
        default_action = keep();
    }
    apply {
        shown.apply();
    }
}

control ingress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    @name(".policer") direct_meter<bit<32>>(MeterType.packets) policer;
    @name(".sent") direct_counter(CounterType.packets) sent;
    @name(".send") action send(bit<9> port) {
        standard_metadata.egress_spec = port;
    }
    @name(".keep") action keep() {
    }
    @name(".send") action send_0(bit<9> port) {
        sent.count();
        standard_metadata.egress_spec = port;
    }
    @name(".keep") action keep_0() {
        sent.count();
    }
    @name(".counted") table counted {
        actions = {
            send_0;
            keep_0;
        }
        key = {
            hdr.frame.by: exact;
        }
        size = 16;
        counters = sent;
    }
    @name(".plain") table plain {
        actions = {
            send;
            keep;
        }
        key = {
            hdr.frame.to: exact;
        }
        size = 16;
    }
    @name(".send") action send_1(bit<9> port) {
        policer.read(meta.local.colour);
        standard_metadata.egress_spec = port;
    }
    @name(".keep") action keep_1() {
        policer.read(meta.local.colour);
    }
    @name(".policed") table policed {
        actions = {
            send_1;
            keep_1;
        }
        key = {
            hdr.frame.to: exact;
        }
        size = 16;
        meters = policer;
    }
    apply {
        plain.apply();
        policed.apply();
        counted.apply();
    }
}

control DeparserImpl(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr.frame);
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
