// Stacks of header unions.
#include <core.p4>
#include <v1model.p4>

header probe_t {
    bit<8> kind;
    bit<16> count;
    bit<24> long;
    int<16> level;
}
header short_t { bit<8> a; }
header wide_t { bit<16> b; }
header_union Either {
    short_t little;
    wide_t big;
}
struct headers_t {
    probe_t probe;
    Either[3] either;
    Either one;
}
struct meta_t {
    bit<16> note;
    bit<8> mark;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.probe);
        packet.extract(hdr.either.next.little);
        transition select(hdr.either.last.little.a) { //! union-element
            1: accept;
            default: reject;
        }
    }
}
control Verify(inout headers_t hdr, inout meta_t meta) { apply { } }
control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 2;
        hdr.either.pop_front(1); //! union-stack-pop
        hdr.one.little.setInvalid(); //! union-member-invalid
        if (hdr.either[0].isValid()) { hdr.probe.count = 1; } //! union-element
        if (hdr.one.isValid()) { hdr.probe.count = 2; }
    }
}
control Leave(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control Update(inout headers_t hdr, inout meta_t meta) { apply { } }
control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}
V1Switch(Parse(), Verify(), Enter(), Leave(), Update(), Deparse()) main;
