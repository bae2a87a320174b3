// Cases that choose nothing, and value sets at the top level.
#include <core.p4>

header h_t { bit<8> kind; bit<8> count; }

value_set<bit<8>>(4) used;
value_set<bit<8>>(4) unused; // WARNING unused

parser p(packet_in packet, out h_t h) {
    state start {
        packet.extract(h);
        transition select(h.kind) { // WARNING no-cases
            default: second;
        }
    }
    state second {
        transition select(h.kind, h.count) { // WARNING no-cases
            (_, default): third;
        }
    }
    state third {
        transition select(h.kind) { // WARNING no-cases
            _: fourth;
        }
    }
    state fourth {
        transition select(h.kind) {
            used: fifth;
            default: reject;
        }
    }
    state fifth {
        transition select(h.kind) {
            1: sixth;
            2: seventh;
            default: reject;
        }
    }
    state sixth {
        transition select(h.kind) { default: accept; }
    }
    state seventh {
        transition select(h.kind) { } // WARNING no-cases
    }
}

control c(inout h_t h) {
    action a() { }
    action b() { }
    table t { actions = { a; b; } default_action = a; }
    apply {
        switch (h.kind) { } // WARNING no-cases
        switch (t.apply().action_run) { } // WARNING no-cases
        switch (h.kind) { // WARNING no-cases
            default: { h.count = 1; }
        }
        switch (t.apply().action_run) { // WARNING no-cases
            default: { h.count = 2; }
        }
        switch (h.kind) {
            default: // WARNING empty-case
        }
        switch (h.kind) {
            1:
            default: { h.count = 3; }
        }
    }
}
