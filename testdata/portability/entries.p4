// Entries in the program.
#include <core.p4>
#include <v1model.p4>

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
    state start {
        packet.extract(hdr.probe);
        transition accept;
    }
}
control Verify(inout headers_t hdr, inout meta_t meta) { apply { } }
control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action keep(bit<16> value) { meta.note = value; }
    table ranges {
        key = { hdr.probe.count: range; }
        actions = { keep; NoAction; }
        default_action = NoAction();
        const entries = {
            256 &&& 0xff00: keep(1); //! range-mask
            3 &&& 0xffff: keep(3);
            1 .. 5: keep(2);
        }
    }
    table exacts {
        key = { hdr.probe.count: exact; hdr.probe.kind: ternary; }
        actions = { keep; NoAction; }
        default_action = NoAction();
        const entries = {
            (_, 5): keep(1); //! exact-any
            (4, _): keep(2);
        }
    }
    table signed {
        key = { hdr.probe.level: range; }
        actions = { keep; NoAction; }
        default_action = NoAction();
        const entries = {
            -5 .. 5: keep(1); //! negative-key
            6 .. 9: keep(2);
            -7: keep(3); //! negative-key
        }
    }
    table errors {
        key = { meta.problem: exact; }
        actions = { keep; NoAction; }
        default_action = NoAction();
        const entries = {
            error.NoError: keep(1); //! error-entry
        }
    }
    apply {
        sm.egress_spec = 2;
        signed.apply();
        errors.apply();
        ranges.apply();
        exacts.apply();
        hdr.probe.count = meta.note;
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
