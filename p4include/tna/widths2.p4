/* tna/widths2.p4 - the widths of numbers in Tofino 2. */

#ifndef _TNA_WIDTHS_P4_
#define _TNA_WIDTHS_P4_

#define PORT_ID_WIDTH 9
#define MULTICAST_GROUP_ID_WIDTH 16
#define QUEUE_ID_WIDTH 7
#define MIRROR_TYPE_WIDTH 4
#define MIRROR_ID_WIDTH 8
#define RESUBMIT_TYPE_WIDTH 3
#define DIGEST_TYPE_WIDTH 3
#define REPLICATION_ID_WIDTH 16
#define L1_EXCLUSION_ID_WIDTH 16
#define L2_EXCLUSION_ID_WIDTH 9

const bit<32> PORT_METADATA_SIZE = 192;    // bits between the intrinsic metadata and the packet

#endif
