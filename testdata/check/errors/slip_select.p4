// A parser's transitions with common slips.
#include <core.p4>

parser p(packet_in b, in bit<16> type) {
    state start {
        transition select(type) {
            0x800: parse_ipv4;
            0x86dd: parse_ipv6;
            default accept; // ERROR syntax-unexpected-token
        }
    }
    state parse_ipv4 { transition accept; }
    state parse_ipv6 { transition accept; }
    state reject_all { accept; } // ERROR syntax-unexpected-token
}
