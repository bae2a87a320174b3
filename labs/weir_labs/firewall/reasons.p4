/* reasons.p4 - why a packet is refused: the index of its counter. */

const bit<32> UNKNOWN_SOURCE = 0;       // no entry for this MAC address at this port
const bit<32> WRONG_ADDRESS = 1;        // an IPv4 source address that is not the host's
const bit<32> UNKNOWN_TARGET = 2;       // no admitted host has the IPv4 destination address
const bit<32> WRONG_PORT = 3;           // no entry for the receiver's MAC address at the output port
const bit<32> NOT_IPV4 = 4;
const bit<32> MALFORMED = 5;            // headers that contradict each other or the packet's length
const bit<32> OPTIONS = 6;
const bit<32> FRAGMENT = 7;
const bit<32> EXPIRED = 8;              // TTL 0 or 1
const bit<32> PROTOCOL = 9;             // neither TCP, UDP nor ICMP
const bit<32> DENIED = 10;              // by a rule of the policy
const bit<32> NOT_CONTACTED = 11;       // a new host that the receiver has not contacted
const bit<32> TOO_MANY_REQUESTS = 12;   // more than the port's meter lets through
const bit<32> BAD_REQUEST = 13;         // of another length, or at a port of another switch
const bit<32> REASONS = 14;
