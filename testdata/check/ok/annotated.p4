// Annotations where they mean something, with what they take.
#include <v1model.p4>

header item_t { bit<8> kind; bit<8> count; }
@controller_header("packet_in")
header in_t { @id(1) bit<16> port; }
struct headers_t { in_t sent; item_t item; }
struct meta_t { @field_list(1, 2) bit<8> kept; }
struct pair_t { @match(ternary) bit<8> kind; bit<8> count; }
@p4runtime_translation("ports", string)
@p4runtime_translation_mappings({{"one", 1}, {"two", 2}})
type bit<9> port_t;
@pure bit<8> same(in bit<8> value) { return value; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    @id(5) value_set<pair_t>(4) kinds;
    state start {
        packet.extract(hdr.item);
        transition select(hdr.item.kind, hdr.item.count) {
            kinds: accept;
            default: reject;
        }
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    @max_group_size(4) @selector_size_semantics("sum_of_members") @max_member_weight(2)
    action_selector(HashAlgorithm.crc16, 8, 16) members;
    @id(7) @alias("out") @brief("sends") @noWarn("unused-parameter")
    action send(@id(1) @brief("where to") port_t port, bit<8> other) {
        standard.egress_spec = (bit<9>)port;
    }
    @hidden action hidden() { meta.kept = same(hdr.item.kind); }
    @atomic action both() { meta.kept = meta.kept + 1; }
    @route @name("ways") @id(9)
    table t {
        key = { hdr.item.kind: exact @id(1) @name("kind"); hdr.item.count: selector; }
        actions = {
            @brief("out") send;
            @tableonly hidden;
            @defaultonly NoAction;
        }
        default_action = NoAction();
        implementation = members;
    }
    table u {
        key = { hdr.item.kind: ternary; }
        actions = { both; hidden; @defaultonly NoAction; }
        const default_action = NoAction();
        @max_group_size(2)
        implementation = action_selector(HashAlgorithm.crc32, 8, 32);
    }
    apply {
        t.apply();
        @atomic { u.apply(); }
        clone_preserving_field_list(CloneType.I2E, 1, 2);
        if (meta.kept == 5) { hdr.sent.setValid(); hdr.sent.port = 1; }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    apply { if (hdr.item.isValid()) { hdr.item.count = meta.kept; } }
}
control V(inout headers_t hdr, inout meta_t meta) { apply {} }
control C(inout headers_t hdr, inout meta_t meta) { apply {} }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

@pkginfo(name = "annotated", version = "1", organization = "weir", contact = "us", url = "none")
@platform_property(multicast_group_table_size = 8)
V1Switch(P(), V(), I(), E(), C(), D()) main;
