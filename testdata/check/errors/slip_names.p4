// Slips in names count as uses of what they mean; declarations below their use are pointed at.
#include <core.p4>

header h_t { bit<8> ttl; uint16_t length; } // ERROR unknown-type

control c(inout h_t h, inout bit<32> big) {
    action count() { h.ttl = h.ttl - 1; }
    action early() { set_up(); } // ERROR unknown-name
    action set_up() { h.ttl = 0; }
    table forward {
        key = { h.ttl: exact; }
        actions = { cuont; early; set_up; late; } // ERROR unknown-action unknown-action
    }
    action late() { big = 1; }
    apply {
        if (h.isValid()) {
            frward.apply(); // ERROR unknown-name
        }
        bit<8> total = h.ttl;
        h.ttl = totl; // ERROR unknown-name
    }
}
