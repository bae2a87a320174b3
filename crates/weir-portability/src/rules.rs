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

/// A rule about one difference between Weir and another switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    /// A name for tests and documentation.
    pub name: &'static str,
    /// Whether the program is refused.
    pub kind: Kind,
    /// The behaviour of the other tool.
    pub what: &'static str,
    /// The behavior of Weir, or the code to write instead.
    pub instead: &'static str,
}

impl Rule {
    /// Returns the tool that the rule is about.
    pub fn tool(&self) -> &'static str {
        match self.kind {
            Kind::Refuses => "`p4c-bm2-ss` refuses this",
            Kind::CannotLoad => "`simple_switch` cannot load this",
            Kind::Differs => "`simple_switch` behaves differently",
        }
    }
}

macro_rules! rules {
    ($($id:ident $kind:ident $name:literal: $what:literal; $instead:literal)*) => {
        $(pub(crate) static $id: Rule =
            Rule { name: $name, kind: Kind::$kind, what: $what, instead: $instead };)*

        /// Returns all rules, sorted by subject.
        pub fn rules() -> impl Iterator<Item = &'static Rule> {
            [$(&$id),*].into_iter()
        }
    };
}

rules! {
    // Types.
    HEADER_WIDTH Refuses "header-width":
        "the length of a header must be a multiple of 8 bits";
        "add a field that fills the last byte"
    TWO_VARBITS Refuses "two-varbits":
        "a header can have only one varbit field";
        "Weir cannot extract such a header either; split it into two headers"
    HEADERS_ONLY Refuses "headers-only":
        "the struct of all headers can contain only headers, header stacks and header unions";
        "move the field to metadata"
    ARRAY Refuses "array":
        "only headers can be elements of an array";
        "declare a field for each element, or use a register"
    REGISTER_TYPE Refuses "register-type":
        "a register can hold only numbers (`bit<W>` or `int<W>`)";
        "use a register for each field"
    EMPTY_REGISTER Refuses "empty-register":
        "a register must have at least one cell, and its cells at least one bit";
        "give the register a size and its cells a width above 0"
    MODEL_ENUM Refuses "model-enum":
        "the values of v1model's enums, such as `HashAlgorithm`, must be compile-time constants";
        "write an `if` with a separate call for each value"
    ACTION_DATA_TYPE Refuses "action-data-type":
        "action data must have the type `bit<W>`, `int<W>` or an enum";
        "replace a `bool` by a `bit<1>`, and a struct or header by a parameter for each field"

    METADATA_UNION CannotLoad "metadata-union":
        "the metadata must not contain a header union";
        "move the header union to the struct of headers"

    // Parsers.
    PARSER_CALL Refuses "parser-call":
        "a parser can contain only assignments, methods of packets and headers, `verify` and `log_msg`";
        "Weir accepts this; make the call in ingress instead"
    STACK_NEXT Refuses "stack-next":
        "`next` of a header stack can be used only in `extract`";
        "use the element's index"
    PACKET_LENGTH_METHOD Refuses "packet-length-method":
        "`packet_in.length()` is not supported";
        "use `standard_metadata.packet_length`"
    VARIABLE_CASE Refuses "variable-case":
        "the values of a `select` case must be constants";
        "Weir accepts variables; write `select(key == variable) { true: … }`"
    VALUE_SET_CASE Refuses "value-set-case":
        "a value set must be the whole `select` case, not one of its elements";
        "declare the value set with a struct that has a field for each key"
    VALUE_SET_PLACE Refuses "value-set-place":
        "a value set must be declared inside a parser";
        "Weir accepts this; move the declaration to the parser that uses it"
    VALUE_SET_ERROR Refuses "value-set-error":
        "a value set cannot contain errors";
        "compare the error in an `if`, set a variable there, and select over the variable"
    SELECT_TYPE Refuses "select-type":
        "a `select` key cannot be an error or have a type that was declared with `type`";
        "for an error, set a variable in an `if` and select over the variable; for a value of a `type`, cast it to the underlying type"
    SIGNED_RANGE Refuses "signed-range":
        "a `select` over an `int<W>` cannot mix ranges with other cases";
        "Weir accepts this; cast the key to `bit<W>`, and write the cases as unsigned numbers"
    STACK_IN_PARSER Refuses "stack-in-parser":
        "`push_front` and `pop_front` cannot be called in a parser";
        "Weir accepts this; make the call in ingress"
    LAST_INDEX_KEY CannotLoad "last-index-key":
        "a `select` key cannot be the `lastIndex` of a header stack";
        "cast `lastIndex`, as in `(bit<8>)h.stack.lastIndex`"
    NEGATIVE_MASK CannotLoad "negative-mask":
        "a `select` case cannot have a mask with a negative value";
        "cast the key to `bit<W>`, and write the value as an unsigned number"
    EMPTY_LAST Differs "empty-last":
        "if the stack is empty, the process aborts";
        "Weir rejects the packet with `error.StackOutOfBounds`; extract an element first"
    LOOKAHEAD_BOOL CannotLoad "lookahead-bool":
        "`lookahead` cannot read a `bool`";
        "call `lookahead<bit<1>>()` and cast the result"
    NO_MATCH Differs "no-match":
        "a packet that matches no case of this `select` is accepted without an error";
        "Weir rejects it with `error.NoMatch`, as the specification says; add a `default` case"
    ALL_VALUES_FIRST Differs "all-values-first":
        "a case that matches every value is tried last";
        "Weir takes the first case that matches; move this case to the end of the list"
    CASE_TWICE Differs "case-twice":
        "if several cases have the same values, the last one is taken";
        "Weir takes the first one; remove all but one"
    CONSTANT_SELECT_KEY CannotLoad "constant-select-key":
        "a `select` key cannot be a constant";
        "remove the key, or select over a variable"
    UNION_ELEMENT CannotLoad "union-element":
        "`last` cannot be used on a stack of header unions, nor `isValid()` on one of its elements";
        "test the members of the header union, as in `h.unions[0].member.isValid()`"

    // Checksum controls and the deparser.
    VERIFY_STATEMENT Refuses "verify-statement":
        "the control that verifies checksums can contain only calls of `verify_checksum` and `verify_checksum_with_payload`";
        "Weir accepts this; pass conditions as the first argument of the call, and move other statements to ingress"
    UPDATE_STATEMENT Refuses "update-statement":
        "the control that updates checksums can contain only calls of `update_checksum` and `update_checksum_with_payload`";
        "Weir accepts this; pass conditions as the first argument of the call, and move other statements to egress"
    CHECKSUM_COMPUTATION Refuses "checksum-computation":
        "the data of a checksum cannot contain operators";
        "compute the value in ingress or egress, store it in a field of metadata, and put the field here"
    CHECKSUM_OF_ITSELF Refuses "checksum-of-itself":
        "the data of `update_checksum` cannot contain the field that the call updates";
        "remove the field from the list; if the checksum must cover it, copy it to metadata in egress"
    CHECKSUM_SLICE Refuses "checksum-slice":
        "`update_checksum` cannot update a slice of a field";
        "update a separate field"
    CHECKSUM_DATA CannotLoad "checksum-data":
        "the data of a checksum must be a list, a header, or a struct that contains no struct";
        "write the fields as a list in braces"
    CHECKSUM_TARGET CannotLoad "checksum-target":
        "a checksum must be a number in a field that has a fixed place";
        "copy the checksum to a field of metadata in ingress or egress, and use that field"
    VERIFY_CONSTANT CannotLoad "verify-constant":
        "a checksum cannot be verified against a constant";
        "compare the checksum with a field of a header"
    DEPARSER_STATEMENT Refuses "deparser-statement":
        "the deparser can contain only `emit` and calls of extern functions";
        "Weir accepts this; move it to egress, where `setInvalid` prevents a header from being emitted"

    // Calls.
    OLD_FORM Refuses "old-form":
        "this form of the call is no longer supported";
        "Weir accepts this; use the new form, which the deprecation warning names"
    CHECKSUM_IN_PIPELINE Refuses "checksum-in-pipeline":
        "checksums can be verified and updated only in the controls for verification and update";
        "Weir accepts this; make the call in the control that verifies or updates checksums"
    RECIRCULATE_IN_INGRESS Refuses "recirculate-in-ingress":
        "packets can be recirculated only from egress";
        "make the call in egress"
    HASH_DATA Refuses "hash-data":
        "the data of `hash` must be a list, a struct or a header";
        "put the value in braces"
    HASH_MEMBER CannotLoad "hash-member":
        "the data of `hash` cannot contain a header stack, a header union, or a bool outside a header";
        "store a bool in a field of type `bit<1>`, and list the headers of a stack or union one by one"
    RANDOM_ALGORITHM CannotLoad "random-algorithm":
        "the hash algorithm `random` does not exist";
        "choose another algorithm, or call `random`"
    LOG_DATA Refuses "log-data":
        "`log_msg` can print only a list, a struct or a header whose members are numbers, bools, enums or errors";
        "put a single value in braces, and list the fields of inner structs"
    DIGEST_DATA Refuses "digest-data":
        "the data of `digest` cannot be a header, a header union or an error";
        "put the value or its fields in braces"
    DIGEST_MEMBER CannotLoad "digest-member":
        "the data of `digest` cannot contain a header stack or a header union";
        "list the fields of the stack or union"
    DIGEST_METADATA CannotLoad "digest-metadata":
        "the data of `digest` cannot be a struct that has the type of the metadata";
        "list the fields of the struct in braces"
    DIGEST_BLOCK Differs "digest-block":
        "a `digest` outside ingress is ignored";
        "Weir sends it; call `digest` in ingress"
    ASSERT Differs "assert":
        "if the condition is false, the process aborts";
        "Weir drops the packet"
    RANDOM_BOUNDS Differs "random-bounds":
        "if the lower bound exceeds the upper bound, `random` does not change its result";
        "Weir returns the lower bound"
    CELL_INDEX Differs "cell-index":
        "the index is out of range, which can abort the process";
        "Weir ignores writes and counts at such an index, and reads 0 or green; make the array larger"
    REGISTER_RESULT Differs "register-result":
        "if a register is read into a slice, or into a stack element with a variable index, the result is lost";
        "read the register into a variable, and assign the variable"
    COUNTER_TYPE Differs "counter-type":
        "a counter counts packets and bytes, even if its type says only one of them";
        "Weir counts only the unit of the type; to count both, use `CounterType.packets_and_bytes`"
    TRUNCATE Differs "truncate":
        "`truncate` does not shorten multicast copies, and a recirculated packet gets its full length back";
        "Weir shortens both"
    TRUNCATED_PAYLOAD Differs "truncated-payload":
        "the checksum covers only as many bytes of the payload as `truncate` leaves";
        "the checksum of Weir covers the whole payload"
    CLONE_SESSION Differs "clone-session":
        "only the lowest 15 bits of a clone session's number are used";
        "Weir uses the whole number; choose a number up to 32767"
    EGRESS_CLONE Differs "egress-clone":
        "the order in which copies leave a port is not defined for clones made in egress";
        "Weir sends them in the order in which they were made"

    // Expressions and statements.
    DIVISION Refuses "division":
        "the divisor of a division at run time must be a constant power of two";
        "divide by a power of two, or find the result with a table lookup"
    SHIFT Refuses "shift":
        "a shift amount can have at most 8 bits, or be a constant up to 256";
        "cast the amount to `bit<8>`"
    MIXED_CONCATENATION Refuses "mixed-concatenation":
        "the operands of `++` must be all signed or all unsigned";
        "cast the `int<W>` operand to `bit<W>`"
    FOR_IN Refuses "for-in":
        "`for … in` loops are not supported";
        "repeat the statements for each element"
    FOR Differs "for":
        "outside actions, p4c removes `for (…; …; …)` loops without a message";
        "Weir runs the loop; move it to an action"
    SWITCH_IN_ACTION Refuses "switch-in-action":
        "`switch` cannot be used in an action";
        "use `if`, or move the `switch` to the caller of the action"
    SWITCH_SUBJECT Refuses "switch-subject":
        "`switch` cannot be used over an error or over a value of a `type`";
        "use `if` for an error; cast a value of a `type` to the underlying type"
    SWITCH_KEY Differs "switch-key":
        "after a `switch` without `default`, p4c assumes that the key has the value that one of the cases assigns to it";
        "Weir changes the key only if the case runs; add an empty `default`"
    STACK_INDEX Differs "stack-index":
        "if the index is past the end of the stack, the process aborts";
        "Weir reads 0 or an invalid header there, and ignores writes; test the index first"
    RUNTIME_ELEMENT CannotLoad "runtime-element":
        "a stack element with a variable index cannot be extracted, emitted or assigned as a whole";
        "Weir accepts this; write an `if` for each index"
    UNION_MEMBER_INVALID Differs "union-member-invalid":
        "`setInvalid` makes only this member of the header union invalid";
        "Weir makes all members invalid, as the specification says"
    UNION_STACK_POP Differs "union-stack-pop":
        "`pop_front` moves the removed unions to the end of the stack, where they stay valid";
        "in Weir they become invalid"
    VARBIT_EQUAL Differs "varbit-equal":
        "varbits of different lengths are equal if they contain the same number";
        "in Weir they are not equal, as the specification says; also compare the lengths"
    VARBIT_KEPT Differs "varbit-kept":
        "after `setInvalid` and `setValid`, a varbit still has its old length";
        "in Weir the varbit is empty"

    // Tables.
    TWO_LPM_KEYS Refuses "two-lpm-keys":
        "a table can have only one lpm key";
        "change the match kind of all lpm keys except one"
    APPLIED_TWICE Refuses "applied-twice":
        "a table cannot be applied twice on one path, or on two paths that continue differently";
        "Weir accepts this; declare a second table, or apply the table after the paths join"
    RANGE_MASK Refuses "range-mask":
        "in an entry, the mask of a range key cannot have bits that are 0";
        "write the range as `low .. high`"
    EXACT_ANY Refuses "exact-any":
        "in an entry, an exact key cannot be `_`";
        "change the match kind of the key to ternary or optional"
    ERROR_ENTRY Refuses "error-entry":
        "in an entry of the program, the value of a key cannot be an error";
        "compare the error before the table is applied, and use the result as the key"
    SELECTOR_KEYS Refuses "selector-keys":
        "tables that share an action selector must have the same `selector` keys, and these must be fields";
        "Weir uses the keys of each table; give each table its own selector"
    DIRECT_METER_RESULTS Refuses "direct-meter-results":
        "all calls of `read` of a direct meter must write to the same field";
        "read into one field, and copy this field"
    TABLE_SIZE Refuses "table-size":
        "the `size` of a table can be at most 2147483647";
        "Weir accepts the number; choose a smaller one"
    METER_UNREAD Refuses "meter-unread":
        "a program that has a direct meter must call `read` on it";
        "call `read` in an action, or remove `meters`"
    LPM_WIDTH Differs "lpm-width":
        "if the width of an lpm key is not a multiple of 8 bits, its prefixes end at the wrong bit";
        "Weir counts prefix lengths from the first bit of the key; cast the key to a multiple of 8 bits"
    SELECTOR Differs "selector":
        "an action selector chooses the member with the number hash modulo group size";
        "Weir chooses the member with the highest score for the hash, so the same flow can get another member"
    PROFILE_MISS Differs "profile-miss":
        "if a table with an action profile is missed before the control plane sets a default entry, no case of the `switch` runs, not even `default`";
        "Weir runs the case of the default action"
    PROFILE_DEFAULT Differs "profile-default":
        "p4c ignores the `default_action` of a table with an action profile";
        "Weir runs the default action on a miss; set the default entry at run time"
    PROFILE_ENTRIES Differs "profile-entries":
        "p4c ignores the `entries` of a table with an action profile";
        "Weir inserts them, as the specification says; insert them at run time"
    NEGATIVE_DATA CannotLoad "negative-data":
        "if logging is on, negative action data in the program aborts the process";
        "pass the number as a `bit<W>`"
    NEGATIVE_KEY CannotLoad "negative-key":
        "a negative key in an entry of the program aborts the process";
        "cast the key to `bit<W>`"
    SIGNED_DATA Differs "signed-data":
        "comparisons, right shifts, sign extensions and saturating operators treat negative action data from the control plane as a large positive number, even after it was assigned to a variable";
        "pass the data as `bit<W>`, and cast it to `int<W>` in the action"
    METER_COLOUR Differs "meter-colour":
        "each hit writes the meter's colour before the action runs, even if the action does not call `read`";
        "in Weir only `read` writes the colour"
    METER_MISS Differs "meter-miss":
        "if the action runs on a miss, `read` of a direct meter does not change its result";
        "Weir returns green; set the result before the call"

    // Metadata.
    FIELD_LIST_TWICE Differs "field-list-twice":
        "if a field has several `@field_list` annotations, p4c uses only the first";
        "Weir uses all; write one annotation, as in `@field_list(1, 2)`"
    FIELD_LIST_INSIDE Differs "field-list-inside":
        "if a struct has a `@field_list`, p4c applies it to all fields of the struct and ignores the annotations of these fields";
        "Weir uses both; annotate either the struct or its fields"
    PRIORITY Differs "priority":
        "a packet with a priority above 0 is dropped unless the switch runs with `--priority-queues`";
        "Weir puts it into the queue of this priority, or into the only queue of the port"
    PACKET_LENGTH Differs "packet-length":
        "in egress, `packet_length` includes the headers that ingress made valid or invalid";
        "in Weir it is the length of the packet at the start of the pass"
    RESUBMITTED_PORT Differs "resubmitted-port":
        "`ingress_port` of a resubmitted packet is 0";
        "in Weir it is the port at which the packet arrived; store the port in a metadata field of the field list"
    QUEUE_TIME Differs "queue-time":
        "`deq_timedelta` is the difference between two rounded times";
        "Weir rounds the time in the queue down; the results differ by at most a microsecond"
    CLONE_IN_PARSER Differs "clone-in-parser":
        "when the parser runs for a clone made in ingress, this metadata may belong to an earlier packet";
        "in Weir it belongs to the original packet"
}
