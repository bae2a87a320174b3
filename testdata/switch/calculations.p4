/* CRC calculations in all places where a program can have them. */
#include <core.p4>
#include <v1model.p4>

header item_t {
    bit<32> a;
    bit<32> b;
    bit<16> c;
}

struct headers_t {
    item_t item;
}

struct metadata_t {
    bit<32> x;
    bit<16> y;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.item);
        transition accept;
    }
}

control V(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.item.isValid(), { hdr.item.a }, hdr.item.c, HashAlgorithm.crc16_custom);
    }
}

control Part(inout headers_t hdr, inout metadata_t meta) {
    action deep() {
        hash(meta.x, HashAlgorithm.crc32_custom, 32w0, { hdr.item.a }, 32w4);
    }
    apply {
        hash(meta.y, HashAlgorithm.crc16_custom, 16w0, { hdr.item.a }, 32w5);
        deep();
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action unused() {
        hash(meta.x, HashAlgorithm.crc32_custom, 32w0, { hdr.item.b }, 32w9);
    }
    action first() {
        hash(meta.x, HashAlgorithm.crc32_custom, 32w0, { hdr.item.a }, 32w1000);
    }
    action second(bit<32> limit) {
        hash(meta.x, HashAlgorithm.crc32_custom, 32w0, { hdr.item.b }, limit);
        hash(meta.y, HashAlgorithm.crc16_custom, 16w0, { hdr.item.b }, 32w7);
    }
    action third() {
        first();
        hash(meta.y, HashAlgorithm.crc16, 16w0, { hdr.item.c }, 32w7);
    }
    table t {
        key = { hdr.item.a: exact; }
        actions = { second; first; NoAction; }
    }
    table u {
        key = { hdr.item.b: exact; }
        actions = { first; third; NoAction; }
    }
    Part() part;

    apply {
        hash(meta.x, HashAlgorithm.crc32_custom, 32w0, { hdr.item.c }, 32w1000);
        if (t.apply().hit) {
            hash(meta.x, HashAlgorithm.crc32_custom, 32w0, { hdr.item.b }, 32w1001);
        } else {
            u.apply();
        }
        first();
        part.apply(hdr, meta);
        hash(meta.y, HashAlgorithm.crc16, 16w0, { hdr.item.c }, 32w1000);
        hash(meta.x, HashAlgorithm.crc32_custom, 32w0, { hdr.item.c }, 32w1000);
        standard.egress_spec = 1;
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action last() {
        hash(meta.y, HashAlgorithm.crc16_custom, 16w0, { hdr.item.b }, 32w7);
    }
    apply {
        hash(meta.x, HashAlgorithm.crc32_custom, 32w0, { hdr.item.a }, 32w1000);
        last();
    }
}

control C(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(true, { hdr.item.b }, hdr.item.c, HashAlgorithm.crc16_custom);
    }
}

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.item);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
