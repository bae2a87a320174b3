/* refusals.p4 - why a gateway refuses a packet: the places of its counter. */

const bit<32> REASONS = 11;

const bit<32> NO_HEADER = 0;         // ARP, IPv6, or too short
const bit<32> OPTIONS = 1;          // IPv4 options have no place in Shorternet
const bit<32> BAD_CHECKSUM = 2;     // of the IPv4 header
const bit<32> BAD_LENGTH = 3;       // a header says more or less than there is
const bit<32> FRAGMENT = 4;         // Shorternet has no fragments
const bit<32> EXPIRED = 5;          // TTL 0 or 1
const bit<32> PROTOCOL = 6;         // neither UDP, TCP nor ICMP
const bit<32> ICMP_ERROR = 7;       // it quotes a header that the receiver never had
const bit<32> UNKNOWN_SOURCE = 8;
const bit<32> UNKNOWN_TARGET = 9;
const bit<32> TOO_LONG = 10;        // for the MTU of the Ethernet port
