//! Runs passes on programs in text form.

use super::{BindGroup, bind};
use crate::text::{parse, print};
use crate::{ValidProgram, validate};

const TWO_BLOCKS: &str = "
errors { NoError, PacketTooShort, NoMatch, StackOutOfBounds, HeaderTooShort, ParserTimeout, ParserInvalidArgument }
header_type label_t { label: bit<15> last: bit<1> }
header P.hdr.s[0]: label_t
header P.hdr.s[1]: label_t
var P.hdr.s.$next$: bit<32>
var P.m.x: bit<8>
header C.h.s[0]: label_t
header C.h.s[1]: label_t
var C.h.s.$next$: bit<32>
var C.meta.x: bit<8> @field_list(1)
var C.local: bit<32>
var unused: bit<8>
var reg.result: bit<8>
var A.arg: bit<8>
stack P.hdr.s: { P.hdr.s[0], P.hdr.s[1] }
stack C.h.s: { C.h.s[0], C.h.s[1] }
action never() { unused = 8w1; }
action A(arg = A.arg) { C.meta.x = A.arg; }
procedure lonely { call lonely2; }
procedure lonely2 { }
procedure used { [C.h.s[0].label, C.h.s[1].label][C.local] = 15w3; }
table T { key k: exact [C.h.s[0].label, C.h.s[1].label][C.h.s.$next$] action A default A(8w1) }
parser P {
  param hdr: out hdr_t { `s[0]`: header P.hdr.s[0] `s[1]`: header P.hdr.s[1] s.$next$: P.hdr.s.$next$ stacks { P.hdr.s } }
  param m: inout meta_t { x: P.m.x }
  start start
  locals { }
  state start { extract next P.hdr.s; P.m.x = 8w7; -> accept }
}
control C {
  param h: inout hdr_t { `s[0]`: header C.h.s[0] `s[1]`: header C.h.s[1] s.$next$: C.h.s.$next$ stacks { C.h.s } }
  param meta: inout meta_t { x: C.meta.x }
  apply T;
  call used;
  push_front C.h.s 1;
  emit C.h.s[C.local];
  extern reg.result = count(in k = { header C.h.s[1] }, out x = &{ a: C.meta.x });
}
package main: Box { p = parser P inner = package i: In { c = control C } }
";

fn groups() -> Vec<BindGroup> {
    let group = |a: (&str, usize), b: (&str, usize)| BindGroup {
        params: vec![(a.0.to_owned(), a.1), (b.0.to_owned(), b.1)],
    };
    vec![group(("p", 0), ("inner.c", 0)), group(("p", 1), ("inner.c", 1))]
}

fn program(text: &str) -> ValidProgram {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}"));
    validate(program).unwrap_or_else(|violations| panic!("{}", violations[0]))
}

#[test]
fn bound_parameters_share_storage() {
    let bound = bind(program(TWO_BLOCKS), &groups()).unwrap();
    insta::assert_snapshot!(print(&bound));
}

#[test]
fn unbindable_parameters_are_named() {
    let message = |text: &str, groups: &[BindGroup]| bind(program(text), groups).unwrap_err().to_string();
    let group = |params: &[(&str, usize)]| {
        [BindGroup { params: params.iter().map(|(name, index)| ((*name).to_owned(), *index)).collect() }]
    };
    assert_eq!(
        message(TWO_BLOCKS, &group(&[("p", 0), ("inner.c", 1)])),
        "`hdr` of `P` (`hdr_t`) and `meta` of `C` (`meta_t`) should be the same type, but `s[0].$valid$` stands where the other has `x`"
    );
    let other_width =
        TWO_BLOCKS.replace("var P.m.x: bit<8>", "var P.m.x: bit<9>").replace("P.m.x = 8w7", "P.m.x = 9w7");
    assert_eq!(
        message(&other_width, &group(&[("p", 1), ("inner.c", 1)])),
        "`m` of `P` (`meta_t`) and `meta` of `C` (`meta_t`) should be the same type, but `x` is bit<9> in the first and bit<8> in the second"
    );
    assert_eq!(message(TWO_BLOCKS, &group(&[("q", 0)])), "the package `Box` has no block `q`");
    assert_eq!(message(TWO_BLOCKS, &group(&[("inner", 0)])), "the package `Box` has no block `inner`");
    assert_eq!(
        message(TWO_BLOCKS, &group(&[("p", 2)])),
        "`P` has 2 parameters, the architecture expects at least 3"
    );
    assert_eq!(message(TWO_BLOCKS, &group(&[("p", 0), ("p", 0)])), "`hdr` of `P` is bound twice");
    assert_eq!(
        message("var x: bool", &group(&[("p", 0)])),
        "the program has no package `main`, so it cannot run on any architecture"
    );
}

#[test]
fn groups_of_one_name_stay_apart() {
    let text = "var A.m.x: bit<8> var B.m.x: bit<8> var m.y: bit<8>
        control A { param m: inout a_t { x: A.m.x } A.m.x = 8w1; }
        control B { param m: inout b_t { x: B.m.x } B.m.x = 8w2; m.y = 8w3; }
        package main: Box { a = control A b = control B }";
    let groups = [("a", 0), ("b", 0)].map(|(name, index)| BindGroup { params: vec![(name.into(), index)] });
    let bound = bind(program(text), &groups).unwrap();
    let names: Vec<_> = bound.vars.values().map(|var| var.name.as_str()).collect();
    assert_eq!(names, ["m.x", "B.m.x", "m.y"]);
}

/// Returns a program of two blocks that each have a union. The union of the second block may have
/// other headers.
fn with_unions(second: &str) -> String {
    format!(
        "header_type h_t {{ x: bit<8> }}
        header A.h.u.a: h_t header A.h.u.b: h_t header A.h.c: h_t union {{ A.h.u.a, A.h.u.b }}
        header B.h.u.a: h_t header B.h.u.b: h_t header B.h.c: h_t union {{ {second} }}
        header B.own.a: h_t header B.own.b: h_t union {{ B.own.a, B.own.b }}
        header lost.a: h_t union {{ lost.a }}
        control A {{ param h: inout h_t {{ u.a: header A.h.u.a u.b: header A.h.u.b c: header A.h.c }} }}
        control B {{
          param h: inout h_t {{ u.a: header B.h.u.a u.b: header B.h.u.b c: header B.h.c }}
          invalidate_others B.h.u.a;
          invalidate_others B.own.a;
        }}
        package main: Box {{ a = control A b = control B }}"
    )
}

#[test]
fn bound_unions_are_one() {
    let group = BindGroup { params: vec![("a".into(), 0), ("b".into(), 0)] };
    let bound = bind(program(&with_unions("B.h.u.a, B.h.u.b")), std::slice::from_ref(&group)).unwrap();
    let unions: Vec<Vec<&str>> = bound
        .unions
        .values()
        .map(|union| union.members.iter().map(|id| bound.headers[*id].name.as_str()).collect())
        .collect();
    assert_eq!(unions, [["h.u.a", "h.u.b"], ["B.own.a", "B.own.b"]]);
    let printed = print(&bound);
    assert!(printed.contains("invalidate_others h.u.a;"), "{printed}");
    assert_eq!(parse(&printed).unwrap(), *bound);
    let other =
        bind(program(&with_unions("B.h.u.a, B.h.c").replace("others B.h.u.a", "others B.h.c")), &[group]);
    let message = other.unwrap_err().to_string();
    assert!(message.ends_with("but their headers belong to different unions"), "{message}");
}

#[test]
fn only_unused_items_are_removed() {
    // Without groups, binding only sweeps.
    let swept = bind(program(TWO_BLOCKS), &[]).unwrap();
    let printed = print(&swept);
    for gone in ["unused", "never", "lonely"] {
        assert!(!printed.contains(gone), "{gone} is still in\n{printed}");
    }
    for kept in ["P.hdr.s[1]", "procedure used", "action A", "C.local", "reg.result"] {
        assert!(printed.contains(kept), "{kept} is gone from\n{printed}");
    }
    assert_eq!(bind(swept.clone(), &[]).unwrap(), swept);
}
