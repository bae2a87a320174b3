// Types that controllers know by name: newtypes, translated ones, enums, structs, headers, tuples.
#include <v1model.p4>

typedef bit<32> address_t;

@p4runtime_translation("example.org/v1/port_t", bit<32>)
type bit<9> port_t;

@p4runtime_translation("example.org/v1/name_t", string)
type bit<10> name_t;

@p4runtime_translation("example.org/v1/of_16", 16)
@about("sizes")
type name_t wide_t;

type address_t host_t;
type host_t server_t;

enum bit<8> kind_t {
    first = 1,
    second = 0x20
}

enum colour_t {
    red,
    green
}

header h_t {
    bit<8> a;
    bit<16> b;
    bit<32> c;
}

header inner_t {
    host_t host;
    int<8> signed;
    varbit<32> rest;
}

header_union either_t {
    inner_t inner;
    h_t plain;
}

struct pair_t {
    host_t host;
    colour_t colour;
    kind_t kind;
    bool flag;
}

struct nested_t {
    pair_t pair;
    bit<7> number;
}

struct headers_t {
    h_t h;
}

struct meta_t {
    port_t port;
    name_t name;
    @noWarn("unwritten-metadata") wide_t wide;
    host_t host;
    @noWarn("unwritten-metadata") server_t server;
    kind_t kind;
    colour_t colour;
    address_t address;
    bit<9> untyped;
}

#include "rest.p4"

control MyIngress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    register<bit<48>>(4) plain;
    register<host_t>(4) hosts;
    register<pair_t>(4) pairs;
    register<nested_t>(4) nested;
    register<bool>(4) flags;
    register<tuple<bit<8>, host_t, tuple<bool, int<4>>>>(4) tuples;

    action set(port_t port, name_t name, kind_t kind, host_t host, address_t address, @name("hue") colour_t colour) {
        meta.port = port;
        meta.name = name;
        meta.kind = kind;
        meta.host = host;
        meta.address = address;
        meta.colour = colour;
    }

    table typed {
        key = {
            meta.port : exact;
            meta.name : ternary;
            meta.wide : exact;
            meta.host : lpm;
            meta.server : exact;
            meta.kind : exact;
            meta.address : exact;
            hdr.h.isValid() : exact;
        }
        actions = { set; NoAction; }
    }

    apply {
        typed.apply();
    }
}

V1Switch(TheParser(), NoSums(), MyIngress(), Nothing(), NoSums(), Emit()) main;
