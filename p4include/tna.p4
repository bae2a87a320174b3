/*
 * tna.p4 - the Tofino Native Architecture (TNA):
 *
 *   IngressParser -> Ingress -> IngressDeparser -> (traffic manager)
 *     -> EgressParser -> Egress -> EgressDeparser
 *
 * Bytes with metadata come before the packet in both parsers. Programs for Tofino 2 include
 * `t2na.p4`, or this file with `__TARGET_TOFINO__` defined as 2, which changes only widths.
 */

#ifndef _TNA_P4_
#define _TNA_P4_

#if __TARGET_TOFINO__ == 2
#include <tna/widths2.p4>
#else
#include <tna/widths1.p4>
#endif

#include <tna/types.p4>
#include <tna/metadata1.p4>
#include <tna/externs.p4>
#include <tna/registers1.p4>
#include <tna/blocks1.p4>

#endif
