// Indices that packets decide.
#include <core.p4>
#include <v1model.p4>

header probe_t {
    bit<8> kind;
    bit<16> count;
    bit<24> long;
    int<16> level;
}
header tag_t { bit<8> tag; }
struct headers_t {
    probe_t probe;
    tag_t[4] tags;
}
struct meta_t {
    bit<16> note;
    bit<8> mark;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.probe);
        packet.extract(hdr.tags.next);
        hdr.tags.next.tag = 1; //! stack-next
        transition accept;
    }
}
control Verify(inout headers_t hdr, inout meta_t meta) { apply { } }
control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    register<bit<8>>(4) cells;
    apply {
        cells.read(hdr.tags[1].tag, 0);
        cells.read(hdr.tags[hdr.probe.count[1:0]].tag, 0); //! register-result
        sm.egress_spec = 2;
        hdr.probe.kind = hdr.tags[hdr.probe.count].tag; //! stack-index
        hdr.tags[hdr.probe.kind].setValid(); //! stack-index
        hdr.probe.kind = hdr.tags[hdr.probe.count[1:0]].tag;
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
