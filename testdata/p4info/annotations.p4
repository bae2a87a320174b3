// Annotations as the program writes them.
#include <v1model.p4>

const bit<8> SEVEN = 7;

header h_t {
    bit<8> a;
    bit<16> b;
}

struct headers_t {
    h_t h;
}

struct meta_t {}

#include "rest.p4"

control MyIngress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    @bare
    @number(0x10)
    @constant(SEVEN)
    @text("with \"quotes\"")
    @tokens(a::b, f(x) < 3)
    @pairs(a = 1, b = "two")
    action set(@unit("ports") @kinds[1, "two", true, 1 + 2 == 3] bit<9> port) {
        sm.egress_spec = port;
    }

    @empty[]
    @list[1, -2, "three", SEVEN + 1]
    @keys[name = "a", number = 3 * 4, on = true]
    table annotated {
        key = {
            hdr.h.a : exact @refers_to(other, key) @name("a") @description("The first.");
            hdr.h.b : exact @structured[x = 1];
        }
        actions = { @tableonly @weight(3) set; @defaultonly NoAction; }
    }

    apply {
        annotated.apply();
    }
}

@pkginfo(name = "plain", version = "1")
@pkginfo(url = "https://example.org")
@platform_property(multicast_group_table_size = 12)
@more[a = "b"]
V1Switch(TheParser(), NoSums(), MyIngress(), Nothing(), NoSums(), Emit()) main;
