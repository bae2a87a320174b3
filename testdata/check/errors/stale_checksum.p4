// Fields that a checksum covers are changed, and nothing updates it.
#include <core.p4>
#include <v1model.p4>

// The layout of IPv4 with other names, and with one field for both type of service and ECN.
header ip_h {
    bit<4> v; bit<4> words; bit<6> service; bit<2> ecn; bit<16> length;
    bit<16> id; bit<3> flags; bit<13> offset;
    bit<8> hops; bit<8> next; bit<16> check; bit<32> from; bit<32> to;
}
header plain_h {
    bit<4> v; bit<4> words; bit<8> tos; bit<16> length;
    bit<16> id; bit<16> fragment;
    bit<8> hops; bit<8> next; bit<16> check; bit<32> from; bit<32> to;
}
// As long, but not IPv4.
header other_h {
    bit<32> first; bit<32> id; bit<8> hops; bit<8> next; bit<16> check; bit<64> rest;
}
header own_h { bit<8> kind; bit<8> count; bit<8> free; bit<16> sum; }

struct headers_t {
    ip_h outer;
    ip_h updated;
    ip_h swapped;
    ip_h copied;
    plain_h by_parameter;
    ip_h only_read;
    ip_h removed;
    other_h other;
    own_h own;
    own_h not_covered;
}
struct meta_t { bit<32> kept; bit<32> seen; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.outer);
        packet.extract(hdr.updated);
        packet.extract(hdr.swapped);
        packet.extract(hdr.by_parameter);
        packet.extract(hdr.only_read);
        packet.extract(hdr.removed);
        packet.extract(hdr.other);
        packet.extract(hdr.own);
        packet.extract(hdr.not_covered);
        transition accept;
    }
}

// Both the change and the update are made by another name of the header.
control Forward(inout plain_h ip) {
    apply {
        ip.hops = ip.hops - 1;
        ip.check = ip.check + 0x100;
    }
}

// Reads a field that a checksum covers.
control Read(in bit<8> hops, out bit<32> seen) {
    apply { seen = (bit<32>) hops; }
}

control V(inout headers_t hdr, inout meta_t meta) {
    apply {
        verify_checksum(true, { hdr.own.kind, hdr.own.count }, hdr.own.sum, HashAlgorithm.csum16);
        verify_checksum(true, { hdr.not_covered.kind }, hdr.not_covered.sum, HashAlgorithm.csum16);
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    action route(bit<9> port) {
        standard.egress_spec = port;
        hdr.outer.hops = hdr.outer.hops - 1;        // WARNING stale-checksum
        hdr.updated.hops = hdr.updated.hops - 1;
        hdr.other.hops = hdr.other.hops - 1;
    }
    table t {
        key = { hdr.only_read.to: lpm; }
        actions = { route; }
        default_action = route(1);
    }
    Forward() forward;
    Read() read;
    apply {
        t.apply();
        forward.apply(hdr.by_parameter);
        read.apply(hdr.only_read.hops, meta.seen);
        hdr.outer.to = 1;
        meta.kept = hdr.swapped.from;
        hdr.swapped.from = hdr.swapped.to;
        hdr.swapped.to = meta.kept;
        hdr.other.first = meta.seen;
        hdr.copied = hdr.swapped;
        hdr.own.free = 0;
        hdr.own.count = hdr.own.count + 1;          // WARNING stale-checksum
        hdr.not_covered.count = 1;
        hdr.removed.hops = 1;
        hdr.removed.setInvalid();
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) { apply {} }

control C(inout headers_t hdr, inout meta_t meta) {
    apply {
        update_checksum(hdr.updated.isValid(), {
            hdr.updated.v, hdr.updated.words, hdr.updated.service, hdr.updated.ecn, hdr.updated.length,
            hdr.updated.id, hdr.updated.flags, hdr.updated.offset, hdr.updated.hops, hdr.updated.next,
            hdr.updated.from, hdr.updated.to }, hdr.updated.check, HashAlgorithm.csum16);
    }
}
control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.outer);
        packet.emit(hdr.updated);
        packet.emit(hdr.swapped);
        packet.emit(hdr.copied);
        packet.emit(hdr.by_parameter);
        packet.emit(hdr.only_read);
        packet.emit(hdr.other);
        packet.emit(hdr.own);
        packet.emit(hdr.not_covered);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
