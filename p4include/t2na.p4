/*
 * t2na.p4 - the native architecture of Tofino 2: that of `tna.p4` with wider fields, more metadata
 * and more methods of externs.
 */

#ifndef _T2NA_P4_
#define _T2NA_P4_

#undef __TARGET_TOFINO__
#define __TARGET_TOFINO__ 2
#define _TNA_TOFINO_2_

#include <tna/widths2.p4>
#include <tna/types.p4>
#include <tna/metadata2.p4>
#include <tna/externs.p4>
#include <tna/registers2.p4>
#include <tna/blocks2.p4>

#endif
