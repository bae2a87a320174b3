// Fields that are in several field lists.
#include <core.p4>
#include <v1model.p4>

header probe_t {
    bit<8> kind;
    bit<16> count;
    int<16> level;
}
struct headers_t { probe_t probe; }
struct inner_t { bit<8> first; @field_list(3) bit<8> second; } //! field-list-inside
struct same_t { @field_list(1) bit<8> first; }
struct alone_t { @field_list(1) bit<8> first; bit<8> second; }
struct meta_t {
    @field_list(1) @field_list(2) bit<8> twice; //! field-list-twice
    @field_list(1, 2) bit<8> once;
    @field_list(1) inner_t inner;
    @field_list(1) same_t same;
    alone_t alone;
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
        meta.twice = 1;
        meta.once = 1;
        meta.inner = { 1, 2 };
        meta.same = { 1 };
        meta.alone = { 1, 2 };
        clone_preserving_field_list(CloneType.I2E, 1, 2);
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
