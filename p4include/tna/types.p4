/* tna/types.p4 - the numbers and enumerations of TNA and T2NA. */

#ifndef _TNA_TYPES_P4_
#define _TNA_TYPES_P4_

#include <core.p4>

#define PACK_VERSION(a, b, c) (((a) << 24) + ((b) << 12) + (c))
#define COMPILER_VERSION PACK_VERSION(__p4c_major__, __p4c_minor__, __p4c_patchlevel__)

typedef bit<PORT_ID_WIDTH> PortId_t;
typedef bit<MULTICAST_GROUP_ID_WIDTH> MulticastGroupId_t;
typedef bit<QUEUE_ID_WIDTH> QueueId_t;
typedef bit<MIRROR_TYPE_WIDTH> MirrorType_t;
typedef bit<MIRROR_ID_WIDTH> MirrorId_t;
typedef bit<RESUBMIT_TYPE_WIDTH> ResubmitType_t;
typedef bit<DIGEST_TYPE_WIDTH> DigestType_t;
typedef bit<REPLICATION_ID_WIDTH> ReplicationId_t;
typedef bit<L1_EXCLUSION_ID_WIDTH> L1ExclusionId_t;
typedef bit<L2_EXCLUSION_ID_WIDTH> L2ExclusionId_t;
typedef error ParserError_t;

/* A port number is the number of the pipe, and the number of the port within the pipe. */
#define DEVPORT_PIPE_MASK 0x180
#define DEVPORT_PIPE(port) (port)[8:7]
#define DEVPORT_PORT_MASK 0x7f
#define DEVPORT_PORT(port) (port)[6:0]

/* The bits of `parser_err`. */
const bit<16> PARSER_ERROR_OK = 0;
const bit<16> PARSER_ERROR_NO_MATCH = 0x0001;
const bit<16> PARSER_ERROR_PARTIAL_HDR = 0x0002;
const bit<16> PARSER_ERROR_CTR_RANGE = 0x0004;
const bit<16> PARSER_ERROR_TIMEOUT_USER = 0x0008;
const bit<16> PARSER_ERROR_TIMEOUT_HW = 0x0010;
const bit<16> PARSER_ERROR_SRC_EXT = 0x0020;
const bit<16> PARSER_ERROR_DST_CONT = 0x0040;
const bit<16> PARSER_ERROR_PHV_OWNER = 0x0080;
const bit<16> PARSER_ERROR_MULTIWRITE = 0x0100;
const bit<16> PARSER_ERROR_ARAM_MBE = 0x0400;
const bit<16> PARSER_ERROR_FCS = 0x0800;
const bit<16> PARSER_ERROR_CSUM_MBE = 0x1000;

error {
    CounterRange,
    Timeout,
    PhvOwner,
    MultiWrite,
    IbufOverflow,
    IbufUnderflow
}

match_kind {
    range,
    selector,                 // part of the hash that chooses a member of a group
    atcam_partition_index,    // the partition of a table with `Atcam`
    dleft_hash
}

enum MeterType_t { PACKETS, BYTES }
enum bit<8> MeterColor_t { GREEN = 0, YELLOW = 1, RED = 3 }
enum CounterType_t { PACKETS, BYTES, PACKETS_AND_BYTES }
enum SelectorMode_t { FAIR, RESILIENT }
enum HashAlgorithm_t { IDENTITY, RANDOM, XOR8, XOR16, XOR32, CRC8, CRC16, CRC32, CRC64, CUSTOM }
enum MathOp_t { MUL, SQR, SQRT, DIV, RSQR, RSQRT }

#endif
