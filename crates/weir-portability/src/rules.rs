//! The table of rules: the behaviour of BMv2's tools, and either Weir's behaviour or what to write
//! instead.

/// The behaviour of the other tool chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `p4c-bm2-ss` refuses the program.
    Refuses,
    /// p4c accepts the program, but `simple_switch` exits when it loads it.
    CannotLoad,
    /// The program runs, but behaves differently.
    Differs,
}

/// A rule about one difference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    /// A name for tests and documentation.
    pub name: &'static str,
    /// Whether the program is refused.
    pub kind: Kind,
    /// The behaviour of the other tool.
    pub what: &'static str,
    /// What Weir does, or what to write instead.
    pub instead: &'static str,
}

impl Rule {
    /// The tool that the rule is about.
    pub fn tool(&self) -> &'static str {
        match self.kind {
            Kind::Refuses => "`p4c-bm2-ss` refuses this",
            Kind::CannotLoad => "`simple_switch` cannot load this",
            Kind::Differs => "`simple_switch` does otherwise",
        }
    }
}

macro_rules! rules {
    ($($id:ident $kind:ident $name:literal: $what:literal; $instead:literal)*) => {
        $(pub(crate) static $id: Rule =
            Rule { name: $name, kind: Kind::$kind, what: $what, instead: $instead };)*

        /// All rules, sorted by subject.
        pub fn rules() -> impl Iterator<Item = &'static Rule> {
            [$(&$id),*].into_iter()
        }
    };
}

rules! {
    // Types.
    HEADER_WIDTH Refuses "header-width":
        "a header must be a whole number of bytes long";
        "add a field that fills the last byte"
    TWO_VARBITS Refuses "two-varbits":
        "a header has at most one varbit field";
        "Weir never extracts such a header either; divide it into two"
    HEADERS_ONLY Refuses "headers-only":
        "the struct of all headers contains headers, stacks and unions only";
        "move the field to metadata"
    ARRAY Refuses "array":
        "there are no arrays of anything but headers";
        "use a field for each element, or a register"
    REGISTER_TYPE Refuses "register-type":
        "a register holds numbers (`bit<W>` or `int<W>`) only";
        "use a register for each field"
    EMPTY_REGISTER Refuses "empty-register":
        "a register needs at least one cell, and cells of at least one bit";
        "give it a size, and its cells a width"
    MODEL_ENUM Refuses "model-enum":
        "values of v1model's own enums, such as `HashAlgorithm`, are known when the program is compiled";
        "call the function in an `if` for each value"
    ACTION_DATA_TYPE Refuses "action-data-type":
        "action data is of type `bit<W>`, `int<W>` or an enum";
        "pass a `bit<1>` for a bool, and a parameter for each field of a struct or header"

    METADATA_UNION CannotLoad "metadata-union":
        "a header union in the metadata";
        "move it to the struct of headers"

    // Parsers.
    PARSER_CALL Refuses "parser-call":
        "parsers take assignments, methods of packets and headers, `verify` and `log_msg`";
        "Weir runs this; call it in ingress instead"
    STACK_NEXT Refuses "stack-next":
        "`next` of a header stack is for `extract` only";
        "name the element by its index"
    PACKET_LENGTH_METHOD Refuses "packet-length-method":
        "`length()` of a packet is not supported";
        "`standard_metadata.packet_length` has the length of the packet"
    VARIABLE_CASE Refuses "variable-case":
        "the values of a case of `select` are constants";
        "Weir compares with the variable; write `select(key == variable) { true: … }`"
    VALUE_SET_CASE Refuses "value-set-case":
        "a value set is a whole case of `select`";
        "let the value set hold a struct with a field for each key"
    VALUE_SET_PLACE Refuses "value-set-place":
        "a value set is declared in a parser";
        "Weir runs this; declare it in the parser that uses it"
    VALUE_SET_ERROR Refuses "value-set-error":
        "a value set cannot hold errors";
        "compare with each error in an `if`, and select over what it sets"
    SELECT_TYPE Refuses "select-type":
        "a key of `select` cannot be an error or a value of a `type`";
        "compare an error in an `if`, and select over what it sets; cast the value of a `type` to the type below it"
    SIGNED_RANGE Refuses "signed-range":
        "the cases of a `select` over an `int<W>` are all ranges, or none is";
        "Weir runs this; cast the key to `bit<W>`, and give its cases as numbers without a sign"
    STACK_IN_PARSER Refuses "stack-in-parser":
        "`push_front` and `pop_front` are not for parsers";
        "Weir runs this; call it in ingress"
    LAST_INDEX_KEY CannotLoad "last-index-key":
        "a key of `select` cannot be `lastIndex` of a stack";
        "cast it, as in `(bit<8>)h.stack.lastIndex`"
    NEGATIVE_MASK CannotLoad "negative-mask":
        "a case of `select` cannot have a mask with a negative value";
        "cast the key to `bit<W>`, and write the value without a sign"
    EMPTY_LAST Differs "empty-last":
        "the process ends if the stack is empty";
        "Weir reports `error.StackOutOfBounds` and rejects; extract an element first"
    LOOKAHEAD_BOOL CannotLoad "lookahead-bool":
        "`lookahead` of a `bool`";
        "look ahead at a `bit<1>`, and cast it"
    NO_MATCH Differs "no-match":
        "a packet that matches no case of this `select` is accepted, without an error";
        "Weir rejects it with `error.NoMatch`, as the specification says; add a `default` case"
    ALL_VALUES_FIRST Differs "all-values-first":
        "a case that every value matches is tried after all other cases";
        "Weir takes the first case that matches; move this case to the end"
    CASE_TWICE Differs "case-twice":
        "of cases with the same values the last one counts";
        "Weir takes the first one; remove the other"
    CONSTANT_SELECT_KEY CannotLoad "constant-select-key":
        "a key of `select` is not allowed to be a constant";
        "leave the key out, or select over a variable"
    UNION_ELEMENT CannotLoad "union-element":
        "`last` of a stack of header unions, and `isValid()` of one of its elements";
        "test the members of the union, as in `h.unions[0].member.isValid()`"

    // Checksum controls and the deparser.
    VERIFY_STATEMENT Refuses "verify-statement":
        "the control that verifies checksums takes calls of `verify_checksum` and `verify_checksum_with_payload` only";
        "Weir runs this; pass conditions as the first argument of the call, and do the rest in ingress"
    UPDATE_STATEMENT Refuses "update-statement":
        "the control that updates checksums takes calls of `update_checksum` and `update_checksum_with_payload` only";
        "Weir runs this; pass conditions as the first argument of the call, and do the rest in egress"
    CHECKSUM_COMPUTATION Refuses "checksum-computation":
        "the data of a checksum cannot be computed in the call";
        "assign the value to a field of metadata in ingress or egress, and name the field here"
    CHECKSUM_OF_ITSELF Refuses "checksum-of-itself":
        "the list of data of `update_checksum` cannot contain the field that is updated";
        "leave the field out of the list; if the checksum is to cover it, copy it to metadata in egress"
    CHECKSUM_SLICE Refuses "checksum-slice":
        "`update_checksum` cannot update a slice of a field";
        "update a field of its own"
    CHECKSUM_DATA CannotLoad "checksum-data":
        "the data of a checksum is a list, a header, or a struct without structs";
        "list the fields in braces"
    CHECKSUM_TARGET CannotLoad "checksum-target":
        "a checksum is a number in a field whose place is known";
        "copy it to a field of metadata in ingress or egress, and name that field"
    VERIFY_CONSTANT CannotLoad "verify-constant":
        "a checksum cannot be verified against a constant";
        "compare with a field of a header"
    DEPARSER_STATEMENT Refuses "deparser-statement":
        "the deparser takes `emit` and calls of extern functions only";
        "Weir runs this; do it in egress, where `setInvalid` keeps a header from being emitted"

    // Calls.
    OLD_FORM Refuses "old-form":
        "this form of the call is not supported any more";
        "Weir runs it; call the new form, which the warning about the old one names"
    CHECKSUM_IN_PIPELINE Refuses "checksum-in-pipeline":
        "checksums are verified and updated in the controls for it only";
        "Weir runs this; call it in the control that verifies or updates checksums"
    RECIRCULATE_IN_INGRESS Refuses "recirculate-in-ingress":
        "packets are recirculated from egress only";
        "call it in egress"
    HASH_DATA Refuses "hash-data":
        "the data of `hash` is a list, a struct or a header";
        "put it in braces"
    HASH_MEMBER CannotLoad "hash-member":
        "the data of `hash` contains no bool, no header stack and no header union outside its headers";
        "assign a bool to a field of type `bit<1>`, and list the headers of stacks and unions"
    RANDOM_ALGORITHM CannotLoad "random-algorithm":
        "there is no hash algorithm `random`";
        "name another, or call `random`"
    LOG_DATA Refuses "log-data":
        "`log_msg` prints the members of a list, a struct or a header, which are numbers, bools, enums or errors";
        "put a single value in braces, and list the fields of structs inside"
    DIGEST_DATA Refuses "digest-data":
        "the data of `digest` cannot be a header, a header union or an error";
        "put it in braces, or list its fields in braces"
    DIGEST_MEMBER CannotLoad "digest-member":
        "the data of `digest` contains no header stack and no header union";
        "list their fields"
    DIGEST_METADATA CannotLoad "digest-metadata":
        "the data of `digest` is not a struct of the type of the metadata";
        "list its fields in braces"
    DIGEST_BLOCK Differs "digest-block":
        "a `digest` outside ingress is ignored";
        "Weir sends it; call `digest` in ingress"
    ASSERT Differs "assert":
        "the process ends if the condition is false";
        "Weir drops the packet"
    RANDOM_BOUNDS Differs "random-bounds":
        "`random` with a lower bound above the upper one leaves its result as it was";
        "Weir gives the lower bound"
    CELL_INDEX Differs "cell-index":
        "the index is past the end, which often ends the process";
        "Weir counts and writes nothing there, and reads give 0 or green; make the array larger"
    REGISTER_RESULT Differs "register-result":
        "`read` of a register into a slice, or into a stack with an index that is not a constant, has no effect";
        "read into a variable, and assign it"
    COUNTER_TYPE Differs "counter-type":
        "a counter counts packets and bytes, whatever its type";
        "Weir counts what the type says; for both, write `CounterType.packets_and_bytes`"
    TRUNCATE Differs "truncate":
        "`truncate` does not shorten multicast copies, and a recirculated packet is whole again";
        "Weir shortens both"
    TRUNCATED_PAYLOAD Differs "truncated-payload":
        "the checksum covers only as many bytes of the payload as `truncate` leaves";
        "Weir takes the whole payload"
    CLONE_SESSION Differs "clone-session":
        "only the lowest 15 bits of a clone session's number count";
        "Weir takes the whole number; give a number up to 32767"
    EGRESS_CLONE Differs "egress-clone":
        "the order in which copies leave a port is not defined for clones made in egress";
        "Weir sends them in the order in which they were made"

    // Expressions and statements.
    DIVISION Refuses "division":
        "a division at run time needs a constant power of two as its divisor";
        "divide by a power of two, or look the result up in a table"
    SHIFT Refuses "shift":
        "shift amounts are at most 8 bits wide, and constant ones at most 256";
        "cast the amount to `bit<8>`"
    MIXED_CONCATENATION Refuses "mixed-concatenation":
        "the operands of `++` are all signed or all unsigned";
        "cast the `int<W>` operand to `bit<W>`"
    FOR_IN Refuses "for-in":
        "there is no `for … in`";
        "write the statements out"
    FOR Differs "for":
        "outside actions, p4c drops `for (…; …; …)` with its body, without a message";
        "Weir runs it; move it to an action"
    SWITCH_IN_ACTION Refuses "switch-in-action":
        "there is no `switch` in actions";
        "use `if`, or switch where the action is called"
    SWITCH_SUBJECT Refuses "switch-subject":
        "there is no `switch` over an error, nor over a value of a `type`";
        "use `if` for an error; cast the value of a `type` to the type below it"
    SWITCH_KEY Differs "switch-key":
        "after a `switch` without `default`, p4c takes what a case assigns to its key for the key's value";
        "Weir keeps the value unless the case runs; add an empty `default`"
    STACK_INDEX Differs "stack-index":
        "the process ends if the index is past the stack's end";
        "Weir reads 0 or an invalid header there, and writes nothing; test the index first"
    RUNTIME_ELEMENT CannotLoad "runtime-element":
        "an element of a stack is extracted, emitted or assigned as a whole, and its index is not a constant";
        "Weir runs this; write an `if` for each index"
    UNION_MEMBER_INVALID Differs "union-member-invalid":
        "`setInvalid` makes this member of the header union invalid, and no other";
        "Weir makes all members invalid, as the specification says"
    UNION_STACK_POP Differs "union-stack-pop":
        "`pop_front` leaves the unions that it removes valid behind the others";
        "in Weir they are invalid"
    VARBIT_EQUAL Differs "varbit-equal":
        "varbits of different lengths are equal if they are the same number";
        "in Weir they differ, as the specification says; compare the lengths, too"
    VARBIT_KEPT Differs "varbit-kept":
        "after `setInvalid`, `setValid` gives a varbit the length that it had";
        "in Weir it is empty"

    // Tables.
    TWO_LPM_KEYS Refuses "two-lpm-keys":
        "a table has at most one lpm key";
        "give all keys but one another match kind"
    APPLIED_TWICE Refuses "applied-twice":
        "a table is not applied twice on one path, nor on two paths that go on differently";
        "Weir runs this; declare a second table, or apply the table where the paths have met"
    RANGE_MASK Refuses "range-mask":
        "an entry cannot give a range key a mask with clear bits";
        "write `low .. high`"
    EXACT_ANY Refuses "exact-any":
        "an entry cannot leave an exact key out";
        "make the key ternary or optional"
    ERROR_ENTRY Refuses "error-entry":
        "an entry of the program cannot give an error for a key";
        "compare the error before, and match the result"
    SELECTOR_KEYS Refuses "selector-keys":
        "tables that share an action selector have the same `selector` keys, which are fields";
        "Weir takes each table's own keys; give each table its own selector"
    DIRECT_METER_RESULTS Refuses "direct-meter-results":
        "all calls of `read` of a direct meter write to the same field";
        "read into one field, and copy it"
    TABLE_SIZE Refuses "table-size":
        "the `size` of a table is at most 2147483647";
        "Weir takes the number; give a smaller one"
    METER_UNREAD Refuses "meter-unread":
        "a table's direct meter is read in the program";
        "call `read` in an action, or remove `meters`"
    LPM_WIDTH Differs "lpm-width":
        "prefixes of an lpm key whose width is not a multiple of 8 bits are cut at the wrong bit";
        "Weir counts them from the key's first bit; cast the key to a width in whole bytes"
    SELECTOR Differs "selector":
        "an action selector takes the hash modulo the number of members";
        "Weir takes the member with the highest score for the hash, so flows go to other members"
    PROFILE_MISS Differs "profile-miss":
        "on a miss in a table with an action profile no case runs, not even `default`, until the control plane sets a default entry";
        "Weir runs the case of the default action"
    PROFILE_DEFAULT Differs "profile-default":
        "p4c leaves out the `default_action` of a table with an action profile";
        "Weir runs it on a miss; set the default entry at run time"
    PROFILE_ENTRIES Differs "profile-entries":
        "p4c leaves out the `entries` of a table with an action profile";
        "Weir adds them, as the specification says; add them at run time"
    NEGATIVE_DATA CannotLoad "negative-data":
        "negative action data in the program ends the process when its log is on";
        "pass the number as `bit<W>`"
    NEGATIVE_KEY CannotLoad "negative-key":
        "a negative number in the key of an entry in the program ends the process";
        "cast the key to `bit<W>`"
    SIGNED_DATA Differs "signed-data":
        "negative action data from the control plane is a large positive number where it is compared, shifted right, extended, or added or subtracted with saturation, also after it was assigned";
        "pass it as `bit<W>` and cast it to `int<W>` in the action"
    METER_COLOUR Differs "meter-colour":
        "each hit writes the meter's colour before the action runs, also if the action does not call `read`";
        "in Weir only `read` writes it"
    METER_MISS Differs "meter-miss":
        "`read` of a direct meter leaves its result as it was when the action runs on a miss";
        "Weir gives green; set the result first"

    // Metadata.
    FIELD_LIST_TWICE Differs "field-list-twice":
        "of several `@field_list` on one field, p4c takes the first";
        "Weir takes all; write one, as in `@field_list(1, 2)`"
    FIELD_LIST_INSIDE Differs "field-list-inside":
        "p4c takes the lists of a whole struct for all its fields, and not those of a field inside";
        "Weir takes both; write the lists at one of the two places"
    PRIORITY Differs "priority":
        "a packet with a priority above 0 is dropped unless the switch runs with `--priority-queues`";
        "Weir puts it into that priority's queue, or into the port's only one"
    PACKET_LENGTH Differs "packet-length":
        "in egress `packet_length` counts headers that ingress made valid or invalid";
        "in Weir it is the length when the pass began"
    RESUBMITTED_PORT Differs "resubmitted-port":
        "`ingress_port` of a resubmitted packet is 0";
        "in Weir it is the port on which the packet came; keep it in a field of metadata that the field list names"
    QUEUE_TIME Differs "queue-time":
        "`deq_timedelta` is the difference of two rounded times";
        "Weir rounds the time in the queue down; they differ by at most a microsecond"
    CLONE_IN_PARSER Differs "clone-in-parser":
        "when the parser reads a clone made in ingress, this metadata may be an earlier packet's";
        "in Weir it is the original's"
}
