// Cells of registers.
#include <core.p4>
#include <v1model.p4>

header probe_t {
    bit<8> kind;
    bit<16> count;
    bit<24> long;
    int<16> level;
}
struct pair_t {
    bit<8> a;
    bit<8> b;
}
struct headers_t {
    probe_t probe;
}
struct meta_t {
    bit<16> note;
    bit<8> mark;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.probe);
        transition accept;
    }
}
control Verify(inout headers_t hdr, inout meta_t meta) { apply { } }
control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    register<pair_t>(4) pairs; //! register-type
    register<bool>(4) flags; //! register-type
    register<bit<8>>(0) none; //! empty-register
    register<bit<0>>(4) thin; //! empty-register
    register<bit<8>>(4) fine;
    register<bit<4>>(4) half;
    apply {
        sm.egress_spec = 2;
        pairs.write(1, { 1, 2 });
        flags.write(0, true);
        none.write(0, 1); //! cell-index
        thin.write(0, 0);
        fine.write(3, 1);
        fine.write(4, 1); //! cell-index
        fine.read(hdr.probe.kind, 9); //! cell-index
        fine.read(hdr.probe.kind[7:0], 0);
        half.read(hdr.probe.kind[3:0], 0); //! register-result
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
