//! The behaviours: number, and what it says. Where one cannot or should not hold here as others have it, the sentence that begins
//! with "Here" says why.

/// Behaviours that belong together.
pub(crate) struct Group {
    pub(crate) title: &'static str,
    /// Whether each is to be shown in the modes of the matrix.
    pub(crate) in_modes: bool,
    pub(crate) numbers: &'static [(&'static str, &'static str)],
}

const OF_SCOPE: &str = "the case is about the namespaces, so it sets them itself; they make the requests, which know nothing of what is kept";

/// Numbers of groups with modes that are shown in one mode, and why that is enough.
pub(crate) const ONE_MODE: &[(&str, &str)] = &[
    ("c035", OF_SCOPE),
    ("c037", OF_SCOPE),
    (
        "c038",
        "how an option of the cache and one of the informer make one is decided before any request, and alike for everything that is kept",
    ),
    ("c039", OF_SCOPE),
    ("c040", OF_SCOPE),
    ("c041", OF_SCOPE),
    (
        "c115",
        "what threads do to each other happens between the store and its handlers, which no mode reaches; it needs threads, where modes need one paused clock",
    ),
];

pub(crate) const GROUPS: &[Group] = &[
    Group {
        title: "Reading",
        in_modes: true,
        numbers: &[
            (
                "c001",
                "Listing a kind that nobody asked for makes its informer, and answers with all objects, not with those that came so far.",
            ),
            ("c002", "The same holds for getting one object."),
            ("c003", "A lister of one namespace selects by labels."),
            (
                "c004",
                "A lister over namespaces selects by labels in all of them.",
            ),
            (
                "c005",
                "What is read from dynamic and metadata-only informers says its real `apiVersion` and `kind`, whatever the wire said or left out.",
            ),
            ("c006", "A namespace can be listed without any selector."),
            (
                "c007",
                "Whoever holds an object that was read can change neither it nor what others read. Here that is the type system: reads yield an `Arc` of an immutable value.",
            ),
            (
                "c008",
                "As long as an object does not change, all its reads are one `Arc`, relists included.",
            ),
            (
                "c009",
                "Getting what is not there is `NotFound`, with group, plural, namespace and name as values and in words.",
            ),
            (
                "c010",
                "Reading a namespace outside of the watched ones is `NamespaceNotWatched`, which names the watched ones.",
            ),
            (
                "c011",
                "A read that is not answered in time says which kind did not sync and what failed last.",
            ),
            (
                "c012",
                "A list can be limited; a continue token is refused, as a cache has no pages.",
            ),
            (
                "c013",
                "With strict mode on, a read of a kind without informer is `NotCached` and asks the server nothing.",
            ),
            (
                "c014",
                "Before sync, reads wait (cache) or are `NotSynced` (lister), in both modes; none answers from a part.",
            ),
        ],
    },
    Group {
        title: "Informers and indexes",
        in_modes: false,
        numbers: &[
            ("c020", "Starting twice is an error value."),
            (
                "c021",
                "An informer that is asked for comes back at once and can be awaited; its handlers hear of later creates.",
            ),
            (
                "c022",
                "Each registration says for itself when its handler has consumed the initial objects.",
            ),
            (
                "c023",
                "An informer taken out of the cache stops for good; asking again makes another one.",
            ),
            (
                "c024",
                "Indexes by a computed key, several side by side, each of which answers alone; metadata-only objects are indexed by label.",
            ),
            (
                "c025",
                "An informer that cannot be made leaves nothing in the cache. Here asking never waits, so no deadline can have passed: wrong options take its place.",
            ),
            (
                "c026",
                "An index may be added at any time; it is filled at once and serves as soon as the informer is synced.",
            ),
            (
                "c027",
                "An index lists its distinct keys, with the number of objects of each.",
            ),
            (
                "c028",
                "A metadata-only watch tells the same events in the same order as one of full objects.",
            ),
        ],
    },
    Group {
        title: "Scope, selectors, defaults",
        in_modes: true,
        numbers: &[
            (
                "c030",
                "A limit to namespaces, of the cache or of one kind, is asked of the server; listing again gives the same.",
            ),
            (
                "c031",
                "The limit leaves kinds without namespaces alone, and a namespace in their key is ignored.",
            ),
            (
                "c032",
                "Beside it, a selector applies to kinds without namespaces; what it does not select is not found, and what leaves it is deleted.",
            ),
            (
                "c033",
                "A selector of the informer takes the place of the cache's, which serves everybody else.",
            ),
            (
                "c034",
                "Label and field selectors, none, one or several, or both, or none that selects anything, give what the server would.",
            ),
            (
                "c035",
                "A selector can be set for one namespace's entry alone.",
            ),
            (
                "c036",
                "The empty selector of an informer means everything, in spite of the cache's.",
            ),
            (
                "c037",
                "An entry for all namespaces without others watches all.",
            ),
            (
                "c038",
                "The cache's options fill in what the informer's leave open and nothing else; a test takes every option apart, so that none can be left out.",
            ),
            (
                "c039",
                "An entry for all namespaces beside named ones watches the rest, by a field selector where the server has it and here where it has not.",
            ),
            (
                "c040",
                "Namespaces from the defaults go with the kind's own selector; one options value may be used again.",
            ),
            (
                "c041",
                "Namespaces come and go while the cache runs, and handlers are told of the objects that come and go with them.",
            ),
            (
                "c042",
                "One kind may have several informers that select differently, each under its name.",
            ),
        ],
    },
    Group {
        title: "Transform",
        in_modes: false,
        numbers: &[
            (
                "c050",
                "A kind's transform changes what is read; the cache's changes the metadata of kinds without one. A view has none: its type says what it keeps.",
            ),
            (
                "c051",
                "`managedFields` are cut out of the bytes before decode, so they never take memory.",
            ),
            ("c052", "Handlers and indexes get what the transform left."),
            (
                "c053",
                "A transform runs once for each object that is received, however it is, and never for a delete.",
            ),
            (
                "c054",
                "A transform that refuses an object, or panics, keeps that one out; it is counted and reported.",
            ),
        ],
    },
    Group {
        title: "Events",
        in_modes: false,
        numbers: &[
            (
                "c060",
                "Adds, updates and deletes arrive with the right objects.",
            ),
            (
                "c061",
                "A delete that was missed arrives with the last known state and says that it may not be the final one.",
            ),
            (
                "c062",
                "Filters pass events by sort; an event needs all of them.",
            ),
            (
                "c063",
                "What cannot start is an error at once; what does not sync in time is named with its kind and cause.",
            ),
        ],
    },
    Group {
        title: "Reflector: listing",
        in_modes: false,
        numbers: &[
            (
                "c070",
                "Without streaming lists the first list takes any version, in pages where the server has them, and the watch begins at the list's version, with bookmarks.",
            ),
            (
                "c071",
                "A relist asks for nothing older than what was seen.",
            ),
            (
                "c072",
                "When that version is gone (410), the latest state is listed at once.",
            ),
            (
                "c073",
                "When it is too new for the server, the same; a server restored from a backup gives itself away by missing bookmarks.",
            ),
            (
                "c074",
                "Pages follow each other to the end whatever their number; only the first one names a version.",
            ),
            ("c075", "A relist at a version is one page."),
            (
                "c076",
                "Whatever ends a listing half-way shows in no store; a token that expired leads to one list without pages, never to the token that the error offers; each chunk is taken before the next is asked for.",
            ),
            (
                "c077",
                "After any mixture of failures the store ends equal to the server.",
            ),
            (
                "c078",
                "Of the memory of a list, an object that is held holds its own part only.",
            ),
            (
                "c079",
                "The store knows every version that the watch told of, by bookmarks and deletes too.",
            ),
        ],
    },
    Group {
        title: "Reflector: watching",
        in_modes: false,
        numbers: &[
            (
                "c080",
                "An error event ends its watch; its code decides what follows: relist, wait, or resume.",
            ),
            (
                "c081",
                "Stopping ends the task, its stream and a list under way; stopped before the start, it sends nothing.",
            ),
            (
                "c082",
                "Events apply in order, and the last one's version is the store's.",
            ),
            (
                "c083",
                "Refused connections are tried again with growing, jittered pauses up to a cap, or as one's own backoff says; only progress starts it anew.",
            ),
            (
                "c084",
                "429, as answer or event, is obeyed for as long as it says, and leads to no list.",
            ),
            (
                "c085",
                "Each watch draws its own timeout between one and two times the least.",
            ),
            ("c086", "A watch that broke is resumed from the last event."),
        ],
    },
    Group {
        title: "Streaming list",
        in_modes: false,
        numbers: &[
            (
                "c090",
                "Only the bookmark with the annotation, set to true, ends the initial state; nothing of it shows before.",
            ),
            (
                "c091",
                "Until that bookmark the store has no version, then the bookmark's.",
            ),
            (
                "c092",
                "What a streaming list asks for, and from which version: none at first, the last one on a relist, none after it proved useless.",
            ),
            ("c093", "A server that refuses is listed instead."),
            (
                "c094",
                "One that asks to come later gets the same request later.",
            ),
            (
                "c095",
                "One that never sends the bookmark is listed a while after its last object, and in any case in the end.",
            ),
            (
                "c096",
                "A streamed state is, object by object, the list at its version.",
            ),
        ],
    },
    Group {
        title: "Order and replace",
        in_modes: false,
        numbers: &[
            (
                "c100",
                "A handler is told, per key, some of the states that were, in their order, and nothing overtakes.",
            ),
            (
                "c101",
                "An object that comes back while its delete still waits is a delete and an add.",
            ),
            (
                "c102",
                "A resync does not revive what is about to be deleted.",
            ),
            (
                "c103",
                "The mark of sync stays behind the initial adds, which are flagged as such.",
            ),
            (
                "c104",
                "When a handler counts as synced: never before a listing, at once with an empty one, and else after its last object.",
            ),
            (
                "c105",
                "A queue that merges keeps order and one event per key (two around a re-creation).",
            ),
            (
                "c106",
                "A list replaces the store in one step that readers see whole; deletes are told first.",
            ),
        ],
    },
    Group {
        title: "Handlers",
        in_modes: true,
        numbers: &[
            (
                "c110",
                "Handlers with different periods all get the initial objects, and each only its own resyncs.",
            ),
            (
                "c111",
                "A handler keeps its period whenever it was added; never is never.",
            ),
            (
                "c112",
                "A handler added while the informer starts hears of each object once.",
            ),
            ("c113", "Failed requests reach an error hook."),
            (
                "c114",
                "Handlers go one by one; a foreign or repeated removal does nothing; nothing of them stays.",
            ),
            (
                "c115",
                "A hundred tasks may add and remove handlers while thousands of events go through.",
            ),
            (
                "c116",
                "An informer goes from not started to started to stopped, and stays started.",
            ),
            ("c117", "After its removal a handler hears nothing."),
            (
                "c118",
                "A late handler hears of everything that is there, then of every change, none lost or doubled, and disturbs nobody.",
            ),
            (
                "c119",
                "A handler that panics is logged by name, goes on, counts as synced in the end, and harms no other.",
            ),
            (
                "c120",
                "A slow handler has a bounded queue that merges per key, counts what it merged, and delays nobody.",
            ),
            (
                "c121",
                "Random changes at the same time end with the right store and every handler right.",
            ),
            (
                "c122",
                "A resync is an update from a state to itself, at a jittered period, without any request.",
            ),
        ],
    },
    Group {
        title: "Store and index",
        in_modes: false,
        numbers: &[
            (
                "c130",
                "Add, update, delete, get, list and replace, as the server has it.",
            ),
            (
                "c131",
                "An index with several keys per object follows updates and deletes; an unknown key is empty.",
            ),
            ("c132", "A key whose last object goes, goes."),
            (
                "c133",
                "Keys are `name` or `namespace/name`; others are refused.",
            ),
            (
                "c134",
                "One can wait until the cache has seen what one has just written.",
            ),
            (
                "c135",
                "Listing everything, a part or nothing works at a hundred thousand objects, and costs what is yielded.",
            ),
            ("c136", "A delete always has key, namespace and name."),
        ],
    },
    Group {
        title: "Waiting and identity",
        in_modes: false,
        numbers: &[
            (
                "c140",
                "Waiting for sync ends at once with nothing to wait for, when all are synced, when one was stopped, or at its deadline, and then names each that is missing with its last error; any number of tasks may wait.",
            ),
            (
                "c141",
                "Informers and handlers have names, and equal ones are told apart.",
            ),
        ],
    },
    Group {
        title: "What others get wrong",
        in_modes: false,
        numbers: &[
            (
                "c150",
                "An object that does not decode blocks nobody, is counted and named, and its delete applies; nothing out of a body reaches a log or an error.",
            ),
            (
                "c151",
                "A peer that accepts and is silent is noticed, at whichever point; a quiet watch that is healthy is left alone.",
            ),
            (
                "c152",
                "A server that answers and closes at once is asked at a bounded rate.",
            ),
            (
                "c153",
                "A list that fails backs off further each time, though each attempt starts afresh.",
            ),
            (
                "c154",
                "A watch start that is answered with 410 leads to a list.",
            ),
            (
                "c155",
                "What was deleted while the watch was away is deleted here.",
            ),
            ("c156", "Everybody who waits wakes."),
            (
                "c157",
                "An object that goes before a subscriber read it stalls nobody.",
            ),
            (
                "c158",
                "Health can be lost and shows it: since when, at which version, after how many relists, by which error.",
            ),
            (
                "c159",
                "A relist without changes decodes nothing, keeps every `Arc`, and tells nobody.",
            ),
            (
                "c160",
                "Watches decline compression, so that no event waits in a compressor.",
            ),
        ],
    },
];

/// Every number with its group and words.
pub(crate) fn all() -> impl Iterator<Item = (&'static Group, &'static str, &'static str)> {
    GROUPS.iter().flat_map(|group| {
        let numbers = group.numbers.iter();
        numbers.map(move |(number, says)| (group, *number, *says))
    })
}
