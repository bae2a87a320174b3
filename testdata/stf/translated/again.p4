// P4_14 as p4test prints it: copies and passes that keep lists of fields, digests, and a length.
#include <core.p4>
#define V1MODEL_VERSION 20200408
#include <v1model.p4>

enum bit<8> FieldLists {
    none = 0,
    mirrored_FL = 1,
    again_FL = 2
}

struct intrinsic_metadata_t {
    bit<4> mcast_grp;
    bit<4> egress_rid;
}

struct local_t {
    @field_list(FieldLists.mirrored_FL, FieldLists.again_FL)
    bit<8> passes;
    @field_list(FieldLists.mirrored_FL)
    bit<8> reason;
    bit<8> kept;
}

header frame_t {
    bit<8> order;
    bit<8> passes;
    bit<8> reason;
    bit<8> kept;
}

@name("seen_digest") struct seen_digest {
    bit<8> order;
    bit<9> ingress_port;
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
    @name(".write") action write() {
        hdr.frame.passes = meta.local.passes;
        hdr.frame.reason = meta.local.reason;
        hdr.frame.kept = meta.local.kept;
    }
    @name(".do_recirculate") action do_recirculate() {
        recirculate_preserving_field_list((bit<8>)FieldLists.again_FL);
    }
    @name(".do_truncate") action do_truncate(bit<32> new_length) {
        truncate((bit<32>)new_length);
    }
    @name(".writing") table writing {
        actions = {
            write;
        }
        size = 1;
        default_action = write();
    }
    @name(".leaving") table leaving {
        actions = {
            do_recirculate;
            do_truncate;
        }
        key = {
            hdr.frame.order  : exact;
            meta.local.passes: exact;
        }
        size = 8;
    }
    apply {
        writing.apply();
        leaving.apply();
    }
}

control ingress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    @name(".count_pass") action count_pass() {
        meta.local.passes = meta.local.passes + 8w1;
        standard_metadata.egress_spec = 9w1;
    }
    @name(".do_resubmit") action do_resubmit() {
        meta.local.reason = 8w0xee;
        resubmit_preserving_field_list((bit<8>)FieldLists.again_FL);
    }
    @name(".do_mirror") action do_mirror(bit<32> mirror_id, bit<8> reason) {
        meta.local.reason = reason;
        meta.local.kept = 8w0xdd;
        clone_preserving_field_list(CloneType.I2E, (bit<32>)mirror_id, (bit<8>)FieldLists.mirrored_FL);
    }
    @name(".see") action see() {
        digest<seen_digest>((bit<32>)1024, { hdr.frame.order, standard_metadata.ingress_port });
    }
    @name(".counting") table counting {
        actions = {
            count_pass;
        }
        size = 1;
        default_action = count_pass();
    }
    @name(".doing") table doing {
        actions = {
            do_resubmit;
            do_mirror;
            see;
        }
        key = {
            hdr.frame.order  : exact;
            meta.local.passes: exact;
        }
        size = 8;
    }
    apply {
        counting.apply();
        doing.apply();
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
