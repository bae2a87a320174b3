// Whole elements of stacks at indices that packets decide, and other things only `simple_switch` refuses.
#include <core.p4>
#include <v1model.p4>

header probe_t {
    bit<8> kind;
    bit<16> count;
    bit<24> long;
    int<16> level;
}
header tag_t { bit<8> tag; }
header_union either_t { tag_t one; }
struct headers_t {
    probe_t probe;
    tag_t[4] tags;
    either_t either;
}
struct meta_t {
    bit<2> place;
    bool flag;
    either_t either; //! metadata-union
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.probe);
        packet.extract(hdr.tags[1]);
        packet.extract(hdr.tags[meta.place]); //! runtime-element
        meta.flag = packet.lookahead<bool>(); //! lookahead-bool
        meta.place = packet.lookahead<bit<2>>();
        transition accept;
    }
}
control Verify(inout headers_t hdr, inout meta_t meta) { apply { } }
control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 2;
        hdr.tags[meta.place] = hdr.tags[0]; //! runtime-element
        hdr.tags[meta.place].tag = 1;
        hdr.tags[2] = hdr.tags[1];
    }
}
control Leave(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control Update(inout headers_t hdr, inout meta_t meta) { apply { } }
control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.probe);
        packet.emit(hdr.tags[hdr.probe.kind[1:0]]); //! runtime-element
        packet.emit(hdr.tags);
    }
}
V1Switch(Parse(), Verify(), Enter(), Leave(), Update(), Deparse()) main;
