// Annotations of the package, and headers to and from the controller.
#include <v1model.p4>

@controller_header("packet_in")
@brief("From the switch.")
header in_t {
    bit<9> port;
    @id(8) @padding bit<7> gap;
}

@controller_header("packet_out")
header out_t {
    bit<9> port;
    bit<7> gap;
}

header h_t {
    bit<8> a;
}

struct headers_t {
    in_t to_controller;
    out_t from_controller;
    h_t h;
}

struct meta_t {}

#include "rest.p4"

control MyIngress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {}
}

@pkginfo[name="router", version="3", organization="Weir", contact="us", url="https://example.org"]
@brief("A router.")
@description("It routes.")
@platform_property[multicast_group_table_size=10, multicast_group_table_total_replicas=100]
@custom("of main")
V1Switch(TheParser(), NoSums(), MyIngress(), Nothing(), NoSums(), Emit()) main;
