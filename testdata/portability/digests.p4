// Messages to the control plane.
#include <core.p4>
#include <v1model.p4>

header probe_t {
    bit<8> kind;
    bit<16> count;
    bit<24> long;
    int<16> level;
}
header_union one_t {
    probe_t probe;
}
struct headers_t {
    probe_t probe;
    probe_t[2] more;
    one_t one;
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
    apply {
        sm.egress_spec = 2;
        digest(1, hdr.probe); //! digest-data
        digest(1, hdr.one); //! digest-data
        digest(1, sm.parser_error); //! digest-data
        digest(1, { sm.parser_error, hdr.probe });
        digest(1, { hdr.more, hdr.probe.kind }); //! digest-member
        digest(1, { hdr.one, hdr.probe.kind }); //! digest-member
        digest(1, { hdr.probe.kind });
        digest(1, meta); //! digest-metadata
        meta_t copy = meta;
        digest(1, copy); //! digest-metadata
        digest<meta_t>(1, { meta.note, meta.mark });
        digest(1, sm);
    }
}
control Leave(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        digest(1, { hdr.probe.kind }); //! digest-block
    }
}
control Update(inout headers_t hdr, inout meta_t meta) { apply { } }
control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}
V1Switch(Parse(), Verify(), Enter(), Leave(), Update(), Deparse()) main;
