//! Numbers and sums in headers.

/// Returns the ones' complement sum of `bytes` and `sum` (RFC 1071), not complemented. An odd last
/// byte is followed by a zero.
pub fn internet_sum(sum: u16, bytes: &[u8]) -> u16 {
    let mut total = u64::from(sum);
    let mut words = bytes.chunks_exact(4);
    for word in &mut words {
        total += u64::from(u32::from_be_bytes([word[0], word[1], word[2], word[3]]));
    }
    let mut rest = [0; 4];
    rest[..words.remainder().len()].copy_from_slice(words.remainder());
    total += u64::from(u32::from_be_bytes(rest));
    while total > 0xffff {
        total = (total & 0xffff) + (total >> 16);
    }
    total as u16
}

/// Sets the length of an IP header, and IPv4's identification and checksum. The identification
/// increases by 1 from segment to segment, as for packets that were sent one by one.
pub(super) fn write_ip_lengths(number: usize, start: usize, end: usize, segment: &mut [u8]) {
    let length = segment.len() - start;
    let header = &mut segment[start..end];
    if header[0] >> 4 == 6 {
        write_u16(header, 4, (length - 40) as u16);
        return;
    }
    let identification = read_u16(header, 4).wrapping_add(number as u16);
    write_u16(header, 2, length as u16);
    write_u16(header, 4, identification);
    write_u16(header, 10, 0);
    let sum = !internet_sum(0, header);
    write_u16(header, 10, sum);
}

pub(super) fn read_u16(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

pub(super) fn write_u16(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_be_bytes());
}
