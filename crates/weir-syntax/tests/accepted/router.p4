// An ordinary router against an architecture of its own.
match_kind { exact, ternary, lpm, range }

error { NoError, PacketTooShort, BadVersion }

extern packet_in {
    void extract<T>(out T hdr);
    void extract<T>(out T hdr, in bit<32> size_in_bits);
    T lookahead<T>();
    void advance(in bit<32> size_in_bits);
    bit<32> length();
}

extern packet_out {
    void emit<T>(in T hdr);
}

extern void verify(in bool condition, in error code);

@noWarn("unused")
action NoAction() { }

const bit<16> TYPE_IPV4 = 0x0800;
typedef bit<9> port_t;
typedef bit<48> mac_t;
type bit<32> address_t;

header ethernet_t {
    mac_t dst;
    mac_t src;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4> version;
    bit<4> ihl;
    @field("dscp") bit<8> tos;
    bit<16> length;
    varbit<320> options;
    bit<8> ttl;
    address_t dst;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
}

struct meta_t { port_t port; bool drop; }

parser Start<H, M>(packet_in packet, out H headers, inout M meta);
control Stage<H, M>(inout H headers, inout M meta);
control Finish<H>(packet_out packet, in H headers);
package Router<H, M>(Start<H, M> start, Stage<H, M> stage, Finish<H> finish);

parser start_of_packet(packet_in packet, out headers_t headers, inout meta_t meta) {
    state start {
        packet.extract(headers.ethernet);
        transition select(headers.ethernet.ether_type) {
            TYPE_IPV4: ipv4;
            default: accept;
        }
    }
    state ipv4 {
        packet.extract(headers.ipv4);
        verify(headers.ipv4.version == 4, error.BadVersion);
        transition accept;
    }
}

control stage(inout headers_t headers, inout meta_t meta) {
    action drop() { meta.drop = true; }
    action forward(mac_t mac, port_t port) {
        headers.ethernet.src = headers.ethernet.dst;
        headers.ethernet.dst = mac;
        meta.port = port;
        headers.ipv4.ttl = headers.ipv4.ttl - 1;
    }
    table routes {
        key = { headers.ipv4.dst: lpm @name("dst"); }
        actions = { forward; drop; @defaultonly NoAction; }
        size = 1024;
        default_action = NoAction();
    }
    apply {
        if (headers.ipv4.isValid() && !meta.drop) {
            routes.apply();
        } else {
            drop();
        }
    }
}

control finish(packet_out packet, in headers_t headers) {
    apply {
        packet.emit(headers.ethernet);
        packet.emit(headers.ipv4);
    }
}

Router(start_of_packet(), stage(), finish()) main;
