/*
 * checksums.p4 - the IPv4 checksum over a header with options.
 *
 * What is invalid is 0, or has no bytes, so it adds nothing to the sum. The bytes of all options
 * together are a multiple of 4.
 */

@noWarn("maybe-invalid-header")
control MyVerifyChecksum(inout headers hdr, inout metadata meta) {
    apply {
        verify_checksum(
            hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.diffserv, hdr.ipv4.totalLen,
              hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragOffset, hdr.ipv4.ttl,
              hdr.ipv4.protocol, hdr.ipv4.srcAddr, hdr.ipv4.dstAddr,
              hdr.others[0].bytes, hdr.others[1].bytes, hdr.others[2].bytes, hdr.others[3].bytes,
              hdr.pace, hdr.traces[0], hdr.traces[1], hdr.traces[2], hdr.traces[3],
              hdr.rest.bytes },
            hdr.ipv4.hdrChecksum,
            HashAlgorithm.csum16);
    }
}

@noWarn("maybe-invalid-header")
control MyComputeChecksum(inout headers hdr, inout metadata meta) {
    apply {
        update_checksum(
            hdr.ipv4.isValid() && meta.is_notice == 0,
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.diffserv, hdr.ipv4.totalLen,
              hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragOffset, hdr.ipv4.ttl,
              hdr.ipv4.protocol, hdr.ipv4.srcAddr, hdr.ipv4.dstAddr,
              hdr.others[0].bytes, hdr.others[1].bytes, hdr.others[2].bytes, hdr.others[3].bytes,
              hdr.pace, hdr.traces[0], hdr.traces[1], hdr.traces[2], hdr.traces[3],
              hdr.rest.bytes },
            hdr.ipv4.hdrChecksum,
            HashAlgorithm.csum16);
        // A notification was made from a packet whose other options are still in these fields.
        update_checksum(
            hdr.ipv4.isValid() && meta.is_notice == 1,
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.diffserv, hdr.ipv4.totalLen,
              hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragOffset, hdr.ipv4.ttl,
              hdr.ipv4.protocol, hdr.ipv4.srcAddr, hdr.ipv4.dstAddr, hdr.pace, hdr.traces[0] },
            hdr.ipv4.hdrChecksum,
            HashAlgorithm.csum16);
    }
}
