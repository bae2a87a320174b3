// P4_14 as p4test prints it: stateful objects outside of controls, profiles, hashes, results of tables.
#include <core.p4>
#define V1MODEL_VERSION 20200408
#include <v1model.p4>

struct local_t {
    bit<16> before;
    bit<8>  colour;
    bit<9>  chosen;
}

header frame_t {
    bit<8>  kind;
    bit<8>  flow;
    bit<16> value;
    @saturating
    bit<8>  load;
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

@name(".spread") @mode("fair") action_selector(HashAlgorithm.crc16, 32w16, 32w14) spread;
@name(".hits") @min_width(32) counter<bit<4>>(32w16, CounterType.packets) hits;
@name(".last") register<bit<16>, bit<4>>(32w16) last;
@name(".limit") meter<bit<4>>(32w16, MeterType.packets) limit;

control egress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    apply {
    }
}

control ingress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    @name("._drop") action _drop() {
        mark_to_drop(standard_metadata);
    }
    @name(".remember") action remember(bit<4> index) {
        hits.count((bit<4>)index);
        last.read(meta.local.before, (bit<4>)index);
        last.write((bit<4>)index, (bit<16>)hdr.frame.value);
        hdr.frame.value = meta.local.before;
    }
    @name(".police") action police(bit<4> index) {
        limit.execute_meter((bit<4>)index, meta.local.colour);
        hdr.frame.load = (bit<8>)hdr.frame.load |+| (bit<8>)meta.local.colour;
    }
    @name(".choose") action choose(bit<8> base, bit<8> count) {
        hash(meta.local.chosen, HashAlgorithm.crc16, (bit<9>)base, { hdr.frame.kind, hdr.frame.flow }, (bit<16>)count);
        standard_metadata.egress_spec = meta.local.chosen;
    }
    @name(".send") action send(bit<9> port) {
        standard_metadata.egress_spec = port;
    }
    @name(".by_kind") table by_kind {
        actions = {
            remember;
            police;
            choose;
        }
        key = {
            hdr.frame.kind & 8w0xf: exact @name("frame.kind");
        }
        size = 16;
    }
    @name(".everything") table everything {
        actions = {
            _drop;
        }
        key = {
        }
        size = 1;
        const default_action = _drop();
    }
    @name(".exact") table exact_0 {
        actions = {
            send;
            @defaultonly NoAction;
        }
        key = {
            hdr.frame.isValid(): ternary;
            hdr.frame.flow     : exact;
        }
        size = 16;
        default_action = NoAction();
    }
    @name(".members") table members {
        actions = {
            send;
            _drop;
        }
        key = {
            hdr.frame.kind: exact;
            hdr.frame.flow: selector;
        }
        size = 16;
        implementation = spread;
    }
    apply {
        switch (by_kind.apply().action_run) {
            choose: {
            }
            remember: {
                if (exact_0.apply().hit) {
                    ;
                } else {
                    everything.apply();
                }
            }
            default: {
                members.apply();
            }
        }
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
        update_checksum(hdr.frame.isValid() && hdr.frame.kind == 8w0xff, { hdr.frame.kind, hdr.frame.flow }, hdr.frame.value, HashAlgorithm.csum16);
    }
}

V1Switch(ParserImpl(), verifyChecksum(), ingress(), egress(), computeChecksum(), DeparserImpl()) main;
