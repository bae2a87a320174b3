/*
 * What a test of the switch does not write itself: a test has its headers, its metadata, its parser P and its ingress I, defines OWN_… for any
 * other block that it has, and includes this file at its end. The blocks here do nothing; the deparser emits every header.
 */
#ifndef OWN_VERIFY
control V(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}
#endif

#ifndef OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {}
}
#endif

#ifndef OWN_UPDATE
control U(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}
#endif

#ifndef OWN_DEPARSER
control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}
#endif

V1Switch(P(), V(), I(), E(), U(), D()) main;
