// Parameters that are written, without a direction that allows it.
header h_t { bit<8> x; }
struct headers_t { h_t h; }

control no_direction(headers_t hdr) {
    apply { hdr.h.x = 1; } // ERROR not-assignable
}

control in_only(in headers_t hdr) {
    apply { hdr.h.setInvalid(); } // ERROR not-assignable
}

void increment(in bit<8> x) { x = x + 1; } // ERROR not-assignable

void step(inout bit<8> x) { x = x + 1; }

control passes_on(in headers_t hdr) {
    apply { step(hdr.h.x); } // ERROR not-assignable
}
