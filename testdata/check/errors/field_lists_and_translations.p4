// Several field lists on one field, translations with fewer bits, a result that is read too early.
#include <core.p4>
#include <v1model.p4>

@p4runtime_translation("example.org/port", 4)       // WARNING narrow-translation
type bit<9> port_t;
@p4runtime_translation("example.org/vlan", bit<16>)
type bit<12> vlan_t;
@p4runtime_translation("example.org/name", string)
type bit<12> name_t;
@p4runtime_translation("example.org/none", 0)       // WARNING narrow-translation
type bit<12> none_t;

header item_h { bit<8> kind; bit<8> count; }
struct headers_t { item_h item; }
struct meta_t {
    @field_list(1) @field_list(2) bit<8> twice;     // WARNING ignored-annotation
    @field_list(1, 2) bit<8> once;
    port_t port;
    vlan_t vlan;
    name_t name;
    none_t none;
}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.item);
        meta.port = (port_t)standard.ingress_port;
        meta.vlan = (vlan_t)12w1;
        meta.twice = (bit<8>)standard.checksum_error;   // WARNING read-too-early
        meta.once = 2;
        transition accept;
    }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    action to(port_t port) { standard.egress_spec = (bit<9>)port; }
    table t {
        key = { meta.port: exact; meta.vlan: exact; }
        actions = { to; NoAction; }
        default_action = NoAction();
    }
    apply {
        t.apply();
        hdr.item.count = meta.twice;
        clone_preserving_field_list(CloneType.I2E, 1, 2);
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    apply { hdr.item.kind = meta.twice + meta.once; }
}
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
