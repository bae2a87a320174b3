/* Everything of v1model that the switch has, once. The tag says what a packet wants. */
#include <core.p4>
#include <v1model.p4>

header tag_t {
    bit<16> port;
    bit<8> wish;
    bit<8> index;
    bit<32> answer;
}

struct headers_t {
    tag_t tag;
    tag_t inner;
}

struct notes_t {
    bit<8> wish;
    bit<9> port;
}

struct metadata_t {
    @field_list(1, 2)
    bit<8> rounds;
    @field_list(2)
    notes_t notes;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    value_set<bit<16>>(4) tunnels;

    state start {
        packet.extract(hdr.tag);
        transition select(hdr.tag.port) {
            tunnels: tunnelled;
            default: accept;
        }
    }
    state tunnelled {
        packet.extract(hdr.inner);
        transition accept;
    }
}

control V(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    counter(16, CounterType.packets_and_bytes) wishes;
    register<bit<32>>(16) memory;
    meter(16, MeterType.bytes) limits;
    bit<32> old;
    bit<2> colour;

    action drop() {
        mark_to_drop(standard);
    }

    action answer(bit<32> with) {
        hdr.tag.answer = with;
    }

    @name("choose")
    table choices {
        key = {
            hdr.tag.wish: ternary;
            hdr.tag.index: range;
            standard.ingress_port: optional @name("from");
        }
        actions = { answer; @defaultonly drop; NoAction; }
        const default_action = NoAction();
        const entries = {
            (8w100 &&& 0xff, 0 .. 9, _): answer(1);
            (8w100 &&& 0xff, _, 9w3): answer(2);
        }
    }

    apply {
        standard.egress_spec = (bit<9>) hdr.tag.port;
        wishes.count((bit<32>) hdr.tag.wish);
        switch (hdr.tag.wish) {
            1: { hash(hdr.tag.answer, HashAlgorithm.crc32, 32w0, { hdr.tag.port, hdr.tag.index }, 64w0x1_0000_0000); }
            2: {
                memory.read(old, (bit<32>) hdr.tag.index);
                memory.write((bit<32>) hdr.tag.index, old + 1);
                hdr.tag.answer = old;
            }
            3: {
                limits.execute_meter((bit<32>) hdr.tag.index, colour);
                hdr.tag.answer = (bit<32>) colour;
            }
            4: { random(hdr.tag.answer, 32w5, 32w5); }
            5: { clone_preserving_field_list(CloneType.I2E, 7, 2); meta.notes = { hdr.tag.wish, standard.ingress_port }; }
            6: { standard.mcast_grp = (bit<16>) hdr.tag.index; }
            7: {
                if (meta.rounds < 2) {
                    meta.rounds = meta.rounds + 1;
                    resubmit_preserving_field_list(2);
                }
                hdr.tag.answer = (bit<32>) meta.rounds;
            }
            8: { digest<notes_t>(1, { hdr.tag.wish, standard.ingress_port }); }
            9: { truncate(8); }
            10: { assert(hdr.tag.index != 0); assume(true); }
            11: { log_msg("index {}", { hdr.tag.index }); }
            12: { drop(); }
            13: { if (hdr.inner.isValid()) { hdr.tag = hdr.inner; hdr.inner.setInvalid(); } }
            default: {}
        }
        choices.apply();
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (standard.instance_type == 1) {
            hdr.tag.answer = (bit<32>) (meta.notes.wish ++ (bit<16>) meta.notes.port);
        } else if (standard.instance_type == 5) {
            hdr.tag.answer = (bit<32>) standard.egress_rid;
        }
    }
}

control U(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(P(), V(), I(), E(), U(), D()) main;
