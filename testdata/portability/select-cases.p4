// Cases of `select` that are no constants, and value sets.
#include <core.p4>
#include <v1model.p4>

struct pair_t { bit<8> kind; bit<16> count; }
value_set<bit<16>>(4) everywhere; //! value-set-place
header probe_t {
    bit<8> kind;
    bit<16> count;
    bit<24> long;
    int<16> level;
}
struct headers_t {
    probe_t probe;
}
struct meta_t {
    bit<16> note;
    bit<8> mark;
    error problem;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    value_set<pair_t>(4) pairs;
    value_set<bit<8>>(4) kinds;
    value_set<error>(4) problems; //! value-set-error
    state start {
        packet.extract(hdr.probe);
        transition one;
    }
    state one {
        transition select(hdr.probe.kind, hdr.probe.count) {
            pairs: two;
            (kinds, 5): two; //! value-set-case
            default: two;
        }
    }
    state two {
        transition select(hdr.probe.count) {
            everywhere: three;
            meta.note: three; //! variable-case
            default: three;
        }
    }
    state three {
        transition select(meta.problem) { //! select-type
            error.NoError: accept;
            problems: accept;
            default: accept;
        }
    }
}
control Verify(inout headers_t hdr, inout meta_t meta) { apply { } }
control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 2;
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
