"""The turns of phrase that ``tests/test_language.py`` seeks.

Readers have to read these phrases twice. Each pattern has what to write instead, an example that
the pattern finds, and one that it does not. A space stands for any white space, also across the
lines of a comment. Code in Markdown is not searched.
"""

_SENTENCE = r"(?:^|\n\n|[.!?]\s+(?:(?:\*|//[/!]?|#)\s+)?|\n-\s|\|\s)"
_PROTOCOL = r"(?:AF_XDP|DHCP|DNS|gRPC|HTTP|P4Runtime|TCP|Thrift|TLS|UDP)"
PATTERNS = [
    (
        r"(?<![Tt]here\s)\b(?:is|are|was|were) no (?!(?:longer|more|less|(?:slow|fast|larg|small|short|high|low|wid|lat|earli|old|new|few|bett|great|deep|strict)e?r)\b)\w",
        "is not a …",
        "A port that is down is no error.",
        "There is no error. It is no longer an error, and no slower. This is not an error.",
    ),
    (
        r"\bway of (?:an?|the|each|every) (?:datagram|frame|packet|probe)\b"
        r"|\b(?:datagram|frame|packet|probe)'s way\b|\bway back\b|\bon the way\b",
        "path; return path; in flight",
        "It shows the way of each packet.",
        "It shows the path of each packet, and a way of writing tests. It is on its way.",
    ),
    (
        r"\b(?:clock|network|run|time)s? stands?\b",
        "is paused",
        "Between two calls time stands still.",
        "Between two calls the network is paused. A time standard is used.",
    ),
    (
        r"\blets? (?:the )?(?:virtual )?time pass\b|\btime goes on\b",
        "run the network; time advances",
        "Time passes only in calls that let time pass.",
        "Time advances only in calls that run the network. Let ten seconds pass.",
    ),
    (
        r"\b(?:ends?|ended|stops?) (?:at|by) (?:SIG[A-Z]+|Ctrl-C)\b|\bat SIG[A-Z]+\b",
        "exits on SIGTERM; on SIGHUP",
        "It reads its files again at SIGHUP.",
        "It reads its files again on SIGHUP, and survives SIGINT.",
    ),
    (
        r"\b(?:address|addresses|answers?|changes?|changed|comes?|controls?|controlled|gets?|leaves?"
        rf"|loss|reads?|receives?|received|sends?|sent|serves?|switch|throughput)(?: [\w,`-]+){{0,5}}"
        rf" by {_PROTOCOL}\b(?!'|-)",
        "over, with",
        "Commands change the running switch by P4Runtime.",
        "Commands change the switch over P4Runtime. A rule given by P4Runtime's text is kept.",
    ),
    (
        r"\bask(?:ed)? (?:it|them) with\b|, and ask (?:it|them)\b|\basked with\b",
        "query",
        "Collect reports, watch them, and ask them.",
        "Collect, watch and query reports. The user is asked for a name.",
    ),
    (r"\bin the place of\b", "in place of", "Stand in the place of p4c.", "Stand in place of p4c."),
    (
        r"\b(?:reads?|runs?|works?) as (?:it is|they are)\b",
        "unchanged",
        "The JSON runs as it is.",
        "The JSON runs unchanged.",
    ),
    (
        r"\b(?:call|flow|lab|network|packet|run|switch|thread)(?:e?s)? go(?:es)? on\b(?! (?:an?|the) )",
        "continues, resumes, is forwarded",
        "The captures end and the switch goes on.",
        "The switch continues. The frame goes on the wire.",
    ),
    (
        r"\btakes? (?:what|as long as) it takes\b|\bas long as they take\b",
        "takes real time; takes as long as this computer needs",
        "A callback takes as long as it takes.",
        "Real time passes during a callback.",
    ),
    (
        rf"{_SENTENCE}What (?:[^.?!:*|\n]|\n(?!\n))+[.:](?=\s|$)",
        "a noun: The frames that …",
        "It has a queue. What has not left yet waits there.",
        "What happens? What is a frame? **What.** A frame waits. The frames that have not left wait.",
    ),
    (r"\b[Ww]hoever\b", "the code that, a user who", "Whoever builds it chooses.", "A user chooses."),
    (
        rf"{_SENTENCE}Of (?:an?|faster|others|what) ",
        "begin with the subject",
        "There are two modes. Of a bridge, more must be right.",
        "A bridge has further requirements. Of the 182 tests, 181 pass.",
    ),
    (
        r"\bof whose\b|\bof which (?:an?|each|the) \w",
        "whose",
        "A switch, of which a pass takes 1 µs.",
        "A switch, whose passes take 1 µs; 3 MB, of which 1 MB are its own.",
    ),
    (
        r"\bby what (?:an?|it|one|the|they)\b",
        "relative to, for",
        "It is what both send at once, by what one sends alone.",
        "It is the combined throughput relative to one direction.",
    ),
    (
        r"\b(?:It|They) (?:can|did|do|does|is|was)(?: not|n't)\.(?=\s|$)",
        "say what failed: The packet was not sent.",
        "# Errors\n\nIt does not.",
        "The packet was not sent.",
    ),
    (r"\bas ever\b", "as in …", "Tables are used as ever.", "Tables are used as in BMv2."),
    (
        r"\bof now\b",
        "current",
        "It tells about the queue of now.",
        "It describes the current queue. Think of nowhere.",
    ),
    (
        r"\b(?:an?|one) (?:JSON )?(?:command|entry|object) a line\b",
        "one … per line",
        "It writes a JSON object a line.",
        "It writes one JSON object per line.",
    ),
    (
        r"\b[Nn]othing (?:else )?of (?:it|that|the|them|this|Weir)\b|\bknows? nothing of\b",
        "does not see, does not know",
        "Hosts see nothing of it.",
        "Hosts do not see the header. Nothing is lost.",
    ),
    (
        r"\b(?:make|made|makes) of (?:it|its|them)\b",
        "make from",
        "Links are what p4-utils makes of them.",
        "Weir creates the same links as p4-utils.",
    ),
    (
        r"\b[Ee]verything is gone\b",
        "nothing remains",
        "Everything is gone when the shell ends.",
        "Nothing remains when the shell ends.",
    ),
    (
        r"\bstands? (?:in (?:a|its|results|the)|next to)\b",
        "is in, is next to",
        "Settings of both directions stand in the link.",
        "Settings for both directions are in the link. Stand-ins replace p4c.",
    ),
    (r"\bto the byte\b", "byte for byte", "The same to the byte.", "The same, byte for byte."),
    (
        r"\bby which (?:an?|the)\b",
        "with which",
        "EAPOL, by which a station proves itself.",
        "EAPOL, with which a station proves itself.",
    ),
    (
        r"\bas [\w`'/\s]{3,40} ha(?:s|ve) it\b",
        "as in",
        "A name, as the tutorials have it, is read.",
        "A name, as in the tutorials, is read.",
    ),
    (r"\btakes? long\b", "takes a long time", "It takes long to compile.", "It takes longer."),
    (
        r"\b(?:all|everything) that (?:is|was) there\b|\bwhat (?:is there|there is)\b",
        "existing, installed, available",
        "The page lists what there is.",
        "The page lists all disciplines.",
    ),
    (
        r"\bfrom the begin\b",
        "from the start, from the beginning",
        "Both hosts send from the begin.",
        "Both hosts send from the beginning.",
    ),
    (
        r"\bhas not (?:a|an|any|the)\b",
        "does not have …",
        "The program has not the right version.",
        "The program does not have the right version. It has not been read.",
    ),
    (
        r"\bwith most (?:bytes|frames|packets|reports)\b",
        "with the most …",
        "The queue with most bytes loses half of them.",
        "The queue with the most bytes loses half of them.",
    ),
    (
        r", it seems\b",
        "seems to; probably",
        "The figures are means, it seems.",
        "The figures seem to be means. It seems so.",
    ),
    (
        rf"(?:{_SENTENCE}|\*\* )(?:Before|Inside|Outside|With|Without), ",
        "before this decision; without a …",
        "**Why.** Before, labs had loops of their own.",
        "**Why.** Before this decision, labs had loops of their own. Without a link, it waits.",
    ),
    (
        rf"{_SENTENCE}(?:Two|Three|Four|Five|Six|Seven|Eight|Nine|Ten|The others?|The other (?:one|two|three))"
        r" (?:are|did|differ|do|does|gave|give|had|has|have|is|lacks?|left|needs?|runs?|takes?|took"
        r"|uses?|was|were)\b",
        "a noun after the number: two packets have left",
        "It has ten. Three do not fit.",
        "It has ten elements. Three of them do not fit. Three elements do not fit.",
    ),
    (
        r'"""Such as ',
        "a noun first: the name, such as …",
        '"""Such as ``h1``."""',
        '"""The name, such as ``h1``."""',
    ),
    (
        r"/// (?:As|By|Of|With) `?\w+`?\.",
        "a noun first: the tables, by number",
        "/// By number.",
        "/// The tables, by number.",
    ),
    (
        r"\bwithout an end\b",
        "endlessly",
        "The program recirculates it without an end.",
        "The program recirculates it endlessly.",
    ),
    (
        r"\b[Hh]ow people (?:read|write)\b",
        "the form in which people write",
        "/// How people write its values.",
        "/// The form in which people write the values.",
    ),
    (
        r"; none (?:if|when|where)\b",
        "`None` if, empty if",
        "/// The port; none if it is dropped.",
        "/// The port; `None` if the packet is dropped. The ports; empty if there are none.",
    ),
    (
        r"/// When (?:an?|it|its?|the) (?:[^.,;:?\n]|\n\s*///\s)+\.(?=\s|$)",
        "the time at which",
        "/// When the step happened.",
        "/// The time of the step. When the link goes down, frames are lost.",
    ),
    (
        r", sum (?:of|over) (?:all|both|the) ",
        "summed over all …",
        "The number of datagrams sent, sum of all flows.",
        "The number of datagrams sent, summed over all flows. The delay, sum included.",
    ),
    (
        r", (?:average|mean|median) (?:of|over) (?:all|both|the) ",
        "averaged over all …, on average over all …",
        "The latency saved, mean of all lengths.",
        "The latency saved, averaged over all lengths. The delay, the mean of all lengths.",
    ),
    (
        r"/// Its \w",
        "name the thing: The name of the program",
        "/// Its name.",
        "/// The name of the program, and its type.",
    ),
    (
        r"\b(?:from|of) what (?:fits|follows|was|were)\b",
        "a noun: of the next header, from the measured values",
        "It differs from what was measured.",
        "It differs from the measured value. This is what follows.",
    ),
    (
        r"/// (?:What|How (?:deeply|long|many|often)) \w",
        "a noun first: the effect of, the maximum number of",
        "/// What a rule does.",
        "/// The effect of a rule. This is what a rule does, and how often.",
    ),
    (
        r"\bthat cannot be(?=[.,;:|`])",
        "invalid …",
        "The test `groups that cannot be`, and others.",
        "Invalid groups. Groups that cannot be empty.",
    ),
    (
        r"\b(?:is|are) (?:true|false|0|invalid|zero|open) at first\b",
        "is initially",
        "The field is 0 at first.",
        "The field is initially 0. There are ten packets at first.",
    ),
    (
        r"\b[Ee]ntries of tables\b(?! (?:whose|with))|\blocks of tables\b|\bpackets? of Scapy\b",
        "table entries, table locks, a Scapy packet",
        "It adds entries of tables.",
        "It adds table entries. It adds entries of tables without keys.",
    ),
    (
        r"\bmeasur(?:es?|ed|ing) (?:this|the user's) (?:computer|machine)\b",
        "benchmark this machine",
        "Labs that measure this computer are skipped.",
        "Labs that benchmark this machine are skipped. It measures on this computer.",
    ),
]

# Turns of phrase that pages and the texts in Python code are free of: they are not sought in the
# comments of other code.
PAGE_PATTERNS = [
    (
        rf"{_SENTENCE}(?:They|Their|Its) \w",
        "name the thing that the sentence is about",
        "- Disciplines queue packets. They mark packets, too.",
        "- Disciplines queue packets. These disciplines mark packets, too.",
    ),
    (
        r"\b(?:allocates?|carr(?:y|ies)|draws?) no (?!(?:longer|more|less|\w+er)\b)\w",
        "does not allocate, does not carry, does not draw",
        "The interface carries no packets.",
        "The interface does not carry packets. It draws no more samples.",
    ),
    (
        r"\b(?:do|does|did) no (?:damage|harm|work)\b|\bout of step\b",
        "does not harm; is not synchronized",
        "Wrong bytes do no harm.",
        "Wrong bytes do not harm the server.",
    ),
    (
        rf"{_SENTENCE}(?:Or|So|Then|Therefore) (?!far\b)\w",
        "The switch therefore …; The link then …",
        "The queue is full. So the switch drops it.",
        "The queue is full. The switch therefore drops the packet. So far, that is all.",
    ),
    (
        r"\b(?:and neither|and so|nor) (?:are|can|did|do|does|has|have|is|may|must|was|were|will)\b",
        "name both things in one subject",
        "A port can be down, and so can a link.",
        "Ports and links can be down.",
    ),
    (
        rf"{_SENTENCE}Only (?:after|at|if|in|then|when|with)\b[^.?!]{{3,80}} (?:are|can|do|does|has|have|is|may|will)"
        r" (?:an?|each|it|the|they)\b",
        "The subject first: The host sends only if …",
        "Only if the window is open does the host send.",
        "The host sends only if the window is open.",
    ),
    (
        r"\b(?:come|comes|came) about\b|\bfor good\b|\bnothing but\b|\bto whom\b",
        "is caused by; forever; only",
        "A client could lock a role for good.",
        "A client could lock a role forever.",
    ),
    (
        r"\b(?:is|are|was|were) used again\b|\balso if\b",
        "is reused; even if",
        "A removed number is used again, also if it was the last one.",
        "A removed number is reused, even if it was the last one. It also stops if it fails.",
    ),
    (
        r"\bgo(?:es)? round\b|\bpass(?:es)? round\b",
        "loop; wrap around",
        "A packet goes round until its time to live is over.",
        "A packet loops until its time to live is over. Counters wrap around, and rounds end.",
    ),
    (
        r"\b[Gg]ive (?:the|an?|each) (?:\w+ )?(?:host|interface|link|port|station|switch)(?:es|s)? no \w",
        "Do not assign … to",
        "Give the interfaces no IP addresses.",
        "Do not assign IP addresses to the interfaces.",
    ),
    (
        r"\bmay not\b",
        "must not, is not permitted to; might not",
        "The user may not change the interface, and it may not exist.",
        "The user has no permission to change the interface, and it might not exist. It may be up.",
    ),
    (
        r"\balready(?=[.,;:](?:\s|$))",
        "before the verb: already exists",
        "The entry exists already.",
        "The entry already exists. It has already been read.",
    ),
    (
        r"\bours is\b|\bas (?:it|he|she|they) says? (?:it|him|her|them)sel(?:f|ves)\b|\bascribes? (?:it|this|them) to\b",
        "our value is; as the thesis itself says; attributes … to",
        "The thesis ascribes it to other load; ours is the rate that is sent.",
        "The thesis attributes the delay to other load; our value is the rate that was sent.",
    ),
]
