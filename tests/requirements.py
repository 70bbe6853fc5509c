"""The requirements of Clew as data: each has an id, its source, and one sentence.

A test names the requirements that it covers with `@pytest.mark.requirement("F-HOUSE-01")`. tests/house fails for a
requirement without a test and for a mark without a requirement. Each part of Clew has a block of its own below;
`REQUIREMENTS` joins them.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Requirement:
    """One required behaviour.

    Attributes:
        id: `F-<PART>-<number>`, never reused for another behaviour.
        source: the document and section that ask for it.
        sentence: the behaviour, in a form that a test can refute.
    """

    id: str
    source: str
    sentence: str


# --- conversations that meet a project ---
MEET = (
    Requirement(
        "L-MEE-01", "issue 17", "Elements of a project are raised in fitting overlays, and each overlay can be alone."
    ),
    Requirement("L-MEE-02", "issue 17", "Every overlay score of an element follows from evidence that is shown."),
    Requirement("L-MEE-03", "issue 17", "`project.overlays` adds to the lists of overlays and takes away from them."),
    Requirement("L-MEE-04", "issue 17", "With an embedder, example sentences add evidence; without a vector, nothing."),
    Requirement("L-MEE-05", "issue 17", "Turns name the files that tools read and change, and those in their words."),
    Requirement(
        "L-MEE-06", "issue 17", "A written path means the same path, else the only one with that end, else none."
    ),
    Requirement("L-MEE-07", "issue 17", "Checks, their outcome, commits and words that accept are told from others."),
    Requirement("L-MEE-08", "issue 17", "Quests and their stages are recognised from turns, however these arrive."),
    Requirement("L-MEE-09", "issue 17", "A person sets title and stage of a quest, or begins one."),
    Requirement(
        "L-MEE-10", "issue 17", "A seal holds as long as its record and turns are unchanged, and tells changed files."
    ),
    Requirement(
        "L-MEE-11", "issue 17", "Forgetting a turn deletes what is kept of quests and files for it, and no more."
    ),
    Requirement(
        "L-MEE-12", "issue 17", "Patterns of quests go from home to home with provenance; changed ones are refused."
    ),
    Requirement("L-MEE-13", "issue 17", "`clew quest` lists, sets and seals; `clew verify --quest` checks a seal."),
    Requirement(
        "L-MEE-14", "issue 17", "The meet is the mean of the three best calibrated cosines of an overlay, 0 to 10."
    ),
    Requirement(
        "L-MEE-15", "issue 17", "An attached project raises overlays and importance of its turns, and no others."
    ),
    Requirement("L-MEE-16", "issue 17", "A changed project is met anew, and back again, without a new analysis."),
    Requirement("L-MEE-17", "issue 17", "Expressions know files, symbols and commits, and `~` the project's elements."),
    Requirement(
        "L-MEE-18", "issue 17", "Decisions about files and symbols are given over sessions, with changes since."
    ),
    Requirement(
        "L-MEE-19", "issue 17", "Drift names files that no turn concerns, and decisions that no code reflects."
    ),
    Requirement("L-MEE-20", "issue 17", "Several projects of a space are met together."),
    Requirement("L-MEE-21", "issue 17", "Claude Code is told once a session what was decided about a file it opens."),
    Requirement(
        "L-MEE-22", "issue 17", "The tools of MCP and proxy give the decisions about a file, as quoted memory."
    ),
    Requirement("L-MEE-24", "issue 17", "The recap names the quest that the session is at, its stage and last check."),
    Requirement("P-LINE-01", "issue 17", "Drift names the most central files first, by folder, and counts the rest."),
    Requirement("P-LINE-02", "issue 17", "Decisions about a file are told without reading the project's elements."),
    Requirement(
        "P-LINE-03", "issue 17", "An overlay of few elements is met before one of many that are like any text."
    ),
    Requirement("P-LINE-04", "issue 17", "What a package says of itself is read wherever its ecosystem puts it."),
    Requirement("P-LINE-05", "issue 17", "Documents in reStructuredText are read by their sections."),
    Requirement("P-LINE-06", "issue 17", "Documents state a mission; words of code such as `strategy` do not."),
    Requirement("P-LINE-07", "issue 17", "Files that a shell's command writes count as changed; logs do not."),
    Requirement("P-LINE-08", "issue 17", "To look at a file with a tool that also edits changes nothing."),
    Requirement("P-LINE-09", "issue 17", "A file that a quest changes by two ways of writing its path is one file."),
    Requirement("P-LINE-10", "issue 17", "Sections of a README on how to use a project state no mission."),
    Requirement("L-MEE-23", "issue 17", "`clew project` lists overlays, attaches, and shows decisions and drift."),
    Requirement(
        "L-CODE-02",
        "issue 17",
        "Decisions about a file are those of its project, also where another has the same path.",
    ),
    Requirement("L-CODE-03", "issue 17", "The hook of each memory tells by itself what it has told."),
    Requirement(
        "L-CODE-04", "issue 17", "How many rows the hook reads for a file does not grow with the turns about it."
    ),
    Requirement(
        "L-CODE-05",
        "issue 17",
        "A seal reads files while others may write, and holds what they were when it was stored.",
    ),
    Requirement(
        "L-CODE-06",
        "issue 17",
        "`prune` removes earlier states of a project, and nothing that a file, transform or seal refers to.",
    ),
    Requirement("L-CODE-07", "issue 17", "Names of files take one line in answers, whatever is in them."),
    Requirement("L-CODE-08", "issue 17", "`project init` says what is there already, and counts agree with nouns."),
    Requirement("L-CODE-09", "issue 17", "A quest begins in a session that there is; a mistyped one names the near."),
    Requirement(
        "L-CODE-10", "issue 17", "Names of code in words are linked to the one file that defines them or is called so."
    ),
    Requirement("L-CODE-11", "issue 17", "Drift tells of the sessions that worked on the project, and of no others."),
    Requirement("L-CODE-12", "issue 17", "Quests and drift read the rows of turns of work, however much else is said."),
    Requirement(
        "L-CODE-13",
        "issue 17",
        "Seals, settings and patterns of quests go along in exports and merges, and still hold.",
    ),
    Requirement("L-CODE-14", "issue 17", "A project that is a package finds the imports by its own name."),
    Requirement(
        "L-CODE-15", "issue 17", "Names of code and folders of code are no statement of a mission, and no document."
    ),
    Requirement("L-CODE-16", "SIGMA", "The number 2 says nothing about security."),
    Requirement(
        "L-CODE-17",
        "issue 17",
        "A change that a tool refused changes no file, and code of an interpreter may change some.",
    ),
    Requirement("L-CODE-18", "issue 17", "Thanks for an answer end a quest, also before another request."),
    Requirement(
        "L-CODE-19",
        "issue 17",
        "Files in diffs, stack traces, messages of compilers and names of tests are linked as they are in the project.",
    ),
    Requirement(
        "L-CODE-20", "issue 17", "A test is linked to the file that it is named after if there is one such file only."
    ),
    Requirement(
        "L-CODE-21",
        "SIGMA",
        "A class is structural by those derived from it, and what a package says of itself is of its mission.",
    ),
    Requirement("L-CODE-22", "issue 17", "Whether a project has changed is seen without reading what it consists of."),
    Requirement(
        "L-CODE-23",
        "issue 17",
        "A session that writes paths of another project and none of this one says nothing of it.",
    ),
    Requirement("L-CODE-24", "issue 17", "What only announces the next step decides nothing about a file."),
    Requirement(
        "L-CODE-25", "issue 17", "An installed package of Python has the mission that the metadata beside it states."
    ),
    Requirement(
        "L-CODE-27", "issue 17", "A project that this user may only read is read; what would write it says what to do."
    ),
    Requirement("L-CODE-28", "issue 17", "The name of a class means the class, though its constructors are called so."),
    Requirement("L-CODE-29", "issue 17", "Tests of GoogleTest are named by suite and test."),
    Requirement("L-CODE-26", "issue 17", "Interfaces, traits, structs and abstract classes are found as such."),
    Requirement("L-CODE-01", "issue 17", "A recap tells of the same quest, however often the session was compacted."),
)


# --- house ---
HOUSE = (
    Requirement("F-HOUSE-01", "DESIGN 3", "A module has at most 500 lines, a function 60 lines and 7 arguments."),
    Requirement("F-HOUSE-02", "DESIGN 3", "A stage imports only what lies below it."),
    Requirement("F-HOUSE-03", "DESIGN 3", "The package holds public names only; each is documented."),
    Requirement("F-HOUSE-04", "DESIGN 3", "The error tree drawn in the errors module matches its classes."),
    Requirement("F-HOUSE-05", "DESIGN 10", "Every command and option is documented in docs/cli.md, word for word."),
    Requirement(
        "F-HOUSE-06", "DESIGN 10", "Every configuration key is documented in docs/configuration.md with its default."
    ),
    Requirement("F-HOUSE-07", "DESIGN 10", "The Python examples of all pages run; commands shown in documents exist."),
    Requirement("F-HOUSE-08", "DESIGN 3", "The tree contains no stub, no empty module and no unfinished mark."),
    Requirement("F-HOUSE-09", "DESIGN 3", "A suppressed rule, swallowed error or late import gives its reason."),
    Requirement("F-HOUSE-10", "DESIGN 11", "No file names a path of a machine or the host of a package registry."),
    Requirement("F-HOUSE-11", "DESIGN 11", "No file is larger than 1 MB; data has a notice with its SHA-256."),
    Requirement("F-HOUSE-12", "DESIGN 1.12", "The tests use no network beyond this machine."),
    Requirement("F-HOUSE-13", "DESIGN 3", "Every requirement has a test, and every test's mark names a requirement."),
    Requirement("F-HOUSE-14", "DESIGN 11", "Fakes go in at the seams: no test patches a name of Clew."),
    Requirement("F-HOUSE-15", "DESIGN 13", "The core is at most 15 packages, counted with Clew, and 110 MB."),
    Requirement("F-HOUSE-16", "DESIGN 11", "The packages of an extra are imported only where they are used."),
    Requirement(
        "F-HOUSE-17", "DESIGN 11", "One script needs only python3 and sh, and says what is missing and what to do."
    ),
    Requirement("F-HOUSE-18", "DESIGN 3", "Each decision has one page in the agreed form."),
    Requirement("F-HOUSE-19", "DESIGN 1.12", "Embedding on this machine sends no telemetry and leaves no file."),
    Requirement("F-HOUSE-20", "HOUSE 1", "Each room names an entrance that exists, and a large room maps its modules."),
    Requirement("F-HOUSE-21", "HOUSE 2", "A public class name is defined once; the exceptions give their reason."),
    Requirement("F-HOUSE-22", "HOUSE 1", "Every module, and name in a module, that a page of docs/ names exists."),
    Requirement("F-HOUSE-23", "HOUSE 3", "Rows are typed; only store/ and rows/ know a column by its place."),
    Requirement(
        "F-HOUSE-24",
        "HOUSE 4",
        "Each table declares whether it holds text of users; forgetting, its proof, masking and export go by that.",
    ),
    Requirement("F-HOUSE-25", "DESIGN 11", "Tests and benchmarks close the HTTP clients that they make."),
    Requirement("F-HOUSE-26", "HOUSE 5", "The contents of the documentation (docs/index.md) list every page."),
    Requirement("F-HOUSE-27", "DESIGN 11", "The round of all suites fails with any of them, and ends with its name."),
)

# --- DEMO ---
DEMO = (
    Requirement("F-DEMO-01", "DESIGN 10", "The sample conversation is complete, well formed, and names its evidence."),
    Requirement("F-DEMO-02", "Issue 2.e", "The demo answers with the evidence; a changed fact changes the answer."),
    Requirement(
        "F-DEMO-03", "Issue 2.e", "The demo shows ingest speed, and the tokens, time and reasons of each answer."
    ),
    Requirement("F-DEMO-04", "DESIGN 1.9", "The demo prints the same every time, except for times."),
    Requirement("F-DEMO-05", "Issue 2.e", "The demo keeps nothing, unless it is given a home."),
    Requirement(
        "F-DEMO-06",
        "Issue 2.e",
        "The demo accepts any file that import reads; questions come from an option or the terminal.",
    ),
    Requirement("F-DEMO-07", "DESIGN 6", "A question that is near no turn finds nothing, with and without vectors."),
)

# --- CLI ---
CLI = (
    Requirement(
        "F-CLI-01", "DESIGN 13", "Version and help load no command module, and each command's help line is its own."
    ),
    Requirement("F-CLI-02", "DESIGN 10", "Every command accepts --home, --space and --json, before or after its name."),
    Requirement("F-CLI-94", "DESIGN 12", "Letters in arguments are read as UTF-8 in a locale that knows only ASCII."),
    Requirement("F-CLI-03", "DESIGN 10", "An error is one line and an exit status: 1, 2 for usage, 130 for Ctrl-C."),
    Requirement(
        "F-CLI-04",
        "DESIGN 10",
        "Dates are read as ISO 8601 (UTC without a zone); others are rejected with the expected form.",
    ),
    Requirement("F-CLI-05", "DESIGN 1.10", "Output fits the terminal and cannot control it."),
    Requirement("F-CLI-06", "DESIGN 1.5", "The reasons in a list are those of the question, strongest first."),
    Requirement("F-CLI-07", "DESIGN 1.12", "Pipes get UTF-8 on every system, and any stored text can be written."),
    Requirement(
        "F-CLI-10", "DESIGN 10", "`clew add` stores one turn from the command line or a pipe, and gives its id."
    ),
    Requirement("F-CLI-11", "Issue 2.c", "`clew import` takes valid records, names invalid ones, and adds none twice."),
    Requirement("F-CLI-12", "Issue 2.c", "`clew import` finds the sessions of a program by its name."),
    Requirement(
        "F-CLI-13", "DESIGN 5.4", "Pending work is reported, and finished by `clew work`; failing work is an error."
    ),
    Requirement("F-CLI-14", "DESIGN 10", "`clew recall` prints the block, its cost, and the reason if it is empty."),
    Requirement("F-CLI-15", "DESIGN 10", "`clew search` lists turns with score and reasons."),
    Requirement("F-CLI-16", "DESIGN 10", "`clew quote` lists the turns that contain a phrase word for word."),
    Requirement(
        "F-CLI-17", "DESIGN 1.5", "`clew explain` shows rank, score, signal shares and near misses of any recall."
    ),
    Requirement("F-CLI-18", "DESIGN 7", "`clew restore` returns text in full and originals byte for byte."),
    Requirement("F-CLI-19", "DESIGN 10", "`clew stats` counts the contents of a space."),
    Requirement("F-CLI-20", "Issue 2.c", "Importing what `clew export` wrote gives the same turns."),
    Requirement("F-CLI-33", "DESIGN 5", "Verifying counts the secrets that stand masked in the turns, by kind."),
    Requirement("F-CLI-21", "DESIGN 4", "`clew verify` prints problems and then exits with status 1."),
    Requirement("F-CLI-22", "DESIGN 4", "`clew rebuild` changes no answer."),
    Requirement("F-CLI-93", "HOUSE 5", "A noun agrees with its number, in whatever is said."),
    Requirement("F-CLI-92", "DESIGN 10", "No option of a command is ignored in silence beside another."),
    Requirement("F-CLI-23", "DESIGN 10", "`clew forget` shows what it would delete and asks; deleted turns are gone."),
    Requirement(
        "F-CLI-24", "DESIGN 10", "`clew config` shows each setting with its source, and names all invalid ones."
    ),
    Requirement("F-CLI-25", "Issue 12.1", "A command that only asks loads nothing that stores, derives or maintains."),
    Requirement("F-WATCH-01", "Issue 13.9", "A change of a session file is noticed, whatever its kind, and once."),
    Requirement("F-WATCH-02", "Issue 13.9", "`clew watch` stores lines as they come and loses none over rotation."),
    Requirement("F-WATCH-03", "Issue 13.9", "`clew watch` first stores what came while it did not run, nothing twice."),
    Requirement("F-WATCH-04", "Issue 13.9", "One process follows the sessions; a killed one is no obstacle."),
    Requirement(
        "F-WATCH-06", "Issue 13.9", "Closed folders, broken records and sessions without dates are told or kept."
    ),
    Requirement("F-WATCH-05", "Issue 13.9", "`clew watch` can be a service of the user, and can be removed."),
    Requirement(
        "F-RELAY-01",
        "DESIGN 1.2",
        "A long new history is stored in portions, so that a server stops soon; what is stored then stays, and the "
        "next request brings the rest.",
    ),
    Requirement("F-RELAY-02", "DESIGN 1.2", "MCP over HTTP offers to forget only to tokens, or where it is allowed."),
    Requirement(
        "F-RELAY-03", "Issue 15", "A list that Gemini streams is relayed in bounded memory, whatever stands in it."
    ),
    Requirement(
        "F-RELAY-04", "Issue 15", "An answer whose client leaves at the mark of its end is stored as complete."
    ),
    Requirement("F-RELAY-05", "Issue 15", "Warnings of asyncio are events of the server, without the values in them."),
    Requirement("F-MCP-16", "Issue 13.10", "An agent opens turns and lists sessions; it forgets only where allowed."),
    Requirement("F-SESSION-04", "Issue 13.8", "A brief says what a project was about last time, and what stayed open."),
    Requirement("F-SESSION-01", "Issue 13.8", "Sessions are listed with title, project, branch, client and time."),
    Requirement("F-SESSION-02", "Issue 13.8", "Recall, search, query and when take a project folder and a git branch."),
    Requirement("F-SESSION-05", "Issue 13.8", "A title is the first wish, without what a client put around it."),
    Requirement("F-SESSION-07", "Issue 13.8", "The talk of people to each other is called by what it is about."),
    Requirement("F-SESSION-08", "Issue 13.8", "The topics of a session are those by which it is told from others."),
    Requirement("F-SESSION-06", "Issue 13.8", "Agents' work is named by prose, paths and commands, not by code."),
    Requirement("F-SESSION-03", "Issue 13.11", "Recall, search and query take words for a time as well as dates."),
    Requirement(
        "F-TDY-07",
        "docs/packing.md",
        "Asked what a session was about, a block of any size has how it began, how it ended and beats in short.",
    ),
    Requirement(
        "F-TDY-08",
        "issue 14",
        "How much of the answers of benchmark questions can be read from recap and recall is measured at equal tokens.",
    ),
    Requirement(
        "F-TDY-09", "docs/condense.md", "A value that is used on several days is worth more, and no turn is told twice."
    ),
    Requirement("F-TDY-06", "docs/packing.md", "A block and a recap have as many tokens when printed as were counted."),
    Requirement("F-CLI-26", "Issue 12.2", "No control character of stored text or arguments reaches a terminal."),
    Requirement(
        "F-CLI-27",
        "Issue 12.2",
        "A pipe gets text as visible as a terminal; `restore` and `export -` are exact.",
    ),
)

# --- index ---
INDEX = (
    Requirement("F-INDEX-01", "DESIGN 9", "An index entry is decoded exactly as it was encoded, whatever the text."),
    Requirement("F-INDEX-02", "DESIGN 9", "Damaged index bytes raise a clear error and never give a wrong answer."),
    Requirement("F-INDEX-03", "DESIGN 9", "No answer depends on the layout of segments and tail, to the last bit."),
    Requirement("F-INDEX-04", "DESIGN 6", "Scores are those of the documented BM25F formula over neighbouring pieces."),
    Requirement(
        "F-INDEX-17", "issue 12", "A system prompt lends no words to the turns beside it, and ends no neighbourhood."
    ),
    Requirement("F-INDEX-05", "DESIGN 9", "A segment's bytes depend on its entries alone, in any order of merges."),
    Requirement("F-INDEX-06", "DESIGN 9", "A forgotten turn leaves no term, name or vector in any row of the index."),
    Requirement("F-INDEX-07", "DESIGN 9", "A view does not change while turns are added."),
    Requirement("F-INDEX-08", "DESIGN 9", "The live index shows every commit, of its own process or another's."),
    Requirement("F-INDEX-09", "DESIGN 9", "Packing loses nothing beside writers, other packers and kills at any step."),
    Requirement(
        "F-INDEX-10", "DESIGN 1.1", "An index that is dropped and rebuilt from the turns gives the same answers."
    ),
    Requirement(
        "F-INDEX-11", "DESIGN 4", "Verification names entries that are damaged, missing, duplicated or superfluous."
    ),
    Requirement("F-INDEX-12", "DESIGN 9", "Filters over columns agree with a loop over the turns."),
    Requirement(
        "F-INDEX-13", "DESIGN 9", "The vector scan is exact over its codes; a turn without a vector is unknown."
    ),
    Requirement("F-INDEX-14", "DESIGN 5", "A refresh and a packing step read what is new, not everything."),
    Requirement("F-INDEX-15", "DESIGN 9", "A segment of a newer format is rejected as such."),
    Requirement("F-INDEX-16", "DESIGN 6", "A text that names a time is found by a question for that time."),
    Requirement("F-INDEX-18", "DESIGN 9", "Questions of several threads at the same view each get what they ask for."),
)

# --- MODELS ---
MODELS = (
    Requirement("F-MODELS-01", "DESIGN 5.2", "Text over 1,500 characters is embedded as its first 1,000 and last 500."),
    Requirement(
        "F-MODELS-02", "DESIGN 11", "Vectors have length 1 and the order of the texts; blank texts give zeros."
    ),
    Requirement("F-MODELS-03", "DESIGN 11", "Any text can be embedded: emoji, 100 KB, lone surrogates, controls."),
    Requirement(
        "F-MODELS-04",
        "DESIGN 11",
        "MiniLM is loaded from the first installed package whose file has the expected SHA-256.",
    ),
    Requirement(
        "F-MODELS-05",
        "DESIGN 1.3",
        "Without a local model there is no embedder; the reason is logged once, in one line.",
    ),
    Requirement("F-MODELS-06", "DESIGN 12", "Cosines of the int8 model differ from those of float32 by at most 0.006."),
    Requirement("F-MODELS-07", "DESIGN 11", "Token ids equal those of the reference tokenizer."),
    Requirement("F-MODELS-08", "DESIGN 1.9", "A vector does not depend on other texts or threads."),
    Requirement(
        "F-MODELS-09", "DESIGN 1.9", "Recorded vectors are returned byte for byte, in any process, without a model."
    ),
    Requirement("F-MODELS-10", "DESIGN 9", "Quantized vectors are accurate to half a step; zero rows stay zero."),
    Requirement(
        "F-MODELS-11", "DESIGN 11", "Embedders are chosen by name; the error for an unknown name lists the choices."
    ),
    Requirement(
        "F-MODELS-12",
        "DESIGN 11",
        "Endpoints use OpenAI's and Ollama's protocol; no error and no other host sees the key.",
    ),
    Requirement(
        "F-MODELS-13",
        "DESIGN 11",
        "Optional libraries are loaded late; a missing one is named with its install command.",
    ),
    Requirement("F-MODELS-14", "DESIGN 1.12", "No model runtime is imported before the first text is embedded."),
    Requirement(
        "F-MODELS-15",
        "DESIGN 3",
        "The testing module has an embedder without a model, a clock that stands still and a store.",
    ),
    Requirement("F-MODELS-16", "DESIGN 11", "Weights in float32 run without an inference runtime, by BERT's formulas."),
    Requirement("F-MODELS-17", "Issue 12.1", "The local model embeds at most 128 tokens of a text: its two ends."),
)

# --- TEXT ---
TEXT = (
    Requirement(
        "F-TEXT-01", "DESIGN 6", "A word is found in other case, accents, digits and inflections, in any script."
    ),
    Requirement("F-TEXT-02", "DESIGN 6", "One or two characters of Han, Kana, Hangul, Thai or emoji find their text."),
    Requirement("F-TEXT-03", "Issue 2 b", "Identifiers, paths, hosts and numbers are found by their parts and whole."),
    Requirement("F-TEXT-04", "DESIGN 12", "Stop words are never terms; question words are not terms in a question."),
    Requirement("F-TEXT-05", "DESIGN 5", "Every text has terms, the same everywhere, each of at most 64 characters."),
    Requirement(
        "F-TEXT-06", "RETRIEVAL B T1", "Pieces cover a text without gap or overlap and end at its natural pauses."
    ),
    Requirement("F-TEXT-07", "RETRIEVAL 2", "Relative and written dates in a text become days of the calendar."),
    Requirement("F-TEXT-08", "DESIGN 12", "Words that only look like dates, and impossible days, are not dates."),
    Requirement("F-TEXT-09", "DESIGN 6", "The days that a question asks about are recognised, with their relation."),
    Requirement("F-TEXT-10", "DESIGN 1.6", "Tokens are counted by a named counter or the caller's own, exactly."),
    Requirement("F-TEXT-11", "RETRIEVAL 2", "Names, quotations and forms of address are found in a text."),
    Requirement("F-TEXT-12", "DESIGN 10", "A phrase is found word for word, ignoring case, accents and punctuation."),
    Requirement(
        "F-TEXT-18",
        "issue 14 12",
        "A name is found by its parts written apart: HAT123 by hat 123, setCount by set count.",
    ),
    Requirement("F-TEXT-13", "DESIGN 3", "Reading dates, names and phrases fails for no text and passes over it once."),
)

# --- BENCH ---
BENCH = (
    Requirement("F-BENCH-01", "issue 2e", "Four data sets are read; faulty entries are repaired or counted."),
    Requirement("F-BENCH-02", "issue 2e", "Other data is rejected; the error says what came and what was expected."),
    Requirement("F-BENCH-03", "issue 2e", "A turn is found if nine tenths of its words occur in one run."),
    Requirement(
        "F-BENCH-04", "issue 2e", "Intervals resample whole conversations, with the same result for the same values."
    ),
    Requirement("F-BENCH-05", "issue 2e", "Two result files are compared question by question."),
    Requirement("F-BENCH-06", "issue 2e", "Recall is measured bare and rendered, by budget, category and role."),
    Requirement(
        "F-BENCH-07", "issue 2e", "With a vectors cache a repeated run embeds nothing and gives the same result."
    ),
    Requirement("F-BENCH-08", "DESIGN 13", "Speed is measured beside plain references in the same run."),
    Requirement("F-BENCH-09", "issue 2e", "The check fails if a measure falls behind its bar, and only then."),
    Requirement("F-BENCH-10", "issue 2e", "The sample conversation's evidence is found within small budgets."),
    Requirement(
        "F-BENCH-11",
        "issue 13",
        "Lost evidence is told by its rank, pieces and what is shown of it; a block's tokens by their use.",
    ),
    Requirement(
        "F-BENCH-12", "issue 13", "Blind questions over public sessions are counted without a word of these sessions."
    ),
)

# --- STORE ---
STORE = (
    Requirement(
        "F-STORE-01", "DESIGN 3", "A row is read as it was written; a row with an existing key replaces the old one."
    ),
    Requirement("F-STORE-02", "DESIGN 9", "Text without NUL, bytes, 64-bit integers and nulls are stored exactly."),
    Requirement("F-STORE-03", "DESIGN 3", "Every backend rejects invalid rows and requests in the same way."),
    Requirement(
        "F-STORE-04", "DESIGN 3", "A scan returns what lies between two prefixes, in key order, in either direction."
    ),
    Requirement(
        "F-STORE-05", "DESIGN 3", "A scan over an index is ordered by it, then by key; nulls are not included."
    ),
    Requirement(
        "F-STORE-06", "DESIGN 3", "Deleting, and comparing and setting, change what they name and nothing else."
    ),
    Requirement("F-STORE-07", "DESIGN 4", "A blob is stored once under its hash, and removed once."),
    Requirement("F-STORE-08", "DESIGN 3", "A transaction is written whole or not at all, whoever shares its commit."),
    Requirement("F-STORE-09", "DESIGN 3", "Transactions and snapshots end with their block and do not nest."),
    Requirement("F-STORE-10", "DESIGN 9", "Concurrent threads lose nothing."),
    Requirement("F-STORE-11", "DESIGN 9", "A snapshot shows one committed state, whatever is written meanwhile."),
    Requirement("F-STORE-12", "DESIGN 9", "The version changes after a commit of any process, and only then."),
    Requirement("F-STORE-13", "DESIGN 4", "The spaces that contain anything are listed, in order."),
    Requirement("F-STORE-14", "DESIGN 9", "A backup is consistent, complete, checked, and overwrites nothing."),
    Requirement("F-STORE-15", "DESIGN 9", "A damaged database is reported as damaged, and a sound one as sound."),
    Requirement("F-STORE-16", "DESIGN 9", "Closing keeps everything accepted; a closed store raises a clear error."),
    Requirement(
        "F-STORE-17", "DESIGN 9", "A lease has one holder at a time, and its number rises with each new holder."
    ),
    Requirement(
        "F-STORE-18",
        "DESIGN 4",
        "A job is claimed by one worker at a time, in order, and becomes available again if lost.",
    ),
    Requirement(
        "F-STORE-19", "DESIGN 9", "After any sequence of changes every backend has the contents of a dictionary model."
    ),
    Requirement("F-STORE-20", "DESIGN 13", "Everything acknowledged survives kill -9 at any moment."),
    Requirement(
        "F-STORE-21", "DESIGN 13", "Many writing and reading processes lose nothing, see no error, and take turns."
    ),
    Requirement(
        "F-STORE-22", "Issue 3.3", "A full or failing disk is reported as such, loses nothing and is survived."
    ),
    Requirement(
        "F-STORE-23",
        "DESIGN 9",
        "Migrations go forward, one transaction each, after a copy; newer schemas are rejected.",
    ),
    Requirement("F-STORE-24", "DESIGN 9", "Several processes may open a new home at the same moment."),
    Requirement("F-STORE-25", "DESIGN 9", "A home on a network file system is refused, naming the way around."),
    Requirement("F-STORE-26", "DESIGN 9", "A fork of the process cannot use the store, nor harm it."),
    Requirement("F-STORE-27", "DESIGN 9", "After scrubbing, no file of the home contains what was deleted."),
    Requirement(
        "F-STORE-28", "DESIGN 3", "Schema and declared tables agree; every scan uses its index and sorts nothing."
    ),
    Requirement("F-STORE-29", "DESIGN 10", "A location names a directory, memory, or an engine; each is recognised."),
    Requirement("F-STORE-30", "DESIGN 9", "Transactions that wait together share one commit, within bounds."),
    Requirement("F-STORE-31", "DESIGN 9", "The log stays bounded under a continuous succession of readers."),
    Requirement(
        "F-STORE-32", "DESIGN 1.12", "A home is accessible to its owner only; what cannot be a home is rejected."
    ),
    Requirement(
        "F-STORE-33", "Mend 2", "Database, log, exports and backups are for their owner alone, in any directory."
    ),
    Requirement(
        "F-STORE-34",
        "Mend 2",
        "A database that was emptied from outside is reported as damaged, not opened as a new one.",
    ),
    Requirement("F-STORE-35", "Mend 2", "Closing succeeds when only a receipt cannot be written."),
    Requirement("F-STORE-36", "Mend 2", "A home that cannot be written says so (StoreReadOnly) and says what to do."),
    Requirement("F-STORE-37", "Mend 2", "A killed backup leaves nothing behind after the next one."),
    Requirement("F-STORE-38", "Mend 2", "A command puts a backup back; it is verified before it replaces anything."),
    Requirement("F-STORE-39", "Mend 2", "A migration that is killed at any statement is finished by the next opening."),
    Requirement(
        "F-STORE-40", "Mend 2", "Paths, names and numbers that cannot be are input errors in Clew's own words."
    ),
    Requirement("F-STORE-41", "DESIGN 13", "Verifying uses several processors, and needs none of its helpers."),
    Requirement("F-STORE-43", "issue 15, speed", "What need not be durable is written without waking another thread."),
    Requirement("F-STORE-42", "Mend 1", "Verifying reports its progress."),
    Requirement(
        "F-STORE-44",
        "Mend 3",
        "A child that is forked while threads are at work opens the home with locks of its own, or is told why not.",
    ),
    Requirement("F-STORE-45", "Mend 3", "Reading the files of an open home drops none of SQLite's locks on them."),
)

# --- POSTGRES ---
POSTGRES = (
    Requirement(
        "S-POSTGRES-01",
        "DESIGN 9",
        "An address is parsed and completed, or rejected; what is shown of it opens nothing.",
    ),
    Requirement(
        "S-POSTGRES-02", "DESIGN 9", "No message, log, repr or figure contains a password, however it is written."
    ),
    Requirement(
        "S-POSTGRES-03",
        "Issue 3",
        "Problems with a server, a role, a database or a row are reported with the next step.",
    ),
    Requirement("S-POSTGRES-04", "DESIGN 11", "Without the driver, the error names the extra that installs it."),
    Requirement(
        "S-POSTGRES-05",
        "DESIGN 9",
        "The server's schema is the declared one; every scan uses its index and sorts nothing.",
    ),
    Requirement(
        "S-POSTGRES-06",
        "DESIGN 9",
        "After scrubbing no table or statistic contains what was deleted; obstacles are reported.",
    ),
    Requirement(
        "S-POSTGRES-07",
        "DESIGN 9",
        "One of many processes migrates, step by step; a newer or foreign schema is left untouched.",
    ),
    Requirement(
        "S-POSTGRES-08", "DESIGN 9", "Damage of the server's files is found; the reported size is the actual one."
    ),
    Requirement(
        "S-POSTGRES-09", "DESIGN 9", "Writers of a space take turns without deadlock, and block no other space."
    ),
    Requirement("S-POSTGRES-10", "DESIGN 13", "Waiting transactions share a commit, and one that fails fails alone."),
    Requirement(
        "S-POSTGRES-11",
        "Issue 3.1",
        "Transactions that conflict with others are retried, within bounds; a long wait is an error.",
    ),
    Requirement(
        "S-POSTGRES-12", "DESIGN 9", "A commit of this process is seen at once, another's soon, with few queries."
    ),
    Requirement(
        "S-POSTGRES-13", "DESIGN 9", "A store that was closed, abandoned or forked leaves nothing on the server."
    ),
    Requirement(
        "S-POSTGRES-14",
        "Issue 3",
        "A server that goes away leaves nothing half done, and the next call after its return works.",
    ),
    Requirement(
        "S-POSTGRES-15",
        "DESIGN 1.2",
        "A commit without an answer is looked up; an outcome that cannot be known is reported as such.",
    ),
    Requirement("S-POSTGRES-16", "DESIGN 9", "The same log gives the same recall on every engine, to the last bit."),
    Requirement("S-POSTGRES-17", "DESIGN 10", "Every call of a memory works on a server as it does on a home."),
    Requirement("S-POSTGRES-18", "DESIGN 9", "A backup of a server is a home of its own."),
    Requirement("S-POSTGRES-19", "DESIGN 13", "Everything acknowledged survives kill -9 of clients and of the server."),
    Requirement("S-POSTGRES-20", "DESIGN 1.2", "A commit waits for the server's disk, whatever the role's default is."),
    Requirement(
        "S-POSTGRES-21",
        "Issue 3.1",
        "Every command accepts an address by --store; a different home beside it is rejected.",
    ),
    Requirement("S-POSTGRES-22", "Issue 3", "No command and no process list shows the password of an address."),
    Requirement("S-POSTGRES-23", "Issue 3", "A block, a list and a copy request their many rows together."),
    Requirement(
        "S-POSTGRES-25", "Issue 3", "A pooler that separates the statements of a connection is reported as such."
    ),
    Requirement("S-POSTGRES-24", "Issue 3.1", "Real conversations give the same recall on SQLite and on PostgreSQL."),
)

# --- ANALYZE ---
ANALYZE = (
    Requirement("F-ANALYZE-01", "HSCA 2.1", "Sentences divide the text without losing or repeating a character."),
    Requirement(
        "F-ANALYZE-02", "HSCA 2.1", "Layer 1 follows its formula: connections in a window, means upwards, absolute."
    ),
    Requirement("F-ANALYZE-03", "DESIGN 5.1", "A stuffed list scores at most 0.35 in layer 1, alone and in company."),
    Requirement("F-ANALYZE-04", "HSCA 8.4", "A short piece gets a flat low score, or one with its neighbours."),
    Requirement("F-ANALYZE-05", "DESIGN 5.1", "Words, layer 1 and coherence work in any script."),
    Requirement("F-ANALYZE-06", "HSCA 2.2", "Coherence meets the anchors that the specification names."),
    Requirement("F-ANALYZE-07", "HSCA 2.2", "Each of the four heuristics of coherence moves it the stated way."),
    Requirement(
        "F-ANALYZE-08", "HSCA 2.2", "Domain tags come from the vocabulary; text without evidence is unclassified."
    ),
    Requirement("F-ANALYZE-09", "HSCA 2.2", "Two domains that are not companions make a text cross_domain."),
    Requirement(
        "F-ANALYZE-10", "HSCA 2.3", "Rules find hedged, absolute, rhetorical, instructional and comparing text."
    ),
    Requirement("F-ANALYZE-11", "HSCA 2.3", "English text has exactly one tone, other text has none."),
    Requirement("F-ANALYZE-12", "DESIGN 4", "A weighing contains the result of each rule alone, as rows to store."),
    Requirement("F-ANALYZE-13", "DESIGN 5.1", "No more characters are read than stated."),
    Requirement("F-ANALYZE-14", "DESIGN 5.1", "Scores are in 0..1 for any text, deterministic, with known flags only."),
    Requirement("F-ANALYZE-15", "HSCA 2.1", "A tight mesh of few words scores high; unrelated text does not raise it."),
    Requirement("F-ANALYZE-16", "HSCA 2.2", "Verse is poetry by its metre and rhymes, whatever it tells of."),
)

# --- NUANCE ---
NUANCE = (
    Requirement(
        "W-NUANCE-01",
        "HSCA 2.3",
        "On labelled sentences that played no part in making the rules, each flag reaches its stated figures.",
    ),
    Requirement(
        "W-NUANCE-02", "Weighing 1", "At least 300 labelled sentences measure the rules; a second labelling agrees."
    ),
    Requirement("W-NUANCE-03", "DESIGN 5.1", "Each sentence has its own flags; the text has those of its sentences."),
)

# --- WEIGHING ---
WEIGHING = (
    Requirement("W-WEIGH-01", "HSCA 7.4", "Texts stuffed with a query's words score at most 0.35 in layer 1."),
    Requirement("W-WEIGH-02", "HSCA 2.2", "Texts for each anchor of coherence stay within the anchor's range."),
    Requirement("W-WEIGH-03", "HSCA 7.1", "A thread of short turns outweighs a long text about something else."),
    Requirement(
        "W-WEIGH-04", "HSCA 2.2", "Prototype vectors refine the domains; without a vector the rules decide alone."
    ),
    Requirement(
        "W-WEIGH-07",
        "HSCA 2.2",
        "A manner, such as a tale's, does not hide the subject, and everyday talk has no domain.",
    ),
    Requirement(
        "W-WEIGH-05", "HSCA 2.2", "A model that classifies badly in any way gives unclassified, never an error."
    ),
    Requirement("W-WEIGH-06", "DESIGN 5.1", "Any text is weighed in bounded time, with scores in range."),
)

# --- INGEST ---
INGEST = (
    Requirement(
        "F-INGEST-01",
        "DESIGN 5",
        "Each record of an imported file becomes a turn, a rejection with place and reason, or is skipped by kind.",
    ),
    Requirement(
        "F-INGEST-02",
        "DESIGN 5",
        "A record over the limit is rejected by its place without being held in memory; the others are kept.",
    ),
    Requirement(
        "F-INGEST-03",
        "DESIGN 5",
        "What UTF-8 cannot represent, in any encoding of the file, is escaped into text that can be restored.",
    ),
    Requirement(
        "F-INGEST-04",
        "DESIGN 5",
        "Claude Code sessions are read with all their record kinds: compactions, sidechains, rewinds, images.",
    ),
    Requirement(
        "F-INGEST-05", "DESIGN 5", "Codex sessions are read, old and new: calls, reasoning, rollbacks, subagents."
    ),
    Requirement(
        "F-INGEST-06",
        "DESIGN 5",
        "Gemini CLI sessions are read in each of their forms; a record that is written again counts once.",
    ),
    Requirement(
        "F-INGEST-07",
        "DESIGN 5",
        "ChatGPT's export is read from zip or file, with its branches, all kinds of content and its images.",
    ),
    Requirement(
        "F-INGEST-08", "DESIGN 5", "Claude's export is read: branches, content blocks, the texts of attachments."
    ),
    Requirement(
        "F-INGEST-09",
        "DESIGN 5",
        "OpenAI's message lists are read in any container, tool calls and Responses items included.",
    ),
    Requirement(
        "F-INGEST-10", "DESIGN 5", "Anthropic's message lists are read in any container, with every kind of block."
    ),
    Requirement(
        "F-INGEST-11",
        "DESIGN 5",
        "Loose JSON and JSONL records are read by the usual names of their members; no member is lost.",
    ),
    Requirement(
        "F-INGEST-12",
        "DESIGN 5",
        "Markdown transcripts, WhatsApp chats and labelled text are read; other text by paragraphs.",
    ),
    Requirement(
        "F-SUBTITLES-01",
        "README",
        "Transcripts of meetings as WebVTT and SubRip are read: who speaks, when, and no word lost or twice.",
    ),
    Requirement(
        "F-INGEST-13",
        "DESIGN 5",
        "A format is recognised from the content, folders and zips are read in order, an unknown file is an error.",
    ),
    Requirement(
        "F-INGEST-14",
        "DESIGN 10",
        "The sessions that Claude Code, Codex and Gemini CLI keep in a home directory are found.",
    ),
    Requirement(
        "F-INGEST-15",
        "DESIGN 5",
        "Dates in all usual forms become UTC; an incomplete one is unknown and kept as written.",
    ),
    Requirement(
        "F-INGEST-16",
        "DESIGN 5",
        "Keys, tokens, passwords and cards are masked anywhere in a turn, equal ones alike.",
    ),
    Requirement(
        "F-INGEST-17", "DESIGN 5", "Commit ids, hashes, UUIDs, encoded images, code and placeholders are not masked."
    ),
    Requirement("F-INGEST-18", "DESIGN 5", "Images and large tool outputs move to blobs and come back byte for byte."),
    Requirement(
        "F-INGEST-19", "DESIGN 4", "A history that is sent again adds nothing; one that grew adds exactly what is new."
    ),
    Requirement(
        "F-INGEST-93",
        "issue 15",
        "Of a history that leaves out its middle, or has a summary in its place, only what is new is stored.",
    ),
    Requirement(
        "F-INGEST-94",
        "issue 15",
        "The answer to an edited message, and another answer, given to `update` or `wrap_chat`, are in its branch.",
    ),
    Requirement(
        "F-INGEST-95",
        "issue 15",
        "A history that several threads or processes bring at once is stored once; each of its answers has a branch.",
    ),
    Requirement(
        "F-INGEST-96",
        "issue 15",
        "The last messages of a long session, sent with each question, cost no more than those of a short one.",
    ),
    Requirement(
        "F-INGEST-20",
        "DESIGN 4",
        "An edit opens a branch and keeps the old one; sent again, it is aligned with its branch.",
    ),
    Requirement(
        "F-INGEST-21",
        "DESIGN 4",
        "Equality alone never drops a turn: repetitions are kept, and turns at other times are other turns.",
    ),
    Requirement("F-INGEST-22", "DESIGN 4", "A known external id is recognised; with other content it is a conflict."),
    Requirement(
        "F-INGEST-24", "DESIGN 5", "An export imports to the same turns; damage affects only the damaged turn."
    ),
    Requirement(
        "F-INGEST-25",
        "DESIGN 13",
        "No parser fails on any input: it reads it, or rejects the file as a whole with a clear error.",
    ),
    Requirement(
        "F-INGEST-26",
        "DESIGN 4",
        "Tool results and text that clients inserted into messages are separated from the person's words.",
    ),
    Requirement(
        "F-INGEST-29",
        "Issue 12.2",
        "An import follows no link that it finds, and opens no pipe; both are counted as skipped.",
    ),
    Requirement("F-INGEST-50", "Issue 12.2", "A number too large for JSON is kept as text, and exports are JSON."),
    Requirement("F-INGEST-31", "Issue 12.2", "An empty tool result is kept; it pairs with its call."),
    Requirement("F-INGEST-32", "Issue 12.2", "A file in Latin-1 is decoded, with a warning that names it."),
    Requirement(
        "F-INGEST-33", "Issue 13.9", "Importing a folder finds the hidden folders in which programs keep sessions."
    ),
    Requirement("F-INGEST-34", "Issue 12.2", "A tool result of several texts is one result."),
    Requirement("F-INGEST-30", "Issue 12.2", "The command `import` exits with status 1 when a record was rejected."),
    Requirement(
        "F-INGEST-35",
        "Issue 12.1",
        "An unchanged file that is imported again costs a look at its size and times, and is not opened.",
    ),
    Requirement(
        "F-INGEST-91",
        "Issue 14",
        "Exports of OpenCode are read: calls with results, reasoning, subagents, redacted ids.",
    ),
    Requirement("F-INGEST-92", "Issue 14", "Events of GitHub Copilot CLI are read: prompts, answers, calls, results."),
    Requirement("F-INGEST-90", "docs/import.md", "A file that a folder's import skipped is read when it is named."),
    Requirement(
        "F-INGEST-37", "Issue 12.2", "Impossible names and numbers give a message of Clew's own, never one of Python's."
    ),
    Requirement("F-INGEST-36", "Issue 12.2", "The memory of an import does not grow with the length of a file."),
    Requirement(
        "F-INGEST-46", "Issue 13.9", "Open WebUI exports are read: branches, reasoning, calls, documents, images."
    ),
    Requirement(
        "F-INGEST-47", "Issue 13.9", "Cursor databases are read: sessions, calls, reasoning, subagents, old forms."
    ),
    Requirement("F-INGEST-45", "Issue 13", "A message that is too long for a turn becomes several turns."),
    Requirement("F-INGEST-44", "Issue 13.8", "A title that comes after a session's last turn is its title."),
    Requirement("F-INGEST-38", "Issue 13.8", "A message that was queued while the agent worked is kept, once."),
    Requirement(
        "F-INGEST-39", "Issue 13.8", "The summary of a compaction is found when what it sums up is not stored."
    ),
    Requirement("F-INGEST-40", "Issue 13.9", "Aider's chat history is read with its sessions, roles and times."),
    Requirement(
        "F-INGEST-97",
        "Issue 13.9",
        "SpecStory's histories are read: sessions, calls with their results, thoughts, subagents; a copy adds nothing.",
    ),
    Requirement(
        "F-INGEST-98",
        "docs/import.md",
        "VS Code's chats are read, exported or as session files: questions, answers, calls with results, times.",
    ),
    Requirement(
        "F-INGEST-41", "Issue 13.9", "OpenHands' events are read in each of their forms, calls with their results."
    ),
    Requirement(
        "F-INGEST-42", "Issue 13.9", "SWE-agent's trajectories are read by their history, else by their steps."
    ),
    Requirement(
        "F-INGEST-43", "Issue 13.9", "Gemini's activity in Google Takeout is read, prompts with their answers."
    ),
    Requirement(
        "F-INGEST-56",
        "docs/import.md",
        "What chat programs export as text keeps speakers and times; what they write themselves is skipped.",
    ),
    Requirement(
        "F-INGEST-57",
        "docs/import.md",
        "Exports of Slack, Telegram and Messenger, and records with a sender, are read with speakers and times.",
    ),
    Requirement(
        "F-INGEST-58", "docs/import.md", "Files of one name are sessions of their own, and each goes on in its own."
    ),
    Requirement(
        "F-INGEST-27",
        "Issue 12.2",
        "Passwords are masked in the forms of command lines, configuration files, cookies, markup and plain sentences.",
    ),
    Requirement(
        "F-INGEST-28", "Issue 12.2", "Keys of many issuers are masked, by vendored rules of gitleaks among others."
    ),
)

# --- COPY ---
COPY = (
    Requirement("S-COPY-01", "Issue 3.2", "A copied space is equal row for row, proven by hashes, on every store."),
    Requirement("S-COPY-02", "Issue 3.2", "An interrupted copy continues; an incomplete copy is recognised as such."),
    Requirement(
        "S-COPY-03", "Issue 3.2", "Unless asked, a copy discards nothing of its target and un-forgets nothing."
    ),
    Requirement("S-COPY-04", "DESIGN 9", "What the source has forgotten since is removed from the copy's files too."),
    Requirement(
        "S-COPY-05", "Issue 3.2", "A wrong space, the same store twice, or a writer in between is a clear error."
    ),
    Requirement("S-COPY-06", "Issue 3.2", "A merge adds what is new and loses nothing; a repeated merge adds nothing."),
    Requirement("S-COPY-07", "Issue 3.2", "Merged branches stay separate, and answers refer to the same turns."),
    Requirement("S-COPY-08", "DESIGN 9", "What the target of a merge has forgotten stays out of it."),
    Requirement("S-COPY-09", "Issue 3.2", "`clew copy` and `clew merge` do both, and never create a missing source."),
    Requirement("S-BACKUP-01", "Issue 3.8", "A backup made while others write restores to a complete home."),
    Requirement("S-BACKUP-02", "Issue 3.8", "A backup is all spaces in one checked file, and replaces no file."),
    Requirement("S-DOCTOR-01", "Issue 3.4", "Verify finds every planted fault, and reports nothing on a sound home."),
    Requirement(
        "S-DOCTOR-02", "Issue 3.4", "Doctor explains each fault, and repairs what it can without losing a turn."
    ),
    Requirement(
        "S-DOCTOR-03", "Issue 3.4", "A rebuild killed at any moment leaves a home that the next rebuild completes."
    ),
    Requirement("S-DOCTOR-04", "Issue 3.4", "Recall continues while the index is rebuilt."),
)

# --- PRIVACY ---
PRIVACY = (
    Requirement("S-PRIVACY-01", "Issue 3.6", "A paused space stores nothing, in any process, until it is resumed."),
    Requirement(
        "S-PRIVACY-02", "Issue 3.6", "Turns that match an exclusion pattern are never stored, and counted as excluded."
    ),
    Requirement(
        "S-PRIVACY-03",
        "Issue 3.6",
        "Turns older than keep_days are deleted with everything derived from them; younger ones are not.",
    ),
    Requirement(
        "S-MODEL-01", "Issue 3.5", "Vectors of two models are never mixed; the old ones serve until all are new."
    ),
    Requirement(
        "S-MODEL-02", "Issue 3.5", "An interrupted switch of models continues; the old vectors are dropped in one step."
    ),
    Requirement("S-MODEL-03", "Issue 3.5", "A program that still runs with the old model does not undo a switch."),
    Requirement("S-ISOLATION-01", "Issue 3.7", "A space shows the same whether or not others are in the same home."),
)

# --- RANKING ---
RANKING = (
    Requirement("F-MEETING-01", "README", "Recall is measured on meetings: QMSum's transcripts, questions and spans."),
    Requirement(
        "F-MEETING-02",
        "issue 12",
        "In a meeting, turns are found by what is said around them, in a chat of two by their own.",
    ),
    Requirement(
        "F-RANKING-01",
        "DESIGN 6",
        "Rank fusion, k 60 and equal values sharing the best rank, can be recomputed by hand.",
    ),
    Requirement("F-RANKING-02", "DESIGN 6", "Score fusion can be recomputed by hand; unknown values add nothing."),
    Requirement("F-RANKING-03", "DESIGN 1.5", "The signals' shares of a turn add up to its score."),
    Requirement(
        "F-RANKING-04",
        "DESIGN 6",
        "The best turns are those of a full sort; ties are decided by session, then position.",
    ),
    Requirement(
        "F-RANKING-05", "DESIGN 6", "Each signal gives the values that it documents; a weight of 0 turns it off."
    ),
    Requirement("F-RANKING-06", "DESIGN 6", "Only filters, an explicit floor and the injected flag exclude turns."),
    Requirement(
        "F-RANKING-07",
        "DESIGN 3",
        "Every question in every space is answered; a space's only turn on the subject is found.",
    ),
    Requirement(
        "F-RANKING-08", "DESIGN 6", "Names, dates, quotations and question words are recognised in a question."
    ),
    Requirement(
        "F-RANKING-09",
        "DESIGN 6",
        "A phrase is found word for word, newest first; a phrase without a word is rejected.",
    ),
    Requirement("F-RANKING-10", "DESIGN 1.9", "A ranking is the same each time and for any layout of the index."),
    Requirement("F-RANKING-11", "DESIGN 1.6", "A block never exceeds its budget, with any counter and any turns."),
    Requirement("F-RANKING-12", "DESIGN 6", "A block is in order of time, and no stored text can end it."),
    Requirement("F-RANKING-13", "DESIGN 6", "A long turn that does not fit whole is shown by its best piece."),
    Requirement("F-RANKING-14", "DESIGN 6", "Omitted turns are named with a reason and the id that restores them."),
    Requirement("F-BLOCK-04", "issue 13", "Greetings and thanks are in a block if they are asked for or required."),
    Requirement(
        "F-BLOCK-15",
        "issue 13",
        "Words that only let somebody go on fill no block, unless they answer a question or are asked for.",
    ),
    Requirement(
        "F-BLOCK-16", "issue 13", "A block shows a terminal's output without its colours and movements of the cursor."
    ),
    Requirement("F-BLOCK-17", "issue 13", "A passage that begins within code shows what follows the code as no code."),
    Requirement("F-BLOCK-18", "issue 13", "An explanation says what the signals that it names look for."),
    Requirement("F-BLOCK-19", "issue 13", "What an import skips or rejects is named without saying a file twice."),
    Requirement("F-BLOCK-20", "issue 13", "Calls of tools are shown without the marks of JSON."),
    Requirement("F-BLOCK-22", "issue 13", "A command to the client is shown as it was typed."),
    Requirement("F-BLOCK-23", "issue 13", "A brief tells a long request beyond its title."),
    Requirement("F-BLOCK-24", "issue 13", "A tool's result that only confirms its call fills no block."),
    Requirement("F-BLOCK-21", "issue 13", "A title that stands for a long turn shows that more was said."),
    Requirement("F-BLOCK-01", "issue 13", "Under a heading, a speaker who goes on is named once."),
    Requirement(
        "F-BLOCK-02", "issue 13", "A block shows a session's UUID short, and its items are found by that name."
    ),
    Requirement(
        "F-BLOCK-03", "issue 12", "The name of a speaker cannot pass for a role that says something, nor fill a block."
    ),
    Requirement("F-RANKING-16", "issue 12", "A code fence that a turn leaves open ends with the turn."),
    Requirement(
        "F-RANKING-15",
        "DESIGN 1.5",
        "A receipt records what was understood, included and omitted; one log gives one receipt.",
    ),
    Requirement("F-SURE-01", "Issue 5.6", "Confidence is a calibrated probability that can be recomputed by hand."),
    Requirement("F-SURE-02", "DESIGN 6", "Every context has a confidence; an empty one has none."),
    Requirement("F-SURE-03", "issue 13", "Confidence weighs names, rare words that stand in one place, and nearness."),
    Requirement("F-SURE-06", "issue 13", "What a person told of themselves, and not what they asked, is their own."),
    Requirement(
        "F-SURE-07",
        "issue 13",
        "`benchmarks.confidence` measures and fits the confidence on questions that are in the repository.",
    ),
    Requirement(
        "F-SURE-08",
        "issue 13",
        "Function words of a question tell nothing in the languages that dates are read in, and the cosines of a model "
        "that cannot read the turns tell little.",
    ),
    Requirement("F-SURE-09", "issue 13", "A name counts as known where one session has all of its words."),
    Requirement(
        "F-SURE-11", "issue 13", "Talks of months, written for it, judge recall and confidence; each answer is told."
    ),
    Requirement(
        "F-SURE-04", "issue 13", "Where nothing relevant is stored, a block stays short and its readers are told."
    ),
    Requirement(
        "F-SURE-05", "issue 13", "A question of few common words, often answered in others, gets the whole budget."
    ),
    Requirement("F-STRATEGY-01", "DESIGN 6", "`auto` chooses a strategy by the intent of the question."),
    Requirement("F-STRATEGY-02", "DESIGN 6", "Strategies limit items and tokens; a given budget takes precedence."),
    Requirement("F-STRATEGY-03", "DESIGN 6", "`sigma` shows what SIGMA's injection would, from turns and shifts."),
    Requirement("F-STRATEGY-04", "DESIGN 6", "Under `sigma` a turn is shown by 500 characters, within the budget."),
    Requirement("F-ABLATE-01", "Issue 5.12", "`clew bench ablate` tells what recall loses without each signal."),
    Requirement("F-ABLATE-02", "Issue 5.12", "`clew bench curve` draws recall against tokens, the same each time."),
    Requirement(
        "F-RANKING-22", "Issue 5.1", "Answers, named times and standing wishes count when the question asks for them."
    ),
    Requirement(
        "F-RANKING-31",
        "issue 13",
        "A plain word that no turn has is read as one that is an edit or two from it, which the receipt says.",
    ),
    Requirement(
        "F-RANKING-30",
        "Issue 5.1",
        "A standing wish is an instruction or a preference; the nearest twelve apply to a request.",
    ),
    Requirement("F-RANKING-23", "Issue 5.1", "Two people who are compared are looked up as one."),
    Requirement(
        "F-RANK-01", "Issue 13.5", "Of several people in a question, the subject is the one whose words are found."
    ),
    Requirement(
        "F-RANK-02", "DESIGN 6", "Two dates of one kind with 'to' between them are a range, in a question too."
    ),
    Requirement("F-RANK-03", "issue 13", "`as_of` and `known_at` in words mean the last moment of that time."),
    Requirement("F-RANK-05", "issue 13.10", "After `warm_up` no question loads a module."),
    Requirement("F-RANK-04", "issue 13", "After `forget`, `explain` says that the receipts were deleted."),
    Requirement(
        "F-RANKING-29", "DESIGN 6", "Between people a turn also counts by the best short window that contains it."
    ),
    Requirement(
        "F-RANKING-24",
        "Issue 5.1",
        "What a question says about the conversation itself is not looked up; the receipt says so.",
    ),
    Requirement(
        "F-RANKING-25",
        "DESIGN 6",
        "A search has no budget and counts no cost; `ranked` is the order of a recall.",
    ),
    Requirement(
        "F-HOP-01", "Issue 5.1", "Somebody described by something else that was said is found by a second look-up."
    ),
    Requirement("F-HOP-02", "Issue 5.1", "The second look-up is bounded and exact, and a receipt names no word of it."),
    Requirement(
        "F-PLACE-01",
        "DESIGN 6",
        "Phrases such as `three beats ago` and `before we chose Redis` are recognised as positions, and no others.",
    ),
    Requirement(
        "F-PLACE-02", "DESIGN 6", "An event that a question refers to is looked up: one turn, always the same."
    ),
    Requirement(
        "F-PLACE-03", "DESIGN 1.7", "Turns at the position that a question describes rank higher, and none is excluded."
    ),
    Requirement("F-PLACE-05", "DESIGN 5.3", "The state before an event is given by the latest turns before it."),
    Requirement("F-PLACE-04", "DESIGN 1.5", "A receipt records the positions that a question was understood to mean."),
    Requirement(
        "F-PLACE-06",
        "Issue 5.1",
        "A question for the end or the beginning of a conversation, and nothing else, gets the turns there.",
    ),
    Requirement("F-RANKING-21", "DESIGN 6", "A person who is greeted by another name at least twice is found by it."),
)

# --- LABELS IN A RECALL ---
RECALL_LABELS = (
    Requirement(
        "F-LABEL-01",
        "DESIGN 6",
        "With a weight, a turn scores by its share of the question's labels, rare ones more, aliases as one.",
    ),
    Requirement(
        "F-LABEL-02",
        "DESIGN 1.4",
        "The labels of an unanalysed turn are unknown; without a weight labels are not read.",
    ),
    Requirement(
        "F-LABEL-03", "DESIGN 6", "Turns in the prompt are left out, and labels of its last 4 turns are ignored."
    ),
    Requirement(
        "F-LABEL-04", "DESIGN 1.9", "Labels have the same effect for any store, packing and order of analysis."
    ),
    Requirement(
        "F-DAMP-01", "DESIGN 6", "With a weight, a turn far from every other relevant turn loses by that distance."
    ),
    Requirement("F-DAMP-02", "DESIGN 6", "With a weight, a turn loses by how likely any question shares its labels."),
    Requirement(
        "F-DAMP-03",
        "DESIGN 1.5",
        "Receipts show what was subtracted under both fusions; a score is the sum of its parts.",
    ),
)

# --- TYPES ---
TYPES = (
    Requirement("F-TYPES-01", "DESIGN 4", "Content may be text, parts or mappings; the plain text is derived from it."),
    Requirement("F-TYPES-02", "DESIGN 4", "Times are stored in UTC; one without a zone is UTC; none is invented."),
    Requirement(
        "F-TYPES-03", "Issue 2 bad input", "An invalid turn is rejected; the error names the field and the rule."
    ),
    Requirement("F-TYPES-04", "DESIGN 4", "The origin of a turn follows from role and parts, or is given."),
    Requirement("F-TYPES-05", "DESIGN 4", "An id determines session and position, and no two turns share one."),
    Requirement(
        "F-TYPES-06",
        "DESIGN 3",
        "Every record survives its wire form; unknown values are absent; newer keys are accepted.",
    ),
    Requirement("F-TYPES-07", "DESIGN 3", "A turn is restored from its row; equal turns are equal bytes."),
)

# --- CONFIG ---
CONFIG = (
    Requirement("F-CONFIG-01", "DESIGN 3", "Arguments take precedence over CLEW_*, over clew.toml, over defaults."),
    Requirement("F-CONFIG-02", "DESIGN 10", "All unknown or out-of-range settings are named at once."),
    Requirement("F-CONFIG-04", "DESIGN 12", "A misspelt CLEW_ variable is told once, with the one that was meant."),
    Requirement("F-CONFIG-03", "DESIGN 3", "Every setting can be given in the file, the environment and arguments."),
)

# --- RECALL ---
RECALL = (
    Requirement(
        "F-RECALL-01",
        "RETRIEVAL 2",
        "The style of a text is determined in one pass: first person, question, statement.",
    ),
    Requirement("F-RECALL-03", "DESIGN 1.9", "The best come first, and a limit only cuts."),
    Requirement("F-RECALL-05", "DESIGN 6", "Question words and names in a question are matched as whole words."),
    Requirement("F-RECALL-06", "DESIGN 1.7", "A filter passes exactly the turns that meet all of it."),
    Requirement(
        "F-RECALL-07", "DESIGN 6", "Signals order turns and exclude none; if they favour no turn, none is found."
    ),
    Requirement("F-RECALL-08", "DESIGN 1.10", "Injected text is stored and found by its id, but never recalled."),
    Requirement(
        "F-RECALL-17",
        "DESIGN 1.10",
        "A block that a caller put into a message, and injected parts beside a person's words, are stored word for "
        "word and never become memories.",
    ),
    Requirement(
        "F-RECALL-51",
        "issue 15",
        "A stored text that writes Clew's marks, however spelled, neither ends nor begins a quotation anywhere.",
    ),
    Requirement(
        "F-RECALL-18",
        "DESIGN 13",
        "The block for one or two words ends at turns that neither stand around the words nor are near in meaning.",
    ),
    Requirement("F-RECALL-09", "DESIGN 5", "Text that no store can hold is found when it is asked for as it was said."),
    Requirement("F-RECALL-10", "DESIGN 9", "Every store, packed or not, gives the same answers."),
    Requirement("F-RECALL-11", "DESIGN 1.3", "Without a working model, a question still finds turns by its words."),
    Requirement("F-RECALL-13", "DESIGN 1.9", "The same question at the same moment has the same answer and receipt."),
)

# --- QUERY ---
QUERY = (
    Requirement("F-QUERY-01", "DESIGN 6", "NOT binds before AND before OR; keywords may be in either case."),
    Requirement("F-QUERY-02", "DESIGN 6", "A syntax error names the position, what is there and what was expected."),
    Requirement("F-QUERY-03", "DESIGN 6", "An expression finds what a filter over turns finds, on every store."),
    Requirement(
        "F-QUERY-04", "DESIGN 1.4", "A comparison with a value that was not computed is neither true nor false."
    ),
    Requirement("F-QUERY-05", "Issue 5.8", "Length, depth and number of conditions of an expression are bounded."),
    Requirement(
        "F-QUERY-06", "DESIGN 6", "An expression restricts a recall or search, and is recorded in its receipt."
    ),
    Requirement("F-QUERY-07", "Issue 3.6", "Forgetting accepts an expression; a dry run shows the matching turns."),
    Requirement("F-QUERY-08", "DESIGN 6", "`as_of` is event time and moves the clock; `known_at` is ingestion time."),
    Requirement("F-QUERY-09", "DESIGN 1.1", "Cached annotations equal the stored ones, after any change."),
    Requirement(
        "F-QUERY-10", "DESIGN 2", "A turn has its own labels and its closed beat's; aliases and parts are resolved."
    ),
    Requirement("F-QUERY-11", "DESIGN 5.2", "`overlay_threshold` decides which overlays are active in an expression."),
    Requirement("F-QUERY-12", "DESIGN 6", "The meet joins a condition with overlays and elements of the project."),
    Requirement(
        "F-QUERY-13", "DESIGN 5", "An expression reads a turn's rows once, and only those of the turns concerned."
    ),
    Requirement(
        "F-QUERY-14", "DESIGN 10", "`clew query` lists matching turns; commands accept --where, --as-of and --known-at."
    ),
)

# --- FOUND ---
FOUND = (
    Requirement("U-FOUND-01", "DESIGN 12", "`clew` without a command prints the whole help page, and nothing else."),
    Requirement(
        "U-FOUND-02", "DESIGN 12", "After a correction, brief and recap are still about the last conversation."
    ),
    Requirement("U-FOUND-03", "DESIGN 12", "A history without dates is in the order of the turns."),
    Requirement("U-FOUND-04", "DESIGN 12", "What is said not to be fatal is no error."),
    Requirement("U-FOUND-05", "DESIGN 12", "On a narrow terminal, lists lose no text."),
    Requirement("U-FOUND-06", "DESIGN 12", "The turn ids of blocks and recaps can be pinned and forgotten."),
    Requirement("U-FOUND-07", "DESIGN 12", "The command that a recap names can be typed, whatever the session's name."),
    Requirement("U-FOUND-08", "DESIGN 12", "`clew forget SESSION` says how a whole conversation is deleted."),
)

# --- PIPELINE ---
PIPELINE = (
    Requirement("F-PIPELINE-01", "DESIGN 4", "A single turn is new unless its id is known; sequences are aligned."),
    Requirement("F-PIPELINE-02", "DESIGN 4", "Groups, batches and other writers do not affect what is stored."),
    Requirement(
        "F-PIPELINE-03", "Issue 2 bad input", "What cannot be stored is named, and nothing else is lost because of it."
    ),
    Requirement("F-PIPELINE-04", "DESIGN 5", "Progress counts durable turns; a source that breaks off loses nothing."),
    Requirement("F-PIPELINE-05", "Issue 2 bad input", "Any text can be stored, indexed, weighed, found and restored."),
    Requirement(
        "F-PIPELINE-06", "DESIGN 5", "Secrets are masked before the first disk write, unless configured otherwise."
    ),
    Requirement("F-PIPELINE-07", "DESIGN 5", "Originals are restored byte for byte, and stored once."),
    Requirement("F-PIPELINE-08", "DESIGN 1.1", "What is derived without a model follows from the stored turn alone."),
    Requirement("F-PIPELINE-09", "DESIGN 9", "No table, segment or file contains anything of a forgotten turn."),
    Requirement(
        "F-PIPELINE-10", "DESIGN 10", "Forgetting deletes what meets every condition; a dry run deletes nothing."
    ),
    Requirement(
        "F-PIPELINE-11",
        "DESIGN 9",
        "A forgotten turn stays out; the same words said again, and everything else, are stored.",
    ),
    Requirement("F-PIPELINE-12", "Issue 2 c", "Importing an export gives the same turns, ids and rankings."),
    Requirement("F-PIPELINE-13", "DESIGN 1.9", "Checks, exports and look-ups see one state of the space."),
    Requirement(
        "F-PIPELINE-14",
        "DESIGN 5",
        "The worker embeds every turn without a vector, whenever and by whomever it was added.",
    ),
    Requirement("F-PIPELINE-15", "DESIGN 1.3", "A turn that the model cannot embed affects no other turn."),
    Requirement("F-PIPELINE-16", "DESIGN 1.3", "A model that fails blocks nothing, and stats say so."),
    Requirement("F-PIPELINE-17", "DESIGN 9", "One worker at a time works in a space, and the next continues after it."),
    Requirement(
        "F-PIPELINE-18", "DESIGN 1.5", "Receipts survive the process; the newest are kept; none survives forgetting."
    ),
    Requirement("F-PIPELINE-19", "DESIGN 5.4", "Waiting for background work does not wait for further turns."),
    Requirement("F-PIPELINE-20", "DESIGN 8", "A memory can be closed although its database has gone."),
    Requirement("F-PIPELINE-21", "Issue 12.1", "Background work says how much of it is left, and how long that takes."),
    Requirement(
        "F-PIPELINE-22", "DESIGN 13", "Turns that threads add at the same time are written in one transaction."
    ),
    Requirement(
        "F-PIPELINE-23",
        "DESIGN 13",
        "Short sessions that are added together share transactions, with the outcome that each has by itself.",
    ),
)

# --- ODD ---
ODD = (
    Requirement("F-ODD-01", "Issue 5", "A question of any text, of 50,000 words or none, gets its answers or nothing."),
    Requirement("F-ODD-02", "Issue 5", "If nothing fits, the block is empty and names what was left out."),
    Requirement(
        "F-ODD-03", "Issue 5", "An invalid question is rejected; the error says what came and what was expected."
    ),
    Requirement("F-ODD-04", "Issue 5", "Filters that match no turn, including future times, give an empty result."),
)

# --- FORM ---
FORM = (
    Requirement(
        "F-FORM-01", "DESIGN 13", "The rules' annotations of a turn are encoded compactly, and decoded exactly."
    ),
    Requirement(
        "F-FORM-02", "DESIGN 9", "A home of an older schema keeps the annotations of its turns, and its receipts."
    ),
    Requirement("F-FORM-03", "DESIGN 13", "Receipts are stored compressed; uncompressed ones can be read too."),
    Requirement("F-FORM-04", "DESIGN 13", "A beat and a tree's open edge are encoded compactly, and decoded exactly."),
    Requirement("F-FORM-05", "DESIGN 13", "A spelling is stored as its difference from its key, and decoded exactly."),
    Requirement("F-FORM-06", "DESIGN 13", "The domains of a node are stored in its own row, and found as labels."),
    Requirement("F-FORM-07", "DESIGN 13", "Columns have little unused capacity, and grow in few steps."),
)

# --- MEMORY ---
MEMORY = (
    Requirement(
        "F-MEMORY-01", "DESIGN 10", "A memory opens at the given place; the error names what cannot be opened."
    ),
    Requirement("F-MEMORY-02", "DESIGN 10", "Every call rejects what it documents, and says what to do instead."),
    Requirement(
        "F-MEMORY-03", "DESIGN 10", "A closed memory raises a clear error, and closing disturbs no running call."
    ),
    Requirement("F-MEMORY-16", "DESIGN 10", "A call's signature lists its arguments by their documented names."),
    Requirement("F-MEMORY-04", "DESIGN 10", "Stats count the contents of a memory."),
    Requirement("F-MEMORY-05", "Issue 2 b", "Turns that another process stores are seen by the next call."),
    Requirement("F-MEMORY-06", "DESIGN 2", "Spaces of one home are isolated from each other."),
    Requirement("F-MEMORY-07", "DESIGN 1.9", "Every stored time comes from the clock."),
    Requirement("F-MEMORY-08", "DESIGN 3", "AsyncMemory is Memory, call by call, in a bounded number of threads."),
    Requirement("F-MEMORY-09", "DESIGN 13", "No acknowledged turn is lost when processes are killed."),
    Requirement("F-MEMORY-10", "DESIGN 13", "Many writing and reading processes lose nothing and see no error."),
    Requirement("F-MEMORY-11", "DESIGN 5", "Work that a killed process left undone is done by the next."),
    Requirement("F-MEMORY-12", "DESIGN 13", "The state kept between steps of background work is bounded and small."),
    Requirement("F-MEMORY-13", "Issue 13.10", "Questions of many users leave the event loop free for other calls."),
    Requirement("F-MEMORY-15", "Issue 12.2", "A wrong argument is named in an error of Clew's own."),
    Requirement(
        "F-MEMORY-14", "issue 12", "A program that ends without closing its memory ends well, after the step at hand."
    ),
)

# --- HOLDS ---
HOLDS = (
    Requirement("F-HOLD-01", "Issue Store 2", "An interrupted rebuild continues where it was, to the same bytes."),
    Requirement(
        "F-HOLD-02",
        "Issue Store 2",
        "Turns added during a rebuild are in its result; turns forgotten during it are not.",
    ),
    Requirement(
        "F-HOLD-04",
        "Issue Store 2",
        "A merge copies vectors; an interrupted merge continues, and nothing is duplicated.",
    ),
    Requirement(
        "F-HOLD-05",
        "Issue Store 3",
        "Killed in any operation, a home opens with every acknowledged turn, and continues.",
    ),
    Requirement(
        "F-HOLD-06", "Issue Store 9", "Background work of a killed process of this machine is continued at once."
    ),
    Requirement(
        "F-HOLD-07", "Issue Store 5", "A scrub that is not possible at once is reported, noted, and done later."
    ),
    Requirement(
        "F-HOLD-08", "DESIGN 9", "Forgotten data is proven to be gone: rows, index, receipts, answers, raw files."
    ),
    Requirement(
        "F-HOLD-09", "Issue Store 4", "A failing disk in any operation is reported, and no acknowledged turn is lost."
    ),
    Requirement("F-HOLD-10", "Issue Store 7", "A backup made beside writers restores to a complete home."),
    Requirement("F-HOLD-11", "Issue Store 8", "A home that is moved or deleted while open acknowledges nothing more."),
    Requirement("F-HOLD-12", "DESIGN 5", "Turns that failed are recorded with the reason, tried again, and put aside."),
    Requirement(
        "F-HOLD-13", "Issue Store 8", "A process that has a home open sees what a copy put there, whole or not at all."
    ),
    Requirement("F-HOLD-14", "Issue Store 8", "A clock that is set back loses nothing and restores nothing forgotten."),
    Requirement("F-HOLD-03", "Issue Store 2", "A rebuild reports its progress."),
)

# --- STRUCTURE ---
STRUCTURE = (
    Requirement("W-STRUCT-01", "DESIGN 5.3", "A beat ends where its topic ends, with vectors and without."),
    Requirement("W-STRUCT-02", "DESIGN 5.3", "Silence, 20 turns, a finished task and a change of subject end beats."),
    Requirement("W-STRUCT-03", "DESIGN 5.3", "Verbal cues and the maturity of the beat count."),
    Requirement(
        "W-STRUCT-04", "DESIGN 5", "A step is pure; its state is small, contains no text, and can be recreated."
    ),
    Requirement("W-STRUCT-05", "DESIGN 5", "Beats do not depend on batching, and each turn is in exactly one."),
    Requirement(
        "W-STRUCT-06", "DESIGN 4", "A closed beat stores weights, domains and links; short turns are weighed together."
    ),
    Requirement(
        "W-STRUCT-07", "DESIGN 5.3", "Chapters group similar neighbours, in a tree that grows at its right edge."
    ),
    Requirement(
        "W-STRUCT-08", "HSCA 3", "The sequence of beats gives the state before, how domains moved, and the last n."
    ),
    Requirement("W-STRUCT-09", "HSCA 8.3", "Sessions are merged by a stated policy: old ones fade."),
    Requirement(
        "W-STRUCT-14", "DESIGN 13", "A beat of a meeting ends where words and speakers change for many minutes."
    ),
    Requirement("W-STRUCT-13", "DESIGN 13", "A meeting of many speakers is divided into few long beats."),
    Requirement("W-STRUCT-12", "DESIGN 13", "Whether people who chat are users or assistants does not decide a beat."),
    Requirement("W-STRUCT-15", "DESIGN 13", "Without a model, small talk is divided by what people ask and tell."),
    Requirement("W-STRUCT-16", "DESIGN 5.3", "Evidence for domains counts by its source: words alone need less of it."),
    Requirement(
        "W-STRUCT-17", "HSCA 7.5", "What is told or talked over has a subject, which is named even where it is faint."
    ),
    Requirement("W-STRUCT-18", "HSCA 7.2", "The manner of a whole conversation is no subject of its beats."),
    Requirement("W-STRUCT-19", "HSCA 7.2", "What a beat is about is told in the light of the whole conversation."),
    Requirement("W-STRUCT-20", "HSCA 7.5", "What two stretches share is read in the light of either."),
    Requirement(
        "W-STRUCT-21", "HSCA 7.5", "A stretch that is given by its turns has nothing of the rest of their beats."
    ),
    Requirement("W-STRUCT-22", "DESIGN 10", "Beats of a session that there is not are an error."),
    Requirement("W-STRUCT-11", "DESIGN 5.3", "A beat whose subjects change slowly is closed as several."),
    Requirement("W-STRUCT-10", "DESIGN 13", "Beats are measured against labels made by hand, by Pk and WindowDiff."),
)

# --- HSCA ---
HSCA = (
    Requirement("W-HSCA-01", "HSCA 6", "Shapes, defaults, rounding and formulas are exactly the document's."),
    Requirement(
        "W-HSCA-02", "HSCA 6", "The engine accepts any turn, and takes snapshots by the document's rule alone."
    ),
    Requirement(
        "W-HSCA-03", "HSCA 8.4", "Short chunks are weighed together, and have a flat score until that is possible."
    ),
    Requirement("W-HSCA-04", "HSCA 5.1", "Sessions keep summaries and snapshots; records of older programs load."),
    Requirement("W-HSCA-05", "HSCA 5.2", "Dense snapshots ground claims; support is the weight of their chunks."),
    Requirement("W-HSCA-06", "HSCA 6", "Threads share an engine, and lose and repeat no turn."),
)

# --- EVAL ---
EVAL = (
    Requirement(
        "W-EVAL-01", "HSCA 7.1", "A thread of short turns, not a long aside, determines the subject of a beat."
    ),
    Requirement(
        "W-EVAL-02", "HSCA 7.2", "Evaluation 2 measures how well the list of beats shows a known movement of domains."
    ),
    Requirement("W-EVAL-03", "HSCA 7.3", "What is learned from use improves evaluation 1 on other texts."),
    Requirement(
        "W-WEIGH-08",
        "DESIGN 13",
        "Words beyond the hand-made lists, learned from a dictionary, name the domain of a short turn.",
    ),
    Requirement("W-EVAL-05", "HSCA 7.5", "Related concepts in two framings share the bridge domain."),
    Requirement(
        "W-EVAL-06", "DESIGN 13", "The material is our own, labelled, and divided into two parts that share no text."
    ),
    Requirement("W-EVAL-07", "DESIGN 13", "`clew eval hsca` prints both bars, and exits with 1 below the document's."),
    Requirement(
        "W-EVAL-08",
        "DESIGN 13",
        "With vectors all five evaluations meet the document's bars, and four of them our own.",
    ),
    Requirement(
        "W-EVAL-09",
        "HSCA 7",
        "Each further source has texts of all domains, and is either learned from or never is.",
    ),
)

# --- STAGE ---
STAGE = (
    Requirement(
        "W-TAG-01",
        "DESIGN 5.4",
        "A text's own phrases name its subject without a model; names and repeated phrases come first.",
    ),
    Requirement("W-TAG-02", "DESIGN 5.4", "Plural, case and spelling variants of a tag's name are one tag."),
    Requirement(
        "W-STAGE-01",
        "DESIGN 5",
        "The analysis does not depend on how the work is divided, when turns arrive, or who does it.",
    ),
    Requirement(
        "W-STAGE-02", "DESIGN 4", "Every analysed turn is in exactly one beat or in the open buffer of its branch."
    ),
    Requirement(
        "W-STAGE-08", "DESIGN 5.3", "Chapters group beats from the left, and the tree grows at its right edge only."
    ),
    Requirement("W-STAGE-03", "DESIGN 1.10", "Injected text is stored, and never analysed as a turn of its own."),
    Requirement(
        "W-STAGE-04",
        "DESIGN 5",
        "A turn waits for its vector, and with a new embedder everything is analysed again in a new epoch.",
    ),
    Requirement(
        "W-STAGE-05",
        "DESIGN 9",
        "Forgetting removes what was derived from the session, which is then analysed again without the turn.",
    ),
    Requirement(
        "W-STAGE-09", "HSCA 5.3", "Recall ranks turns of the beat that a caller names first, and excludes none."
    ),
    Requirement(
        "W-STAGE-11",
        "DESIGN 5.1",
        "Where there are vectors, prototypes that are computed once contribute to the domains of a turn.",
    ),
    Requirement(
        "W-STAGE-10", "HSCA 3", "A memory gives the state before a mention, how domains moved, and all sessions as one."
    ),
    Requirement(
        "W-STAGE-07",
        "DESIGN 10",
        "The beats of a session are listed with the weights of their turns, with or without text.",
    ),
    Requirement("W-STAGE-06", "DESIGN 4", "Annotations are read by kind, each with its provenance and version."),
)

# --- SIGMA ---
SIGMA = (
    Requirement(
        "W-SIGMA-01",
        "SIGMA stage 2",
        "Novelty is 0.7 mean and 0.3 greatest distance to the last 10 turns, by vectors or by words.",
    ),
    Requirement("W-SIGMA-02", "DESIGN 5.2", "Every embedder has a calibration of its distances."),
    Requirement(
        "W-SIGMA-03",
        "SIGMA overlays",
        "Words raise each of the seven overlays from 0 to 10 independently, under all names of the source.",
    ),
    Requirement(
        "W-SIGMA-04",
        "SIGMA overlays",
        "High scores of recent turns are inherited, and a project lattice is one more source.",
    ),
    Requirement(
        "W-SIGMA-05",
        "DESIGN 5.2",
        "Importance has the source's formula as a profile, and a default that is relative to the session.",
    ),
    Requirement(
        "W-SIGMA-06",
        "SIGMA stage 3",
        "Shift, preserved and routine follow from novelty and importance by the source's thresholds.",
    ),
    Requirement(
        "W-SIGMA-07", "SIGMA TurnAnalysis", "A turn refers to the one it answers and to recent ones that it mentions."
    ),
    Requirement("W-SIGMA-08", "DESIGN 1.4", "Any text can be analysed, and what was not computed is absent."),
    Requirement("W-SIGMA-09", "DESIGN 3", "The page of sources names existing modules, and names that occur in them."),
    Requirement(
        "W-SIGMA-10", "DESIGN 5.2", "At most a tenth of turns is at either end of importance, and shifts are 2 to 15 %."
    ),
    Requirement("W-SIGMA-11", "DESIGN 5.2", "The threshold of shifts adapts to the session, in order and exactly."),
)

# --- facts by rules ---
RULES = (
    Requirement(
        "K-RUL-01", "Issue 16.1", "Rules find what people state of themselves and of projects, with its status."
    ),
    Requirement("K-RUL-02", "Issue 16.1", "A decision carries what it rejects, what it is for, and its reason."),
    Requirement(
        "K-RUL-03",
        "Issue 16.1",
        "A statement is about the one whom its subject means; if two are possible, about nobody.",
    ),
    Requirement("K-RUL-04", "Issue 16.8", "In a group everybody keeps what they say."),
    Requirement(
        "K-RUL-05", "Issue 16.3", "Questions, conditions, wishes, guesses and quotations state nothing about anybody."
    ),
    Requirement("K-RUL-06", "Issue 16.3", "What holds no more ends what held: not any more, used to, moved from."),
    Requirement("K-RUL-07", "Issue 16.1", "Dates in a statement are resolved against the day of its turn."),
    Requirement(
        "K-RUL-08",
        "Issue 16 bad input",
        "Orders to a model, code, documents and programs state nothing about the user.",
    ),
    Requirement("K-RUL-09", "Issue 16", "Statements do not depend on batches; any text can be read."),
    Requirement("K-RUL-10", "DESIGN 8", "Each form of a verb gives all its forms: led, leads, leading."),
    Requirement(
        "KNW-ORD-01",
        "Issue 16.1",
        "Standing orders to an assistant are kept as what the user wants, with their purpose.",
    ),
    Requirement(
        "KNW-ORD-02", "Issue 16.1", "Orders for the moment, and what people tell each other to do, state nothing."
    ),
    Requirement(
        "KNW-BARE-01", "Issue 16.1", "States and dated plans are read where their subject and verb are left out."
    ),
    Requirement(
        "KNW-MOVE-01", "Issue 16.3", "A thing that moves has no home; what is swapped for a product is no longer used."
    ),
    Requirement("KNW-ORD-03", "Issue 16.3", "A later standing order replaces or ends an earlier one."),
    Requirement(
        "K-READ-01",
        "Issue 16.1",
        "Idioms of work, love, meals, prices and settings fill the slots that they are about.",
    ),
    Requirement("K-READ-02", "Issue 16.1", "How long something has lasted tells when it began."),
    Requirement("K-READ-03", "Issue 16.3", "To be back in a former home resumes it; any other place stays a visit."),
    Requirement(
        "K-READ-04",
        "Issue 16.3",
        "What a group and what one of it chose for one purpose in a session replace each other.",
    ),
    Requirement("K-READ-07", "Issue 16.3", 'A short answer, such as "No, I don\'t.", denies what was asked.'),
    Requirement(
        "K-READ-08", "Issue 16.1", "A time with two ends has both, and a corrected date is the date of the appointment."
    ),
    Requirement("K-READ-09", "Issue 16.3", "An event that is off or cancelled has no date any more."),
    Requirement("K-READ-05", "Issue 16.3", "A cancelled trip is planned no more; a breakup ends any stage of love."),
    Requirement(
        "K-READ-06", "Issue 16.1", "What is said for its sound states nothing; what is confirmed is done once."
    ),
    Requirement(
        "F-PRON-01",
        "Issue 16.1",
        "A fact tells what its speaker says of themselves in the third person; the turn keeps the words.",
    ),
    Requirement("F-PRON-02", "Issue 16.3", "The same object in the first and in the third person is one object."),
    Requirement("F-PRON-03", "Issue 16.1", "A fact of a subject in the plural has its verb in the plural."),
    Requirement("F-PRON-04", "Issue 16.1", "Who left work early still works there."),
    Requirement(
        "F-PRON-05",
        "Issue 16.1",
        "The rules read jobs, homes, swaps, settings and names also as people tell them in passing.",
    ),
    Requirement(
        "F-PRON-06", "Issue 16.1", "Nouns that look like verbs, and titles in quotation marks, are read as such."
    ),
    Requirement("F-PRON-07", "Issue 16.3", "A setting has one value at a time."),
    Requirement(
        "K-READ-10",
        "Issue 16.1",
        "An object that names nothing by itself is no fact: one that points elsewhere, a bare noun, a cut verb.",
    ),
    Requirement("K-READ-11", "Issue 16.1", "In an object, you and her are put as the name of whom they mean."),
    Requirement(
        "K-READ-12",
        "Issue 16.1",
        "A sentence that leaves out its subject is about the speaker, unless the talk is of somebody else.",
    ),
    Requirement("K-READ-14", "Issue 16.1", "What takes the place of a product is used instead of it."),
    Requirement("K-READ-13", "Issue 16.1", "The object of a fact holds no word of another clause."),
    Requirement(
        "K-READ-15",
        "Issue 16.1",
        "An agent at work states what was chosen and why, and what named code does; nothing of people or itself.",
    ),
    Requirement("K-READ-16", "Issue 16.3", "What one thing is rather than another is denied of the other."),
    Requirement("K-READ-17", "Issue 16.3", "Who retires works no more; who was promoted works as what they became."),
    Requirement("K-READ-18", "Issue 16.1", "Mom and Dad are the speaker's; a name tells which flight is meant."),
    Requirement(
        "K-READ-20",
        "Issue 16.1",
        'Whoever "is a nurse and lives in Rome" is a nurse, and the next verb is another fact.',
    ),
    Requirement(
        "K-READ-21",
        "Issue 16.3",
        "What a turn puts right itself takes the place of what it said before; what it adds does not.",
    ),
    Requirement(
        "K-READ-22",
        "Issue 16.3",
        "Who switches to something leaves what the group used for that; what a group comes to is a fact of it.",
    ),
    Requirement(
        "K-READ-23",
        "Issue 16.1",
        "Where and when things are, begin and end, what they are set to, and what somebody is called are facts.",
    ),
    Requirement(
        "K-READ-24",
        "Issue 16.1",
        "A fact has each preposition once, and no words of a date, a hedge or a cut phrase in its object.",
    ),
    Requirement(
        "K-READ-19", "Issue 16.1", "A length of time after in, or trouble with something left out, is no object."
    ),
)

# --- Tri-Vector extraction ---
TRIVECTOR = (
    Requirement(
        "K-TRI-01",
        "Tri-Vector AC 1, 8",
        "A session whose whole prompt, envelope included, is at or below the limit is extracted by one call.",
    ),
    Requirement(
        "K-TRI-02",
        "Tri-Vector AC 1, ledger",
        "Above the limit whole turns are taken greedily; chunks are `<session>:chunk:<n>` from 0, in order.",
    ),
    Requirement(
        "K-TRI-03",
        "Tri-Vector AC 2",
        "The same turns give the same chunks and digests; new turns at the end change the last chunk alone.",
    ),
    Requirement(
        "K-TRI-04",
        "Tri-Vector AC 3",
        "The records of the chunks say which turns each covers; together they cover every shown turn once.",
    ),
    Requirement(
        "K-TRI-05", "Tri-Vector AC 4", "Each chunk is asked about by itself, and its prompt shows its own turns alone."
    ),
    Requirement(
        "K-TRI-06", "Tri-Vector AC 5", "The reduce goes by the order of the chunks, in whatever order answers come."
    ),
    Requirement(
        "K-TRI-07",
        "Tri-Vector AC 6; DESIGN 8",
        "Entities are one for each `(type, name)`, relations for each `(source, verb, target)`, across chunks.",
    ),
    Requirement(
        "K-TRI-08",
        "Tri-Vector AC 7, ledger",
        "A failed chunk is recorded with id and reason, ends the run without a vector, and changes nothing else.",
    ),
    Requirement("K-TRI-09", "DESIGN 8", "Another try asks the failed chunks alone; the others are kept by content."),
    Requirement(
        "K-TRI-10",
        "DESIGN 8",
        "After three failures of its own a session is deferred; an outage or an empty budget is none of them.",
    ),
    Requirement("K-TRI-11", "DESIGN 8", "A session that fails does not keep the others from being extracted."),
    Requirement(
        "K-TRI-12",
        "Tri-Vector ledger",
        "A turn above the limit is kept whole, alone in its chunk, and refused by the guardrail with its size.",
    ),
    Requirement(
        "K-TRI-13", "Tri-Vector ledger", "A limit that is no valid number means one pass, and the telemetry says why."
    ),
    Requirement(
        "K-TRI-14",
        "Tri-Vector ledger",
        "That chunks are used is logged and recorded in the run with the counts that decided it.",
    ),
    Requirement(
        "K-TRI-15",
        "DESIGN 8",
        "One estimator counts the whole prompt with its envelope for activation, chunker and guardrail.",
    ),
    Requirement(
        "K-TRI-16", "Tri-Vector ledger", "Where the state cannot be written, extraction raises the store's error."
    ),
    Requirement(
        "K-TRI-17",
        "DESIGN 1, 8",
        "Without a model the vectors are filled by rules: entities and relations, open tasks, and the summary.",
    ),
    Requirement(
        "K-TRI-18",
        "DESIGN 8",
        "The semantic reduce decides open questions in a bounded number of calls; what it does not is named.",
    ),
    Requirement("K-TRI-19", "DESIGN 8", "Chunks are asked about at the same time, no more than `extract.concurrency`."),
    Requirement(
        "K-TRI-20",
        "DESIGN 1",
        "An answer that is no JSON, half of it, of wrong types, empty or endless is a recorded failure.",
    ),
    Requirement(
        "K-TRI-21",
        "DESIGN 1",
        "A server that is down, slow, busy or refuses the key leaves the session waiting, with the reason.",
    ),
    Requirement("K-TRI-22", "DESIGN 9", "Two processes that extract one session do the work once, or say who does it."),
    Requirement(
        "K-TRI-23",
        "DESIGN 8",
        "What an answer names and the turns do not have is left out of the vectors, and counted.",
    ),
    Requirement(
        "K-TRI-24",
        "Tri-Vector ledger, benchmark",
        "A run's telemetry holds calls and tokens of map and reduce, and those that one pass would take.",
    ),
    Requirement(
        "K-TRI-25", "DESIGN 10", "`clew jobs` lists states, attempts, reasons and what is deferred, and retries."
    ),
    Requirement("K-TRI-26", "DESIGN 9", "Forgetting a turn takes what was extracted from it along."),
    Requirement(
        "K-TRI-27",
        "Tri-Vector ledger; DESIGN 10",
        "`views.trivector.execute_tri_vector_extraction` gives the session's vector, or None when it failed.",
    ),
    Requirement(
        "K-TRI-28", "DESIGN 10", "`Memory.extract` extracts one session, or all that have new turns, and reports each."
    ),
    Requirement(
        "K-TRI-29",
        "DESIGN 1",
        "A sentence that addresses a model is not shown to the extracting model as if it were said.",
    ),
    Requirement(
        "K-TRI-30", "DESIGN 8", "Relations that a model found enter the facts through the one reducer, or not at all."
    ),
)

# --- ENCRYPTION ---
ENCRYPTION = (
    Requirement(
        "F-CRYPT-01", "DESIGN 9", "No file of an encrypted home or of its backups contains a plain word, at any moment."
    ),
    Requirement("F-CRYPT-02", "Issue Store 6", "Settings name the place of the key and never contain or show it."),
    Requirement("F-CRYPT-03", "Issue Store 6", "A home is encrypted, gets another key or is decrypted in one step."),
    Requirement(
        "F-CRYPT-04", "Issue Store 6", "An encrypted home gives every guarantee of a plain one, kills included."
    ),
    Requirement("F-CRYPT-05", "Issue Store 6", "Status commands say whether a home is encrypted."),
    Requirement(
        "F-CRYPT-06", "Issue Store 6", "A missing, wrong or superfluous key is reported, and nothing is changed."
    ),
    Requirement("F-CRYPT-07", "Issue Store 6", "Copies and backups of an encrypted home are encrypted unless asked."),
)

# --- LLM ---
LLM = (
    Requirement(
        "W-LLM-01", "DESIGN 11", "Language models are asked through the vendors' SDKs, chosen by name or given."
    ),
    Requirement(
        "W-LLM-02", "DESIGN 1.3", "Whatever a model's server does, the result is an answer or one clear error."
    ),
    Requirement(
        "W-LLM-03", "DESIGN 10", "A key is sent only to the server it is meant for, and is neither stored nor shown."
    ),
    Requirement("W-LLM-04", "DESIGN 5", "A JSON answer matches its schema, or is an error; repair is bounded."),
    Requirement("W-LLM-05", "DESIGN 1.9", "A model's answer is recorded, and never requested again."),
    Requirement(
        "W-LLM-06", "DESIGN 3", "The day's budget is never exceeded, by any number of programs, or at any crash."
    ),
    Requirement(
        "W-LLM-07", "DESIGN 3", "The ledger records what was called, read, written and paid, and what was refused."
    ),
    Requirement("W-LLM-08", "DESIGN 5", "Turns are processed newest first; one that fails is put aside, and no other."),
    Requirement("W-LLM-09", "DESIGN 1.4", "A flag without a model's answer is absent; the model is its provenance."),
    Requirement(
        "W-LLM-10", "DESIGN 1.10", "The text of a turn cannot change the question, or what is accepted as an answer."
    ),
    Requirement("W-LLM-11", "DESIGN 9", "Forgetting a turn deletes the models' answers about it."),
    Requirement(
        "W-LLM-12", "DESIGN 1.3", "No model is asked unless one is configured, and never before the acknowledgement."
    ),
    Requirement("W-LLM-13", "DESIGN 12", "A small model on this machine is asked from end to end."),
    Requirement("W-LLM-14", "DESIGN 3", "A scripted model for tests gives prepared answers."),
)

# --- SPEED ---
FAST = (
    Requirement(
        "F-FAST-01", "Issue 12.1", "A wheel is pure Python unless CLEW_COMPILE=1 asks mypyc for a compiled one."
    ),
    Requirement(
        "F-FAST-02", "Issue 12.1", "The compiled build stores and answers as the sources do, outside of the tree."
    ),
    Requirement("F-FAST-03", "Issue 12.1", "`clew doctor` and `./dev bench` say which build runs."),
    Requirement("F-FAST-04", "DESIGN 13", "Of the cosines, confidence reads the highest."),
    Requirement(
        "F-FAST-05",
        "Issue 12.1",
        "The steps of ranking that a compiled build has in C give what numpy gives, bit by bit.",
    ),
    Requirement(
        "F-FAST-06", "Issue 12.1", "The steps in C refuse arrays of other types and sizes, and indexes out of range."
    ),
)

SPEED = (
    Requirement(
        "F-SPEED-01", "DESIGN 13", "An add takes ten statements from begin to commit, eleven with an external id."
    ),
    Requirement(
        "F-SPEED-02", "DESIGN 13", "A session that arrives in groups is aligned like the whole, and read once."
    ),
    Requirement("F-SPEED-03", "DESIGN 13", "Turns that wait to be grouped by session are bounded by characters."),
    Requirement("F-SPEED-04", "DESIGN 13", "A recall opens one snapshot, and reads each turn that may fit once."),
    Requirement("F-SPEED-05", "DESIGN 13", "A recall has each line, each heading and the block counted once."),
    Requirement("F-SPEED-06", "DESIGN 13", "Ranking holds few arrays of the size of the space at a time."),
    Requirement("F-SPEED-07", "DESIGN 13", "A recall looks each of its words up once, in all segments together."),
    Requirement(
        "F-SPEED-43", "Issue 12.1", "What a frequent word counts in all windows is computed once for several questions."
    ),
    Requirement(
        "F-SPEED-58",
        "Issue 12.1",
        "In a large space only turns that may be among the best are scored; what is found stays the same.",
    ),
    Requirement(
        "F-SPEED-61",
        "DESIGN 13",
        "The title of a session is made again only after the session has changed, or where it depends on all turns.",
    ),
    Requirement(
        "F-SPEED-59",
        "DESIGN 13",
        "What the words of a question rule out is not looked for; a question is read as if it were.",
    ),
    Requirement("F-SPEED-35", "Issue 12.1", "Small segments are gathered in memory; what is found stays the same."),
    Requirement(
        "F-SPEED-39", "Issue 12.1", "Receipts are gathered for a second before they are written, unless somebody waits."
    ),
    Requirement("F-SPEED-34", "Issue 12.1", "A receipt is made when it is written or asked for, not during a recall."),
    Requirement(
        "F-SPEED-16", "DESIGN 13", "After an add, values that are cached per turn are computed for new turns only."
    ),
    Requirement(
        "F-SPEED-30", "Issue 12.1", "A model can be loaded ahead of the first question; one that fails costs no call."
    ),
    Requirement(
        "F-SPEED-31", "Issue 12.1", "One search for the cues of all rules masks what every rule tried everywhere masks."
    ),
    Requirement(
        "F-SPEED-32", "Issue 12.1", "Of a file or history that comes again, only turns that are new are analysed."
    ),
    Requirement(
        "F-SPEED-33",
        "Issue 12.1",
        "Importing a session file that grew reads its new lines, with the same result as reading all of it.",
    ),
    Requirement("F-SPEED-38", "Issue 12.1", "The regular expressions of rules are compiled when they are first used."),
    Requirement("F-SPEED-08", "DESIGN 13", "An exchange of candidates releases none that it would take back."),
    Requirement(
        "F-SPEED-44",
        "DESIGN 13",
        "Background work and `verify` do one kind of work for many turns before the next, and no text of a beat twice.",
    ),
    Requirement(
        "F-SPEED-45",
        "DESIGN 13",
        "A kind of background work that has something to do goes on for some steps before the others are asked.",
    ),
    Requirement(
        "F-SPEED-60",
        "DESIGN 13",
        "What a cheap look at a turn rules out is not looked for; what is derived of the turn is as if it were.",
    ),
)

# --- TAGS ---
TAGS = (
    Requirement("W-TAG-03", "VC, tagging pipeline", "A turn has its own phrases and known labels; none is invented."),
    Requirement(
        "W-TAG-04", "VC, context bleed gate", "Tags of the last 4 turns are inherited until the subject changes."
    ),
    Requirement("W-TAG-05", "DESIGN 5.4", "A label is created for the strongest or a recurring phrase of a beat."),
    Requirement("W-TAG-06", "DESIGN 5.4", "Forms, spellings and short forms become aliases of the first form seen."),
    Requirement("W-TAG-07", "DESIGN 5", "Tags and labels do not depend on how the work is divided."),
    Requirement("W-TAG-08", "VC, tag splitting and aliases", "A broad label is split; its old name finds everything."),
    Requirement(
        "W-TAG-09", "DESIGN 10", "Labels are listed with counts, and what a label marks is found by any of its names."
    ),
    Requirement(
        "W-TAG-10", "DESIGN 9", "A name is deleted everywhere with its last source; what a person marked stays."
    ),
    Requirement(
        "W-TAG-11", "VC, inbound embedding tagger", "With vectors, a label is found that the text does not name."
    ),
    Requirement("W-TAG-12", "DESIGN 4", "Aliases never form a cycle, whatever is added and removed in any order."),
    Requirement("W-TAG-15", "VC, tagging pipeline", "No phrase has a function word of a language that is known."),
    Requirement(
        "W-TAG-13", "VC, LLM response tagger", "A model's names become labels; its failure affects nothing else."
    ),
)

# --- TUNE ---
TUNE = (
    Requirement("W-TUNE-01", "DESIGN 6", "Without feedback, or with too little, tuning changes nothing."),
    Requirement("W-TUNE-02", "HSCA 4", "Use adjusts the window, nuance weights, beat threshold and weights of recall."),
    Requirement("W-TUNE-03", "DESIGN 6", "A change is adopted only if significantly better on held-out history."),
    Requirement("W-TUNE-04", "DESIGN 6", "Tuned values stay within their bounds; the same history gives the same."),
    Requirement("W-TUNE-05", "DESIGN 6", "Every change is recorded with its reason and can be reverted."),
    Requirement(
        "W-TUNE-06", "DESIGN 6", "Turns marked used, quoted, echoed or restored after a recall are recognised."
    ),
    Requirement("W-TUNE-07", "DESIGN 4", "Forgetting turns, or dropping a receipt, deletes its feedback."),
    Requirement(
        "W-TUNE-08", "DESIGN 6", "Recall and analysis use the adopted values; explicit settings take precedence."
    ),
    Requirement("W-TUNE-09", "DESIGN 6", "Turns that refer back become silver questions, by rule."),
)

# --- serve: what requests cost ---
ECONOMY = (
    Requirement("P-ECO-01", "issue 15", "Each price has its date and page, each provider the rules of its cache."),
    Requirement("P-ECO-02", "issue 15", "A dated name or alias has its model's price; an unknown model has none."),
    Requirement("P-ECO-03", "issue 15", "A file of the user replaces prices and rules; a broken one is named."),
    Requirement("P-ECO-04", "issue 15", "The model of a cache with marks reads, writes and forgets as documented."),
    Requirement("P-ECO-05", "issue 15", "The model of an automatic cache reads whole steps of an unchanged prefix."),
    Requirement("P-ECO-06", "issue 15", "A request's blocks are what its provider compares, in its order."),
    Requirement("P-ECO-07", "issue 15", "A choice names expected tokens, money and its reason; it is repeatable."),
    Requirement("P-ECO-08", "issue 15", "A block is added only where it makes the client's own tokens no dearer."),
    Requirement(
        "P-ECO-09", "issue 15", "Rewriting is forced, free or paid by savings; else it waits for a cold cache."
    ),
    Requirement("P-ECO-10", "issue 15", "Earlier blocks are left out once the cache is surely cold, not before."),
    Requirement("P-ECO-11", "issue 15", "Without a known price choices go by proportions, and no money is named."),
    Requirement("P-ECO-12", "issue 15", "Over real sessions the client's own tokens cost no more than without it."),
    Requirement(
        "P-ECO-13", "issue 15", "The ledger keeps predicted and reported tokens, costs and savings by request."
    ),
    Requirement("P-ECO-24", "DESIGN 10", "The ledger does not name a forgotten session; its costs still count."),
    Requirement("P-ECO-14", "issue 15", "`clew ledger` prints totals by day, model and session; money only if known."),
    Requirement("P-ECO-15", "issue 15", "Without a store, a request is cut to a window: valid, marked, repeatable."),
    Requirement("P-ECO-16", "issue 15", "In a virtual window a compaction's renderings stand for old messages."),
    Requirement("P-ECO-17", "issue 15", "What stands for old messages keeps its bytes until the next rewriting."),
    Requirement("P-ECO-19", "issue 15", "What a client dropped of its history comes back once, at the tail."),
    Requirement("P-ECO-20", "issue 15", "Reasoning behind a change of earlier messages is left out or never reached."),
    Requirement("P-ECO-18", "issue 15", "Compactions for a window run behind; until then old tool calls are stubs."),
    Requirement("P-ECO-25", "issue 15", "In a window a conversation with reasoning is compacted as often as another."),
    Requirement("P-ECO-26", "issue 15", "A request that is cut keeps what stands for the messages before."),
)

# --- INJECTION ---
INJECTION = (
    Requirement(
        "F-SIGMA-01",
        "SIGMA, context injection",
        "Relevance, candidates, threshold, top 5 and snippets are the document's.",
    ),
    Requirement(
        "F-SIGMA-02", "SIGMA stages 2 and 3", "The view analyses a turn by the document's formulas as they are."
    ),
    Requirement(
        "F-SIGMA-03", "SIGMA, context injection", "Relevant context is put before the message in the document's form."
    ),
    Requirement(
        "F-SIGMA-04", "SIGMA stage 4", "The lattice connects references, neighbours and similar turns; it has a mode."
    ),
    Requirement("F-SIGMA-05", "SIGMA, data structures", "The shapes have the document's fields and survive the wire."),
    Requirement("F-SIGMA-06", "DESIGN 1.3", "Without its embedder, or where it fails, the injector goes by words."),
)

# --- TIME ---
TIME = (
    Requirement("F-TIME-01", "DESIGN 6", "An English expression of time is a range of moments, or none."),
    Requirement(
        "F-TIME-02", "DESIGN 6", "Relative times after the end of an old conversation are counted from its last day."
    ),
    Requirement("F-TIME-03", "DESIGN 1.9", "Any text can be parsed as a time, and no range ends before it starts."),
    Requirement(
        "F-TIME-17",
        "issue 12",
        "Joined dates share their year, month or week; a month or weekday may be of a year or week named beside it.",
    ),
    Requirement("F-TIME-16", "DESIGN 10", "A time that is asked for is neither widened nor passed over."),
    Requirement("F-TIME-18", "DESIGN 10", "Two sides of dates are an interval, and days that are left out stay out."),
    Requirement("F-TIME-04", "DESIGN 10", "The mode of a time query is given, or chosen by the question's words."),
    Requirement("F-TIME-05", "Issue 5.7", "A time is given by moments or words; a range that ends first is an error."),
    Requirement("F-TIME-06", "DESIGN 10", "A period is divided into days, weeks, months or years."),
    Requirement("F-TIME-07", "Issue 5.7", "Each of the five modes gives its own account of a time, without a model."),
    Requirement("F-TIME-08", "Issue 5.7", "A time without turns, or in the future, gives an empty result."),
    Requirement("F-TIME-09", "DESIGN 1.6", "The account of a time fits its budget and names only stored turns."),
    Requirement("F-TIME-10", "Issue 5.7", "Recall ranks first what was said in the time that a question names."),
    Requirement(
        "F-TIME-11", "DESIGN 10", "`clew when` prints what was said in a time, and from which day it was counted."
    ),
    Requirement(
        "F-TIME-12", "DESIGN 1.5", "The account of a time leaves a receipt, which the command and the tool name."
    ),
    Requirement("F-TIME-15", "Issue 13.11", "Times are read in twelve languages besides English."),
    Requirement(
        "A-LINE-01", "Issue 13.11", "A question for nothing but a time gets an overview in each of these languages."
    ),
    Requirement("A-LINE-02", "DESIGN 10", "Days of one month are a range though the month is named once."),
    Requirement(
        "F-TIME-14", "Issue 13.11", "The question comes first in remember_when of Python, command line and MCP."
    ),
    Requirement(
        "F-TIME-13", "DESIGN 1.5", "Such a receipt is dropped, forgotten and suppressed by a pause like a recall's."
    ),
)

# --- entity graph ---
GRAPH = (
    Requirement(
        "F-ENTITY-01", "DESIGN 8", "Names are found with their types, unique by spelling; dates are not names."
    ),
    Requirement("F-ENTITY-02", "DESIGN 8", "Lower-case concepts are found as key phrases, none of them within a name."),
    Requirement(
        "F-ENTITY-03", "RETRIEVAL 4", "Forms of address and self-introductions are distinguished from mentions."
    ),
    Requirement("F-ENTITY-04", "DESIGN 1.9", "Extraction is total and bounded for any text, and keys are unique."),
    Requirement(
        "F-GRAPH-01", "DESIGN 6", "Activation spreads with decay .5, 3 iterations, .01, top 10, never above a seed."
    ),
    Requirement(
        "F-GRAPH-02", "DESIGN 8", "Entities are unique by name; a type conflict has the same result in any order."
    ),
    Requirement("F-GRAPH-03", "DESIGN 8", "Aliases lead to their entity; the order of adding has no effect."),
    Requirement("F-GRAPH-04", "DESIGN 5", "Names in turns are counted in the background, by a stage of its own."),
    Requirement(
        "F-GRAPH-11",
        "DESIGN 8",
        "In German, French, Spanish, Dutch and Swedish texts, nouns and words that open sentences are no names.",
    ),
    Requirement("F-GRAPH-10", "DESIGN 1.11", "Recall and the entity graph use one rule for nicknames."),
    Requirement(
        "F-GRAPH-05", "RETRIEVAL 4", "A name used twice for the other one of two speakers leads to that speaker."
    ),
    Requirement(
        "F-GRAPH-06", "DESIGN 9", "The graph follows from the stored turns: after forgetting, rebuild and copy."
    ),
    Requirement(
        "F-GRAPH-07", "DESIGN 5", "The n-th turn costs the graph as much as the first; a hub passes nothing on."
    ),
    Requirement("F-GRAPH-08", "DESIGN 10", "Entities are listed, and one is described with its neighbours and turns."),
    Requirement(
        "F-GRAPH-09", "DESIGN 6", "With a weight, energy of a question's entities reaches turns that name them."
    ),
    Requirement(
        "F-TREE-01", "DESIGN 6", "Search down the tree is best first, .7 own and .3 inherited, and hides no leaf."
    ),
    Requirement("F-TREE-02", "HCE", "A semantic tree has bounded fan-out and is restored from its wire form."),
    Requirement(
        "F-TREE-03", "DESIGN 6", "As a signal the tree scores every turn, .7 its own and .3 its beat's; it hides none."
    ),
)

# --- HCE ---
HCE = (
    Requirement("F-HCE-01", "HCE", "Names, fields and defaults are the document's; the focus buffer slides."),
    Requirement(
        "F-HCE-02", "HCE", "Tokens are words * 4 // 3; budgeting is greedy by utility per token, in the budget."
    ),
    Requirement("F-HCE-03", "HCE", "An update enters all three structures, and retrieval queries all three."),
    Requirement(
        "F-HCE-04", "DESIGN 10", "The prompt is block, buffer, query; the buffer is budgeted, nothing is repeated."
    ),
    Requirement("F-HCE-05", "DESIGN 10", "A wrapped chat is called once; its answer is returned even if memory fails."),
    Requirement("F-HCE-06", "HCE", "A saved pipeline can be loaded again, and is never partially loaded."),
    Requirement(
        "F-HCE-07", "DESIGN 10", "A memory's prompt is block, buffer, query, budgeted, and nothing is repeated."
    ),
    Requirement("F-HCE-08", "DESIGN 10", "A chat that a memory wraps is called once; its answer is always returned."),
    Requirement("F-CHAT-01", "Issue 13.10", "What the SDKs of OpenAI, Anthropic and Google return is stored as turns."),
    Requirement("F-CHAT-02", "Issue 13.10", "A streamed answer passes through untouched, and is stored when it ends."),
    Requirement("F-CHAT-03", "Issue 13.10", "The user's message is kept, whatever becomes of the answer."),
    Requirement("F-CHAT-04", "Issue 13.10", "Lists of messages are taken; of a history only what is new is stored."),
    Requirement(
        "F-HCE-10", "issue 12", "No stored text of a prompt looks like another part of it, or another message."
    ),
    Requirement("F-HCE-09", "HCE", "A save replaces the old state in one step, even beside another save."),
    Requirement("F-HCE-11", "HCE", "Threads share a pipeline, and none sees an exchange that is stored in part."),
    Requirement("F-HCE-12", "DESIGN 1.3", "A pipeline whose embedder fails stores and finds exchanges by their words."),
)

# --- MCP ---
MCP = (
    Requirement("F-MCP-01", "DESIGN 10", "The schemas of all tools take fewer than 1,500 tokens."),
    Requirement("F-MCP-02", "DESIGN 1.10", "The results of a tool are marked as quoted memory."),
    Requirement("F-MCP-03", "Issue 5.13", "A note is stored durably, as the assistant's words, and found again."),
    Requirement("F-MCP-04", "DESIGN 1.6", "Every answer of a tool is bounded, and says how to get more."),
    Requirement("F-MCP-05", "DESIGN 3", "An invalid call is answered with what is expected."),
    Requirement("F-MCP-06", "DESIGN 10", "The space is chosen when the server starts, never by the caller."),
    Requirement("F-MCP-07", "DESIGN 11", "Without the SDK, the error names the extra to install."),
    Requirement("F-MCP-08", "Issue 5.13", "`clew mcp` serves the tools to the official client over stdio."),
    Requirement(
        "F-MCP-21",
        "DESIGN 10",
        "Tools that the proxy offers are listed over MCP by the same names; others still call them.",
    ),
    Requirement("F-MCP-09", "DESIGN 9", "Two agents may share a home; one space shows nothing of another."),
    Requirement("F-MCP-10", "Issue 5.13", "Standard output carries only the protocol, whatever is sent or logged."),
    Requirement("F-MCP-11", "DESIGN 1.2", "A client that disappears leaves its stored turns, and no process."),
    Requirement(
        "F-MCP-17", "DESIGN 1.2", "A call that holds half of a character, as a cut emoji leaves it, is answered."
    ),
    Requirement("F-MCP-12", "Issue 5.13", "The entry is added to a program's settings; every other byte stays."),
    Requirement("F-MCP-13", "Issue 5.13", "Removing the entry restores the file to the last byte."),
    Requirement("F-MCP-14", "Issue 5.13", "Settings that cannot be read, or that change meanwhile, are left alone."),
    Requirement("F-MCP-22", "Issue 15.8", "A name with line breaks stays on its line in lists of sessions and briefs."),
    Requirement("F-MCP-20", "docs/mcp.md", "A server that ends while a model is still loaded ends cleanly."),
    Requirement("F-MCP-15", "Issue 5.13", "`clew install` writes only after asking, or prints what it would write."),
)

# --- SURFACES: tools, REST, MCP over HTTP, session commands, the view of Virtual Context ---
SURFACES = (
    Requirement("P-SRF-01", "VC Tool Loop", "`expand_topic` gives all turns of a topic in full, in pages."),
    Requirement("P-SRF-02", "VC Tool Loop", "`expand_topic` collapses other topics: they are shown in short instead."),
    Requirement(
        "P-SRF-03", "VC Tool Loop", "`recall_all` gives a summary of every topic, shorter where many must fit."
    ),
    Requirement("P-SRF-04", "VC Tool Loop", "`restore` gives back what a stub of a collapsed tool chain stands for."),
    Requirement("P-SRF-05", "DESIGN 10", "With a language model, `recall_past_conversation` answers with its sources."),
    Requirement("P-SRF-06", "DESIGN 1.3", "An answer without sources among the recalled turns gives way to the block."),
    Requirement("P-SRF-07", "DESIGN 10", "The tools may be called with the prefixes `clew_` and `vc_`."),
    Requirement("P-SRF-10", "DESIGN 10", "The proxy answers calls of Clew's tools itself; the client sees one answer."),
    Requirement("P-SRF-11", "DESIGN 1.8", "An answer without such calls reaches the client byte for byte."),
    Requirement(
        "P-SRF-12", "DESIGN 10", "The client's own calls in the same answer are never lost, and ours put back."
    ),
    Requirement(
        "P-SRF-60",
        "DESIGN 10",
        "A response that the provider stores goes on when results are gone; reasoning that nobody stores is not sent.",
    ),
    Requirement("P-SRF-13", "DESIGN 10", "After ten rounds of calls the model is asked to answer without tools."),
    Requirement("P-SRF-14", "VC Tool Loop", "A repeated call gets a pointer; three empty results bring a hint."),
    Requirement("P-SRF-15", "DESIGN 1.8", "Where a later round fails, the client gets the error in its own format."),
    Requirement(
        "P-SRF-16", "VC Tool Loop", "The tools are offered under the source's names where a setting asks for it."
    ),
    Requirement(
        "P-SRF-30", "VC commands", "Commands are whole messages: attach, label, status, recall, compact, list, forget."
    ),
    Requirement("P-SRF-31", "Issue 15", "The answer to a command has the shape of the client's API, also streamed."),
    Requirement("P-SRF-32", "Issue 15", "Commands and their answers never go upstream and are never stored."),
    Requirement("P-SRF-33", "Issue 15", "Forgetting by a command asks for a code first; a token needs the scope."),
    Requirement(
        "P-SRF-40", "VC Engine", "The source's configuration is read, with its defaults; what is not read is named."
    ),
    Requirement(
        "P-SRF-41", "VC Assembly", "The block: tag rules, then retrieval; the hint lists topics; exact budget."
    ),
    Requirement("P-SRF-42", "VC Tool Loop", "The tools by the source's names, as functions."),
    Requirement(
        "P-SRF-50", "DESIGN 10", "The explorer asks nothing but the REST API, and no stored text becomes markup."
    ),
    Requirement("P-SRF-20", "DESIGN 10", "The REST API stores, recalls, searches, explains, condenses, forgets."),
    Requirement("P-SRF-21", "DESIGN 10", "Lists are read in pages by a cursor."),
    Requirement(
        "P-SRF-22", "DESIGN 10", "Every error of the API has one shape: code, message, next step; no input is a 500."
    ),
    Requirement("P-SRF-51", "Issue 15", "The REST API gives the ledger of costs, of a conversation or since a time."),
    Requirement("P-SRF-23", "Issue 15", "Each endpoint needs a scope of the token."),
    Requirement("P-SRF-24", "DESIGN 10", "The OpenAPI document is made from the declarations that check the input."),
    Requirement("P-SRF-17", "Issue 15", "The vendors' SDKs read the joined answers, streamed and whole."),
    Requirement("S-REST-01", "Issue 15", "A JSON list that is streamed is read in time proportional to its length."),
    Requirement(
        "S-REST-05", "Issue 15", "The ledger counts what was charged, also of broken, empty and absurd answers."
    ),
    Requirement("S-REST-02", "Issue 15.11", "A paused session stores nothing until it is resumed; others go on."),
    Requirement(
        "S-REST-03", "Issue 15.11", "The proxy and the hooks store, look up and add nothing in such a session."
    ),
    Requirement("S-REST-04", "Issue 15.11", "A person pauses and resumes a chat by commands that are typed into it."),
    Requirement("P-SRF-08", "DESIGN 10", "MCP over streamable HTTP serves the tools of the token's space and scopes."),
)

# --- PACK ---
PACK = (
    Requirement(
        "F-PACK-01", "DESIGN 6", "Packing is within 2 % of the exact optimum on small cases, never over the room."
    ),
    Requirement("F-PACK-02", "DESIGN 6", "Required turns come before everything else, as far as they fit."),
    Requirement(
        "F-PACK-03", "DESIGN 6", "A long turn that does not fit is shown by its best piece, salient words or title."
    ),
    Requirement("F-PACK-08", "DESIGN 6", "Of a long turn that does not fit, a passage as long as the room is shown."),
    Requirement("F-REPLY-01", "Issue 13.2", "A short reply comes with the turn that it answers, within the budget."),
    Requirement("F-REPLY-02", "Issue 13.2", "A receipt says beside which reply a turn is shown, and of what."),
    Requirement("F-REPLY-03", "Issue 13.2", "What a filter excludes is not shown beside a reply either."),
    Requirement("F-PACK-04", "DESIGN 1.5", "An item says how it is rendered, and what restores the whole turn."),
    Requirement(
        "F-PACK-05", "Issue 5.5", "Each rendering that is considered is counted once, and few beyond those shown."
    ),
    Requirement("F-EVIDENCE-01", "DESIGN 7", "Command lines are found in prose, tool calls, prompts and fences."),
    Requirement("F-EVIDENCE-02", "DESIGN 7", "Paths are found with their lines, also in listings and without a slash."),
    Requirement("F-EVIDENCE-03", "DESIGN 7", "Error messages are found; what reports success is none."),
    Requirement("F-EVIDENCE-04", "DESIGN 7", "Versions, dates and numbers with units are told apart."),
    Requirement("F-EVIDENCE-05", "DESIGN 7", "Identifiers are names, not keys or values of a few."),
    Requirement("F-EVIDENCE-06", "DESIGN 7", "Decisions, constraints, open tasks and failures are found in sentences."),
    Requirement("F-EVIDENCE-07", "DESIGN 7", "Marks of evidence lie in the text and do not overlap, for any text."),
    Requirement(
        "F-PACK-06",
        "DESIGN 7",
        "A salient rendering keeps evidence found by rules, in order, and reports its coverage.",
    ),
    Requirement(
        "F-PACK-07", "DESIGN 7", "Renderings are total, bounded and the same each time, for any text and script."
    ),
)

# --- PIN ---
PIN = (
    Requirement("F-PIN-01", "DESIGN 6", "A pinned turn is in every block that has room for it, whatever the question."),
    Requirement("F-PIN-02", "Seed 004", "A rule by label or expression brings its best turns first, then the newest."),
    Requirement(
        "F-PIN-03", "DESIGN 1.7", "No pin restores what the caller's filter excludes or the prompt contains already."
    ),
    Requirement("F-PIN-04", "DESIGN 1.5", "A receipt names required turns and the reason, even if they had no room."),
    Requirement("F-PIN-05", "Issue 5.5", "A pin of nothing, of an unknown turn or by an invalid rule is rejected."),
    Requirement(
        "F-PIN-06", "DESIGN 1.1", "Pins survive rebuild and merge, are deleted with their turn, and are verified."
    ),
    Requirement("F-PIN-07", "DESIGN 10", "`clew pin` sets, lists and removes pins, and reports errors in one line."),
    Requirement("F-PIN-08", "Issue 12.2", "Secrets in the notes and rules of pins are masked, as those in turns are."),
)

# --- SUMMARY ---
SUMMARY = (
    Requirement("F-SUMMARY-01", "DESIGN 13", "A question for a summary ranks the assistant's turns like the person's."),
    Requirement(
        "F-SUMMARY-03",
        "Issue 5 shows",
        "A question about the assistant's words ranks its turns higher; a summary ranks openings first.",
    ),
    Requirement(
        "F-SUMMARY-04",
        "Issue 5.1",
        "A question about the order in which things were said ranks the person's openings first.",
    ),
    Requirement(
        "F-SUMMARY-02", "DESIGN 6", "Asking politely (`can you list`) is not asking for what the assistant said."
    ),
)

# --- RECEIPT ---
RECEIPT = (
    Requirement("F-RECEIPT-01", "Issue 5.4", "A score by reciprocal ranks can be recomputed by hand from a receipt."),
    Requirement(
        "F-RECEIPT-02", "Issue 5.9", "A receipt gives every item's rank by each ranking signal and after fusion."
    ),
    Requirement(
        "F-RECEIPT-03",
        "Issue 5.9",
        "A near miss has its rank, every signal, the reason it was left out, and how to get it.",
    ),
    Requirement(
        "F-RECEIPT-04",
        "Issue 5.9",
        "Comparing two receipts shows what entered, left or moved, and which signal caused it.",
    ),
    Requirement(
        "F-RECEIPT-06", "DESIGN 9", "The last receipt is the last one made, also after the clock was set back."
    ),
    Requirement("F-RECEIPT-05", "DESIGN 9", "Neither a receipt nor a comparison contains words of turns."),
)

# --- named-entity models ---
NER = (
    Requirement("F-NER-01", "DESIGN 8", "A name that rules and a model both find is one entity, under one limit."),
    Requirement(
        "F-NER-02",
        "DESIGN 1.9",
        "What a model found is recorded; the graph is counted from it, with or without a model.",
    ),
    Requirement("F-NER-03", "DESIGN 4", "Another model processes all turns again; none deletes what was found."),
    Requirement("F-NER-04", "DESIGN 1.3", "A missing model is reported; a missing model that was named is an error."),
    Requirement(
        "F-NER-05",
        "DESIGN 1.3",
        "If a model fails, the rules' names stay, the failure is reported, and the model is tried again.",
    ),
    Requirement("F-NER-06", "DESIGN 11", "No part of a named-entity library is loaded before the first text."),
    Requirement(
        "F-NER-07", "DESIGN 4", "A spaCy pipeline is identified by its version, or by the contents of its files."
    ),
    Requirement("F-NER-08", "DESIGN 3", "Of programs with different models the one that came last continues."),
)

AGENTS = (
    Requirement(
        "F-AGENT-01",
        "issue 13",
        "Turns of assistant and tools count the more, the less of their session the person says; nothing changes where "
        "the person has half of the turns, or between people.",
    ),
    Requirement(
        "F-AGENT-02", "issue 13", "A question for what the person wanted or asked for ranks the person's turns first."
    ),
    Requirement("F-AGENT-03", "issue 13", "Turns of a few words count less in sessions that an agent fills."),
    Requirement("F-AGENT-04", "issue 13", "A tool's result is also found by the words of the turn that called it."),
    Requirement(
        "F-AGENT-05",
        "issue 13",
        "In sessions that an agent fills, the turn with all terms of the question is preferred.",
    ),
    Requirement(
        "F-AGENT-06",
        "issue 13",
        "A text that occurs several times takes the room of a block once, before other evidence.",
    ),
    Requirement(
        "F-AGENT-07",
        "issue 13",
        "The announcement of a tool call never ranks before the call's result, but for words that few turns have.",
    ),
    Requirement(
        "F-AGENT-08",
        "issue 13",
        "With an assistant and many sessions, turns of the session that matches the question best are preferred.",
    ),
    Requirement(
        "F-AGENT-09",
        "issue 13",
        "Asked why something failed, an assistant's memory prefers turns that report a failure.",
    ),
    Requirement(
        "F-AGENT-10",
        "issue 13",
        "Where tools are used, a short order or answer of the person's counts only as far as it says something.",
    ),
    Requirement(
        "F-AGENT-11",
        "issue 13",
        "What the person told an agent is recognised as asked for whatever the verb: gave a rule, mentioned, rejected.",
    ),
    Requirement(
        "F-AGENT-12",
        "issue 13",
        "Where an agent works, a long report or thought costs what a passage of it costs, not its whole length.",
    ),
    Requirement(
        "F-PIECES-01",
        "issue 13",
        "Asked why, an agent's memory prefers turns in which the assistant explains something.",
    ),
    Requirement(
        "F-PIECES-02",
        "issue 13",
        "Asked how something ended, an agent's memory prefers the last turns of the session that matches best.",
    ),
    Requirement(
        "F-PIECES-03",
        "issue 13",
        "For a question in two parts, an agent's memory prefers turns soon after the one that matches best.",
    ),
    Requirement(
        "F-PIECES-04", "issue 13", "System prompts are not worth more the more of a session an agent does alone."
    ),
    Requirement("F-PIECES-05", "issue 13", "What a program complains about is not taken for the person's words."),
    Requirement(
        "F-RARE-01",
        "issue 13",
        "A search for the two rarest words of a turn has that turn among the first five, with all, half or no vectors.",
    ),
    Requirement(
        "F-RARE-02", "issue 13", "In a large space a term that is in very few turns outweighs the common ones."
    ),
    Requirement(
        "F-RARE-03",
        "issue 13",
        "While vectors are missing for some turns, these are ranked by words on the same scale.",
    ),
    Requirement(
        "F-AGENT-80",
        "issue 13",
        "A block marks a model's thinking, and leaves it out where its answer says the same.",
    ),
    Requirement(
        "F-AGENT-81",
        "issue 13",
        "A block marks answers that were regenerated and turns from which the person went back.",
    ),
    Requirement("A-LINE-05", "DESIGN 4", "Records with parts as Clew names them are imported with every part."),
    Requirement("A-LINE-06", "Issue 13.6", "A block repeats the words of an item only where room is left."),
    Requirement("A-LINE-03", "Issue 13.6", "What a client writes behind a tool's result is not in a block."),
    Requirement(
        "A-LINE-08",
        "Issue 13.8",
        "Thanks and goodbyes are neither a session's last request nor its last answer, and need no answer.",
    ),
    Requirement("A-LINE-04", "Issue 13.8", "A brief tells words in their order, and names earlier sessions to open."),
    Requirement(
        "F-AGENT-82", "issue 13", "What an agent tells its subagent is shown as the agent's words, and marked."
    ),
    Requirement(
        "F-AGENT-83",
        "issue 13",
        "Where a large block shows several sessions, their headings carry title, project and branch.",
    ),
    Requirement(
        "F-AGENT-86",
        "issue 13",
        "A message of a few words is found by what the same person wrote just before or after it.",
    ),
    Requirement(
        "F-AGENT-89",
        "issue 13",
        "The middle of a tool's result is found: whole up to 65,536 bytes, beyond that what it reports as failed.",
    ),
    Requirement(
        "F-AGENT-88",
        "issue 13",
        "Of the questions to an AsyncMemory one is at work at a time, unless the embedder may wait for a server.",
    ),
    Requirement("F-AGENT-87", "issue 13", "The report of an import has the ids of an unchanged file's turns."),
    Requirement("F-AGENT-85", "issue 13", "`clew watch cursor` stores the chats of Cursor while it runs."),
    Requirement("F-AGENT-84", "issue 13", "Turns in twelve other languages are searched for dates, as questions are."),
)

# --- SIGMAVIEW ---
SIGMAVIEW = (
    Requirement(
        "F-SIGMAVIEW-01",
        "DESIGN 7",
        "`compress_context` keeps each class within its budget, and reports counted tokens.",
    ),
    Requirement("F-SIGMAVIEW-02", "DESIGN 10", "A compression survives the wire; an empty or odd one is a result."),
    Requirement("F-SIGMAVIEW-03", "DESIGN 1.3", "A model's summary is used only if each of its values is in the turn."),
    Requirement("F-SIGMAVIEW-04", "SIGMA, recap", "Quest and chat contexts have the document's sections and forms."),
    Requirement(
        "F-SIGMAVIEW-05", "issue 14", "A recap is within its budget exactly and has a line for every paradigm shift."
    ),
    Requirement(
        "F-SIGMAVIEW-06", "DESIGN 4", "A session keeps its anchor over all its provider's sessions, with reasons."
    ),
    Requirement(
        "F-SIGMAVIEW-07",
        "SIGMA, files",
        "Lattice, recap and state are written and read back; old ones are archived.",
    ),
    Requirement("F-SIGMAVIEW-09", "issue 14", "A session's recap names every paradigm shift within its exact budget."),
    Requirement("F-VIEWS-01", "DESIGN 12", "A wrong argument of a view is named, with what was expected."),
    Requirement("F-SIGMAVIEW-08", "DESIGN 7", "The recap and the provider sessions are there after a restart."),
)

# --- COUNTER ---
COUNTER = (
    Requirement(
        "F-COUNTER-01", "VC token counter", "Anthropic's counter falls back by itself, and its name says to what."
    ),
    Requirement(
        "F-COUNTER-02", "issue 14", "Without a package Anthropic's tokens are estimated by kinds of characters."
    ),
    Requirement(
        "F-COUNTER-03", "issue 14", "Every call and command with a budget takes a counter, and holds the budget by it."
    ),
    Requirement("F-COUNTER-04", "VC token counter", "A message list costs its words, and its images by their size."),
)

# --- CONDENSE ---
CONDENSE = (
    Requirement(
        "F-CONDENSE-20",
        "issue 14",
        "Collapsing old tool chains leaves a list valid for its wire format, and every removed message is kept.",
    ),
    Requirement(
        "F-CONDENSE-22",
        "issue 14",
        "Large images of a message list are scaled down and counted by their dimensions; what cannot be read stays.",
    ),
    Requirement(
        "F-CONDENSE-23",
        "issue 14",
        "What leaves a message list is durable first, given back exactly, and forgotten with the turns it repeats.",
    ),
    Requirement(
        "F-CONDENSE-24",
        "issue 14",
        "A recap never exceeds its budget, names every shift, and keeps the values that are likely needed again.",
    ),
    Requirement(
        "F-CONDENSE-25",
        "issue 14",
        "What a client's shortened history lost of a session is found and brought back within a budget.",
    ),
    Requirement(
        "F-CONDENSE-26",
        "issue 14",
        "A compaction keeps the recap until the next one and lists what left the prompt; no turn is changed.",
    ),
    Requirement(
        "F-CONDENSE-27",
        "issue 14",
        "Collapsing keeps real sessions, orphans and nested results as valid as they were, and gives them back.",
    ),
    Requirement(
        "F-CONDENSE-28",
        "issue 14",
        "Of cut, cleared, summarised and collapsed histories exactly what they lost comes back, within the budget.",
    ),
    Requirement(
        "F-RENDER-01",
        "DESIGN 4; issue 14",
        "A node's renderings are rows with tokens, source hash, method and coverage; they go when a turn is forgotten.",
    ),
    Requirement(
        "F-RENDER-02",
        "DESIGN 7; issue 14",
        "Without a model a node is shown by whole sentences with speakers and days, files and commands as a list.",
    ),
    Requirement(
        "F-RENDER-03",
        "DESIGN 4 and 7; issue 14",
        "Beats, chapters, sessions and labels are rendered in the background, and anew when their source has changed.",
    ),
    Requirement(
        "F-COMPACT-01",
        "issue 14.3",
        "A compaction reads only the turns that are new since the last one, however long the session is.",
    ),
    Requirement(
        "F-COMPACT-02",
        "issue 14.3",
        "A session is condensed for its new tokens, its window, the provider's limit or a completed task, once.",
    ),
    Requirement(
        "F-COMPACT-03",
        "issue 14.3",
        "A compaction that is killed at any step goes on, gives what it would have given, and loses nothing.",
    ),
    Requirement(
        "F-COMPACT-04",
        "issue 14.3",
        "Each covered turn is shown in one way; routine turns get a tenth, and the oldest are shortened to fit a size.",
    ),
    Requirement(
        "F-COMPACT-05",
        "issue 14.5",
        "The ledgers of a session's compactions add up to what is not in its recap, each loss with its reference.",
    ),
    Requirement(
        "F-COMPACT-06", "issue 14.3", "An add that makes a session due executes no more statements than another."
    ),
    Requirement(
        "F-COMPACT-07",
        "issue 14",
        "Odd sessions are condensed or refused in words: huge turns, tools alone, broken pairs, a clock going back.",
    ),
    Requirement(
        "F-RENDER-04",
        "DESIGN 6; issue 14",
        "Asked for an overview, a block shows relevant beats in short beside the turns, within the exact budget.",
    ),
    Requirement(
        "F-RENDER-05",
        "DESIGN 7; issue 14",
        "A model's summary of a beat is used only if its numbers, names, paths and dates are its source's.",
    ),
    Requirement(
        "F-RENDER-06",
        "DESIGN 1 and 7",
        "Summaries are asked for within the budget, one beat at a time; whatever a model answers, an extract is there.",
    ),
    Requirement(
        "F-RENDER-07",
        "issue 14.9",
        "The lengths of renderings are learned from what was used afterwards: bounded, only when better, reversible.",
    ),
    Requirement(
        "F-RECAPLEN-01",
        "issue 14.9",
        "How many times smaller compactions make a prompt is learned, for each space, from what was needed again "
        "after them: bounded, only when better, reversible, and never against the user's own ratio.",
    ),
    Requirement(
        "F-CONDEND-01",
        "issue 14",
        "Every compaction leaves a receipt, also that of the background work; what was not done has no id.",
    ),
    Requirement(
        "F-CONDEND-02", "issue 14", "A recap says up to which turn it is, and how many turns the session has by now."
    ),
    Requirement(
        "F-CONDEND-03",
        "issue 14",
        "A recap in which nothing has room names no turn.",
    ),
    Requirement("F-CONDENSE-21", "issue 14", "The stubs of a message list stay the same when the list grows."),
    Requirement(
        "CHAIN-STAY-01",
        "issue 14.6",
        "Collapsing leaves calls and results on which the rest of the list depends: those whose other half stands "
        "elsewhere, those that load tools, and those that wait inside a tool of the provider.",
    ),
    Requirement(
        "RECAP-READ-01",
        "issue 14, Shows",
        "A reader who was not there understands a recap: how far the work is and what is open are told apart, the "
        "mental map is of the whole session, speech has no sounds, and stories are no decisions.",
    ),
    Requirement(
        "RECAP-SMALL-01",
        "DESIGN 13",
        "A recap of less than 1,000 tokens spends little on what is not needed again: tasks of one turn stand on one "
        "line, references are short, and values have the rest.",
    ),
    Requirement(
        "IMAGE-FORM-01",
        "issue 14.7",
        "Images are read in the base64 of every client; photos stand upright in their colours, and bombs stay unread.",
    ),
)

# --- mended: what is left of issue 12 ---
MENDED = (
    Requirement(
        "C-PLAIN-01",
        "VC recaps",
        "A recap takes no plan for a failure: a test that is to fail, what may fail, what a system prompt rules out; "
        "and no announced step for a decision.",
    ),
    Requirement(
        "C-PLAIN-02",
        "VC recaps",
        "A client's summary heads a recap where nobody asked in words, and no line quotes it.",
    ),
    Requirement("C-PLAIN-04", "issue 15", "What waits is told a line a thing, and what finishes it once."),
    Requirement(
        "C-LINE-01",
        "issue 14",
        "A recap asked for by itself tells of the last turns too; that of a prompt changes only with a compaction.",
    ),
    Requirement(
        "C-LINE-02",
        "issue 14",
        "A recap quotes the sentences that tell something, not greetings, advice, announced steps or what is repeated.",
    ),
    Requirement(
        "F-TOPIC-01", "issue 14", "The REST API's recap tells of the turns after the last compaction if asked."
    ),
    Requirement(
        "F-TOPIC-02",
        "issue 14",
        "A recap of an agent's session tells what was done and found, once each; announced steps, consent without a "
        "name and lines of code are neither decisions nor values.",
    ),
    Requirement("F-TOPIC-03", "DESIGN 7", "An open task in a recap names the turn that told it."),
    Requirement("F-TOPIC-04", "issue 14", "A summary of a topic shows beats in short from 1,000 tokens on."),
    Requirement("C-LINE-04", "issue 14", "The tool `open` answers with the recap of a session that is named."),
    Requirement(
        "C-LINE-03", "issue 14", "A recap proposes questions on what several turns speak of, and not on who talks."
    ),
    Requirement("C-PLAIN-06", "VC recaps", "A recap tells of its quest what was so at the last turn that it covers."),
    Requirement(
        "C-PLAIN-07", "issue 17", "Titles of quests and what `clew brief` tells have neither list numbers nor Markdown."
    ),
    Requirement("C-PLAIN-05", "issue 17", "A quest that nobody asked for in words is called like its session."),
    Requirement("C-PLAIN-03", "VC recaps", "A line of a recap does not end in a heading or the first of a list."),
    Requirement("F-MENDED-02", "issue 12", "`restore --out` overwrites a file only with --force."),
    Requirement("F-MENDED-03", "issue 12", "`export -` writes to standard output, and refuses a terminal."),
    Requirement("F-MENDED-04", "issue 12", "A pipe, a device or `-` that is to be imported is refused and not opened."),
    Requirement("F-MENDED-05", "issue 12", "`labels NAME` ends with status 1 when nothing has the label."),
    Requirement("F-MENDED-06", "issue 12", "A killed backup's file is removed by the next backup to any folder."),
    Requirement("F-MENDED-07", "issue 12", "The newest receipt is the one written last, whatever the clock said."),
    Requirement("F-MENDED-08", "issue 12", "A message of an error is cut when it repeats a very long argument."),
    Requirement("F-MENDED-09", "issue 12", "An excerpt shows the words asked for, also at the end of a long sentence."),
    Requirement(
        "F-MENDED-10", "issue 12", "Among few turns, common words are no evidence that a question has an answer."
    ),
    Requirement(
        "F-MENDED-11", "issue 12", "An import says that an unchanged file was not read, and counts no record for it."
    ),
    Requirement("F-MENDED-13", "issue 12", "Without a question, background work holds no postings in memory."),
    Requirement("F-MENDED-14", "issue 12", "A packing step is bounded by bytes, also where turns are long."),
    Requirement(
        "F-TDY-01",
        "docs/cli.md",
        "A command that asks for a session takes the name that a block shows and any beginning that only one has.",
    ),
    Requirement(
        "F-TDY-02",
        "docs/cli.md",
        "A command that is given a name that no session has says so and exits with status 1.",
    ),
    Requirement(
        "F-THIRTY-01",
        "DESIGN 13; issue 14",
        "A compacted prompt is 30 times smaller, its last turns included; what they lose is listed and comes back.",
    ),
    Requirement(
        "F-THIRTY-02",
        "DESIGN 13; docs/condense.md",
        "Of the values of a recap each counts with all that it contains, and its tokens are used up.",
    ),
    Requirement(
        "F-THIRTY-03",
        "DESIGN 13; docs/packing.md",
        "A tool's long result costs and shows the passage that matches, so that a name in a listing is found.",
    ),
    Requirement(
        "F-THIRTY-04",
        "issue 14; docs/recaps.md",
        "A recap has whole sentences, without list numbers, and no questions or announcements among its statements.",
    ),
    Requirement("F-TDY-04", "docs/condense.md", "A recap of a hundred tokens begins with goal, state and last answer."),
    Requirement(
        "F-TDY-05", "docs/cli.md", "A command that begins no memory refuses a home that does not exist and makes none."
    ),
    Requirement("F-TDY-03", "docs/condense.md", "A session too short to be condensed is said to be so."),
    Requirement("F-MENDED-15", "issue 12", "A secret is masked as the default of a variable that code reads."),
    Requirement("F-MENDED-16", "issue 12", "A password is masked as people tell it in other languages."),
    Requirement("F-MENDED-12", "issue 12", "The name of a speaker stays on one line in a recap and on the terminal."),
    Requirement(
        "F-MENDED-01",
        "issue 12",
        "A home that cannot be written can be read; what would change it raises StoreReadOnly.",
    ),
)

# --- KEEP ---
IDENTITY = (
    Requirement(
        "P-IDN-10",
        "issue 15",
        "Whatever clients do to their histories, no two conversations are merged, no turn is lost and none is stored "
        "twice.",
    ),
    Requirement(
        "P-IDN-11",
        "issue 15",
        "The next request of a conversation costs what is new in it: as many statements and turns at 2,000 messages as "
        "at 20.",
    ),
    Requirement(
        "P-IDN-12",
        "DESIGN 10",
        "A block stands in its message with the same bytes in every later request, also after a restart, until the "
        "message changes, the client cuts its history or a turn that the block quotes is forgotten.",
    ),
    Requirement(
        "P-IDN-13",
        "DESIGN 10",
        "In all four formats each request upstream begins with the bytes of the one before wherever the client's own "
        "did.",
    ),
    Requirement(
        "P-IDN-14",
        "DESIGN 1",
        "Clew's own blocks are found when they come back, whole, cut, quoted, in JSON or without their frame, and are "
        "stored as injected; the words around them stay as they are.",
    ),
    Requirement("P-IDN-15", "issue 15", "A recall for a request repeats nothing that the request holds."),
    Requirement(
        "P-IDN-17",
        "DESIGN 10",
        "A request that only names the answer it goes on from (Responses) belongs to that answer's conversation.",
    ),
    Requirement(
        "P-IDN-18",
        "issue 15",
        "A session that others stored is lined up by its content when it first passes through the proxy.",
    ),
    Requirement("P-IDN-16", "issue 15", "A session sent as a growing history is stored as an import stores it."),
    Requirement(
        "P-IDN-01",
        "DESIGN 10",
        "A history that is sent again is recognised by its beginning, also after a restart, and adds what is new.",
    ),
    Requirement(
        "P-IDN-02",
        "DESIGN 10",
        "Two conversations with the same instructions, first message, examples or beginning stay apart.",
    ),
    Requirement(
        "P-IDN-03",
        "DESIGN 10",
        "The session that a request names comes first, then the client's own id under its name; a sub-agent is a "
        "conversation of its own.",
    ),
    Requirement("P-IDN-04", "issue 15", "An edit and a regenerated answer open branches of their conversation."),
    Requirement("P-IDN-05", "issue 15", "A request that is sent again, one after the other or at once, adds nothing."),
    Requirement(
        "P-IDN-06",
        "DESIGN 10",
        "Side requests, pauses and exclusion patterns keep messages out; a broken answer is stored as far as it came.",
    ),
    Requirement("P-IDN-07", "DESIGN 9", "What was forgotten does not come back when a client sends its history again."),
    Requirement(
        "P-IDN-08",
        "issue 15",
        "A history without its beginning or middle is recognised by its last answer, where one conversation fits.",
    ),
    Requirement(
        "P-IDN-26",
        "issue 15",
        "A window of a history behind its first messages is the end of what is stored, also where it cuts an answer.",
    ),
    Requirement(
        "P-IDN-09",
        "issue 15",
        "What a client puts in place of dropped messages is nobody's word, and adds nothing where it is shorter.",
    ),
    Requirement(
        "P-IDN-21", "issue 15", "A block of another conversation that lost its end is told by the form of its lines."
    ),
    Requirement(
        "P-IDN-20", "DESIGN 10", "X-Clew-Session names a conversation that is stored, and none for side requests."
    ),
    Requirement(
        "P-IDN-19",
        "issue 15",
        "A request is looked up when the answers that its client has seen are stored, however slow the memory was.",
    ),
    Requirement(
        "P-IDN-23", "issue 15", "Sub-agents that are told the same at the same time are conversations of their own."
    ),
    Requirement(
        "P-IDN-25", "issue 15", "Who asks for another answer is not shown the one that it replaces as a memory."
    ),
    Requirement(
        "P-IDN-24",
        "issue 15",
        "A client that leaves an answer goes on with what it read of it, in the same conversation.",
    ),
    Requirement(
        "P-IDN-27",
        "issue 15",
        "Requests that come at once, also through several servers, are stored as if they came in turn.",
    ),
    Requirement(
        "P-IDN-22", "issue 15", "Of several answers to one request all are stored; the client goes on from any of them."
    ),
)

FORMATS = (
    Requirement(
        "P-FMT-01", "issue 15", "A chat request is recognised by its path and read; messages are without instructions."
    ),
    Requirement(
        "P-FMT-02",
        "DESIGN 10",
        "Text is added at the end of a user's message, after every cache mark; no other byte of the body changes.",
    ),
    Requirement("P-FMT-03", "DESIGN 10", "Messages are replaced and tools added in place; no other byte changes."),
    Requirement(
        "P-FMT-04",
        "issue 15",
        "What is no request of a format is refused with FormatError, in time linear in its size.",
    ),
    Requirement(
        "P-FMT-05",
        "issue 15",
        "An answer is assembled from a stream in pieces of any size, as a client resends it; what came before a break "
        "is kept.",
    ),
    Requirement("P-FMT-06", "issue 15", "Results of tools and errors have the shape of the format's API."),
    Requirement(
        "P-FMT-07",
        "issue 15",
        "Programs are recognised, and their own ids of a conversation; nothing that names a user, or that several "
        "conversations share, is taken for one.",
    ),
    Requirement(
        "P-FMT-08", "issue 15", "Requests that a program makes for itself are recognised, each with its own kind."
    ),
    Requirement(
        "P-FMT-09",
        "issue 15",
        "Every shape of a message of the four formats survives into turns, or leaves a turn that names what was there.",
    ),
    Requirement(
        "P-FMT-10", "issue 15", "What a program puts into a user's message is no question and has the origin injected."
    ),
    Requirement(
        "P-FMT-12",
        "issue 15",
        "A request that continues an answer of Responses by its id belongs to that answer's conversation.",
    ),
    Requirement(
        "P-FMT-13",
        "issue 15",
        "An answer of Responses that was made in the background is stored once, when the client fetches it.",
    ),
    Requirement(
        "P-FMT-11",
        "DESIGN 10",
        "A block belongs to the message of the user that the model has not answered; a turn has one.",
    ),
)

TASKS = (
    Requirement("F-TASKS-01", "issue 14", "A compaction tells how far it is, stretch by stretch, also in a dry run."),
    Requirement(
        "F-TASKS-02",
        "DESIGN 10",
        "`clew condense`, `recap` and `restore` say what does not go together, does not fit or does not exist, by the "
        "names that were given.",
    ),
    Requirement(
        "F-TASKS-03",
        "DESIGN 6",
        "Asked what is left to do, a block holds the session's open tasks first, in at most a quarter of its budget, "
        "with the reason in the receipt; tasks that are done are not shown.",
    ),
    Requirement(
        "F-TASKS-05",
        "DESIGN 6",
        "What an assistant's last answer calls open is told by a brief and to the question what is left to do.",
    ),
    Requirement(
        "F-TASKS-06",
        "issue 14",
        "What people and assistants write down as open (`TODO:`, `- [ ]`, entries below `Still open:`) is among the "
        "open tasks of recaps and insurance until a later sentence says that it is done.",
    ),
    Requirement(
        "F-GOAL-01", "issue 14", "The goal of a recap is the wish, not the frame that a client puts around it."
    ),
    Requirement("F-TASKS-04", "DESIGN 6", "Only questions for what is open, left or next bring open tasks."),
)

ADAPTER = (
    Requirement("P-ADP-01", "issue 15", "A LangGraph store keeps, lists, filters and ranks items in a memory."),
    Requirement("P-ADP-02", "issue 15", "A LangGraph checkpointer remembers messages that the graph later trims."),
    Requirement("P-ADP-03", "issue 15", "A session of the OpenAI Agents SDK gives items back exactly as they came."),
    Requirement("P-ADP-04", "issue 15", "LlamaIndex gets the newest messages and what the question recalls."),
    Requirement("P-ADP-05", "issue 15", "Anthropic's memory tool keeps its files in a memory."),
    Requirement("F-TURNS-01", "DESIGN 10", "A program reads the turns of a conversation, or of the space, in order."),
)

KEEP = (
    Requirement(
        "F-KEEP-01",
        "issue 14",
        "Compactions are measured: how much smaller a prompt gets, its time, and how much evidence that is used again "
        "is in the recap, found by a question, or restored by a reference.",
    ),
    Requirement("F-KEEP-02", "issue 14", "Recaps stand beside the last turns and common summarisers in the same run."),
    Requirement(
        "F-KEEP-04",
        "issue 14",
        "A reader who was not there understands a recap: requests and findings instead of lists of words, numbers in "
        "their words, calls by what they did.",
    ),
    Requirement(
        "F-KEEP-05",
        "issue 14",
        "Questions, exclamations and announcements of the next step are no decisions or tasks; plans are.",
    ),
    Requirement(
        "F-KEEP-06",
        "issue 14",
        "Two recaps of invented conversations are shown in docs/: open tasks, what is forbidden and what was decided "
        "have a place before values.",
    ),
    Requirement(
        "F-KEEP-07",
        "issue 14",
        "Long results that are stored apart count in the tokens of a prompt with their whole length.",
    ),
    Requirement("F-KEEP-08", "issue 14", "The check fails when compactions keep less than was recorded."),
    Requirement(
        "F-KEEP-09",
        "issue 14",
        "An agent reads the recap of any session as a resource, and at the start of a session what was decided and "
        "forbidden in the last one.",
    ),
    Requirement(
        "CND-VALUE-01",
        "issue 14",
        "Values of a recap are whole and are what they are shown as: no part of a range, of a name or of a path, no "
        "editor's operation as a command, no date of a listing.",
    ),
    Requirement("CND-VALUE-02", "issue 14", "Words around a number have no half of brackets or code."),
    Requirement(
        "CND-REUSE-01",
        "issue 14",
        "Values that are used now and then have room beside one that is in every listing, and those used often long "
        "ago beside one that was seen once lately.",
    ),
    Requirement(
        "CND-TELL-01",
        "issue 14",
        "A recap tells no instruction as done, asks about no part of a path, and begins a conversation with the first "
        "words that tell something.",
    ),
    Requirement("F-KEEP-03", "issue 14", "Questions are answered from a recap and a recall at equal tokens."),
    Requirement(
        "F-GROW-01",
        "issue 12",
        "A label keeps no containers of its own in memory, so that a growing vocabulary stays small.",
    ),
)

# --- the server and the way of a request through the proxy ---
RELAY = (
    Requirement(
        "P-RLY-01",
        "DESIGN 10",
        "The server has its settings as serve.*, also in the environment; they are checked, and tokens shown nowhere.",
    ),
    Requirement(
        "P-RLY-02",
        "DESIGN 10",
        "Every method, path and body below an API's prefix reaches its upstream byte for byte, compressed ones too.",
    ),
    Requirement(
        "P-RLY-03",
        "DESIGN 10",
        "Headers go on, without those of one connection and of Clew; nothing of one client is kept for another.",
    ),
    Requirement(
        "P-RLY-04", "DESIGN 10", "An answer is relayed as it comes, errors, retry-after and a break in its middle too."
    ),
    Requirement("P-RLY-05", "issue 15", "An upstream that cannot be reached is an error in the shape of the API."),
    Requirement(
        "P-RLY-06", "issue 15", "A client that leaves ends the upstream's work; one that reads slowly slows it down."
    ),
    Requirement("P-RLY-52", "issue 15", "A client that offers another version of HTTP is served in the one it speaks."),
    Requirement("P-RLY-53", "issue 15", "What is no HTTP gets status 400 in the shape of an API's errors."),
    Requirement("P-RLY-07", "issue 15", "Steps up in a path, unknown paths and websockets are refused clearly."),
    Requirement(
        "P-RLY-08",
        "DESIGN 10",
        "What is remembered is added to the question at a chat's end; where it is off, requests stay byte for byte.",
    ),
    Requirement(
        "P-RLY-09",
        "DESIGN 1.8",
        "Whatever breaks in the memory, the request goes upstream, the answer arrives, and an event tells what failed.",
    ),
    Requirement(
        "P-RLY-10",
        "DESIGN 10",
        "Beyond loopback a token is needed; it is compared in constant time and alone gives the space and the scopes.",
    ),
    Requirement(
        "P-RLY-11", "DESIGN 10", "Names that are not the server's, and pages of other sites, are refused on every path."
    ),
    Requirement("P-RLY-12", "issue 15", "Requests a minute are limited for each token, with retry-after."),
    Requirement("P-RLY-13", "issue 15", "`/clew/health` and `/clew/metrics` tell how the server fares."),
    Requirement("P-RLY-41", "issue 15", "Health is degraded while the store of a running memory fails, and says how."),
    Requirement(
        "P-RLY-44", "issue 15", "A chat whose memory fails after its question is stored keeps its answer and its cost."
    ),
    Requirement("P-RLY-45", "DESIGN 13", "What a long chat sends again costs the proxy few calls, and stays the same."),
    Requirement(
        "P-RLY-61",
        "DESIGN 13",
        "Before a request goes upstream the store is asked few things, nothing twice, and what depends on no question "
        "is made beforehand.",
    ),
    Requirement(
        "P-RLY-62",
        "issue 15",
        "A page whose origin is listed reads Clew's own pages, and its refusals and answers on a provider's paths; "
        "preflights of others go on to the provider.",
    ),
    Requirement("P-RLY-14", "issue 15", "Events are JSON lines without texts of messages, queries and keys."),
    Requirement(
        "P-RLY-15",
        "issue 15",
        "`clew serve` prints its address, ends running answers when it is asked to stop, and closes its memories.",
    ),
    Requirement(
        "P-RLY-16",
        "DESIGN 10",
        "A chat's question and answer are stored once, as far as the answer came, in the space of the token alone.",
    ),
    Requirement(
        "P-RLY-17",
        "DESIGN 10",
        "A block stands in every later request at the same place with the same bytes, also after a restart.",
    ),
    Requirement(
        "P-RLY-18", "DESIGN 10", "Calls of Clew's tools are answered by the proxy, where they are on: one answer comes."
    ),
    Requirement("P-RLY-19", "issue 15", "Several processes serve one address over one PostgreSQL server."),
    Requirement(
        "P-RLY-20",
        "issue 15",
        "Hostile and broken requests are refused, or passed on unambiguously; the server lives.",
    ),
    Requirement(
        "P-RLY-60",
        "issue 15",
        "Addresses in request lines are served where they are our own, else the error says what to set.",
    ),
    Requirement("P-RLY-24", "issue 15", "An answer does not wait for the acknowledgement of its head."),
    Requirement(
        "P-RLY-23",
        "issue 15",
        "No recall runs on the event loop; a block is recorded only while the request still waits for it.",
    ),
    Requirement("P-RLY-25", "issue 15", "The server opens its memory and loads the models before the first request."),
    Requirement("P-RLY-49", "issue 15", "A client that sends no more after its request gets its answer whole."),
    Requirement(
        "P-RLY-51",
        "issue 15",
        "A second Ctrl-C breaks running answers off, stores what was relayed, and ends the server.",
    ),
    Requirement("P-RLY-50", "issue 15", "A connection that comes as the server closes does not hold up its end."),
    Requirement("P-RLY-21", "DESIGN 1.2", "A kill in the middle of a stream loses no stored turn."),
    Requirement("P-RLY-22", "issue 15", "200 streams at once lose no byte; memory stays flat over 10,000 requests."),
    Requirement(
        "F-SPEED-41",
        "issue 15",
        "A request waits for the answers before it to be readable, and not for the disk or the ledger.",
    ),
    Requirement(
        "F-BULK-01",
        "DESIGN 13, issue 12",
        "Of a record of any size an import holds the parsed value and what it works on, and no second copy of it.",
    ),
    Requirement(
        "F-BULK-02",
        "DESIGN 13, issue 12",
        "Turns of millions of characters are derived, written and read again a few at a time, and not by their number.",
    ),
    Requirement(
        "F-BULK-03",
        "DESIGN 13, issue 12",
        "Between two steps the analysis holds of a long turn of an open beat only what the beat's rows are made of.",
    ),
    Requirement(
        "F-BULK-04",
        "DESIGN 13, issue 12",
        "A packing step reads and decodes long index entries a few at a time, and makes the same segment of them.",
    ),
    Requirement(
        "F-SPEED-42",
        "issue 15",
        "What a server loads at its start is left out of later collections of garbage.",
    ),
    Requirement(
        "P-BYTE-01",
        "issue 15, speed",
        "The disk is waited for while the memory is asked: a question is durable before it goes upstream and before a "
        "block is recorded for it, and a disk that fails lets the request go on as it came.",
    ),
    Requirement(
        "P-BYTE-02",
        "DESIGN 3",
        "`Store.committed` returns once a transaction is committed; what it gives returns when the commit is durable, "
        "or raises the disk's error; all who wait at once share one sync.",
    ),
    Requirement(
        "P-REV-31",
        "DESIGN 3",
        "After a sync of the log has failed, nothing is written before all that was committed is in the database and "
        "the log begins anew: no later commit is lost with one that is not on the disk.",
    ),
    Requirement(
        "P-REV-32",
        "issue 15, speed",
        "A request that is sent again waits for the disk, too, where the words that the first one stored may still be "
        "on their way to it.",
    ),
    Requirement(
        "P-BYTE-05",
        "issue 15, speed",
        "While the server runs, a thread that computes gives way to the others after half a millisecond.",
    ),
    Requirement(
        "P-BYTE-04",
        "DESIGN 13",
        "A recall asks the store for what it shows and for what changed since the last one: one statement a table, a "
        "few for turns, and none for facts, projects and labels that have nothing to say.",
    ),
    Requirement(
        "P-BYTE-03",
        "DESIGN 13",
        "What a ranking derives from single turns is computed for new turns alone, and is what a new view would give.",
    ),
)

# --- the scripted upstream, and what is shown with it ---
UPSTREAM = (
    Requirement(
        "P-UPS-01",
        "Issue 15.13",
        "The scripted upstream enforces the vendors' rules in the shape of their errors, and reports what their caches "
        "would hold.",
    ),
    Requirement(
        "P-UPS-02",
        "Issue 15, shows",
        "The official SDKs work with it, whole and streamed, with tools and pictures, straight and through the proxy.",
    ),
    Requirement(
        "P-UPS-03",
        "Issue 15.8",
        "`clew run` gives a program a proxy of its own and its addresses, and passes terminal, signals and status on.",
    ),
    Requirement(
        "P-UPS-04", "Issue 15.8", "A proxy that dies is started again behind its address, and ends with its program."
    ),
    Requirement(
        "P-UPS-05",
        "Issue 15.13",
        "`clew bench proxy` sets proxied calls beside direct ones, and counts requests that only gain a block.",
    ),
    Requirement("P-UPS-06", "Issue 15, speed", "200 streams at once arrive byte for byte."),
    Requirement(
        "P-UPS-07", "Issue 15, shows", "A fact from turn 5 is answered at turn 200, after the client has dropped it."
    ),
    Requirement(
        "P-UPS-08",
        "Issue 15, shows",
        "`clew demo --proxy` shows a server, a scripted model and a conversation that remembers, in one command.",
    ),
    Requirement(
        "P-UPS-09",
        "Issue 15.8",
        "Clew's entry goes into the documented settings of eight programs, and out again without a trace.",
    ),
    Requirement(
        "P-UPS-10",
        "Issue 15.9",
        "Hooks of Claude Code tell a session and a prompt what is remembered, and store transcripts and no other file.",
    ),
    Requirement(
        "P-UPS-11",
        "Issue 15.9",
        "A hook never holds up its host: after 300 ms and on any failure, silence and status 0.",
    ),
    Requirement("P-UPS-12", "Issue 15.9", "Hooks are installed beside those of others, and come out byte for byte."),
    Requirement("P-UPS-13", "Issue 15, shows", "A chat with a model on this machine goes through the proxy."),
    Requirement("P-UPS-14", "Issue 15.8", "Codex with a login of ChatGPT is forwarded to where that login is valid."),
    Requirement(
        "P-UPS-16",
        "Issue 15.8",
        "Who puts the proxy before a gateway is told the option that keeps the gateway in use.",
    ),
    Requirement("P-UPS-17", "Issue 15.9", "Hooks of others in Claude Code's settings keep their bytes."),
    Requirement(
        "P-UPS-18", "issue 15", "A program behind `clew run` that stops itself gives the shell its terminal back."
    ),
    Requirement("P-UPS-15", "Issue 15.8", "`clew run` tells a wrong command before it starts a proxy."),
)
# --- DISK ---
DISK = (
    Requirement(
        "W-DSK-01",
        "DESIGN 13",
        "Renderings of short turns are kept as places in them, which repeat no word, and are read as the same text.",
    ),
    Requirement(
        "W-DSK-02",
        "DESIGN 13",
        "Segments of terms are compressed in the store; those of before are read, and damage is named.",
    ),
    Requirement(
        "W-DSK-03",
        "DESIGN 5 and 13",
        "A turn is weighed behind its acknowledgement; asked before, it has what its words give.",
    ),
    Requirement(
        "W-DSK-04",
        "DESIGN 5 and 13",
        "Many turns that wait for their vectors are weighed ahead of them, as the analysis would weigh them.",
    ),
)

# --- facts: slots, the reducer, history, dependants ---
REDUCE = (
    Requirement("K-RED-01", "DESIGN 8", "Slots have one value at a time; every other verb takes any number of values."),
    Requirement("K-RED-02", "DESIGN 8", "Facts and links do not depend on batches or on the order of arrival."),
    Requirement("K-RED-03", "DESIGN 8", "Without a turn, facts, links and stale marks are as if it was never said."),
    Requirement("K-RED-04", "DESIGN 8", "Every fact has a source turn, an id of its own, and no end before its start."),
    Requirement("K-RED-05", "Knowledge 3", "A later value of a slot ends an earlier one; both stay, with their times."),
    Requirement(
        "K-RED-06", "Knowledge 3", "What is corrected or taken back never held, and what it had replaced holds."
    ),
    Requirement(
        "K-RED-07", "Knowledge 3", "Negated, conditional, hypothetical, quoted and asked statements are no facts."
    ),
    Requirement("K-RED-08", "Knowledge 3", "Two values whose order is unknown both stay and contradict each other."),
    Requirement("K-RED-09", "Knowledge 3", "A plan whose date has passed is a past plan, not something that happened."),
    Requirement(
        "K-RED-10", "Knowledge 4", "What was built on a fact is stale once that ends, unless it is said again."
    ),
    Requirement("K-RED-11", "Knowledge 5", "Facts about one subject with two names are linked as the same."),
    Requirement("K-RED-12", "Knowledge, shows", "A memory that is told the stories turn by turn answers as they end."),
)


# --- LEFT: what was left of the server's issue ---
LEFT = (
    Requirement(
        "P-LFT-01", "Issue 15.11", "Memories of mem0 and OpenMemory are imported from each form of their exports."
    ),
    Requirement(
        "P-LFT-02", "Issue 15.11", "Agent files and messages of Letta are imported, blocks as the agent's own words."
    ),
    Requirement(
        "P-LFT-03",
        "Issue 15.11",
        "Dumps of Zep are imported: messages, summaries, and facts with the end of their time.",
    ),
    Requirement(
        "P-LFT-05",
        "Issue 15.11",
        "Nothing that is said in an excluded project is stored, by any way in; nothing is added.",
    ),
    Requirement(
        "P-LFT-07",
        "Issue 15",
        "Bodies in Brotli and Zstandard are read where a decoder is installed; else they are forwarded and counted.",
    ),
    Requirement(
        "P-LFT-08",
        "Issue 15",
        "Records of the proxy older than serve.keep_days go in bounded steps; younger ones, turns, and what keeps the "
        "forgotten from coming back stay.",
    ),
    Requirement(
        "P-LFT-09",
        "Issue 15",
        "A session of Claude Code that comes through the proxy and out of its transcript is one, without double turns.",
    ),
    Requirement(
        "P-LFT-10",
        "Issue 15.1",
        "A request that a closed connection left without an answer is sent once more where nothing can happen twice.",
    ),
    Requirement(
        "P-LFT-11", "Issue 15", "When an embedder comes to a space, names of labels that it ends leave no rows behind."
    ),
    Requirement(
        "P-LFT-12", "Issue 15", "Whatever is asked of the REST API, the answer is what its OpenAPI document promises."
    ),
    Requirement("P-LFT-13", "Issue 15.3", "The explorer shows the ledger, with names as text."),
    Requirement("P-LFT-06", "Issue 15.2", "The folder in which a program works is known, and stored with its turns."),
    Requirement("P-LFT-04", "Issue 15.11", "CLAUDE.md, AGENTS.md and the like are imported section by section."),
)


# --- facts with a language model ---
MODEL_FACTS = (
    Requirement(
        "K-MOD-01",
        "Issue 16.2",
        "A model's fact is used only if the turn has its quote, and its sentence each number, name and date of it.",
    ),
    Requirement("K-MOD-02", "Issue 16.2", "A model's facts match a schema; repair is bounded, failures are recorded."),
    Requirement("K-MOD-03", "Issue 16", "What a poisoned turn orders never becomes a fact about its speaker."),
    Requirement(
        "K-MOD-04", "Issue 16", "What rules and a model both find is one fact; a model never overrides a correction."
    ),
    Requirement(
        "K-MOD-05",
        "Issue 16.2",
        "Turns are read once, newest first, behind the acknowledgement, within the budget; answers are recorded.",
    ),
    Requirement(
        "K-MOD-07", "Issue 16.2", "Of a model's right facts nearly all are believed, of its mistakes hardly any."
    ),
    Requirement(
        "K-MOD-06", "HSCA 5.2", "Beats of high macro weight ground claims; a source stuffed with keywords does not."
    ),
)


# --- point any client at it ---
LINE = (
    Requirement(
        "S-LINE-01",
        "Issue 15.2",
        "A session of Codex, or of a sub-agent of its, that comes by the proxy and out of its file is one.",
    ),
    Requirement("S-LINE-02", "Issue 15.2", "A result that Gemini CLI writes twice is imported once."),
    Requirement("S-LINE-03", "DESIGN 10", "`clew explain` shows what matters first, and everything with `--full`."),
    Requirement("S-LINE-04", "DESIGN 10", "A question without words is told from one that finds nothing."),
    Requirement("S-LINE-05", "DESIGN 10", "`clew work --once` says which jobs it did, on a terminal and off it."),
    Requirement(
        "S-LINE-09",
        "Issue 15.13",
        "The scripted Gemini asks for signatures of calls since the last question alone, as the real one does.",
    ),
    Requirement(
        "S-LINE-10",
        "Issue 15.4",
        "In a virtual window requests of all formats stay valid, with images, parallel and failed calls in them.",
    ),
    Requirement(
        "S-LINE-11",
        "Issue 15",
        "An answer that breaks off before anything of it was relayed is an error in the API's own shape.",
    ),
    Requirement(
        "S-LINE-12",
        "Issue 15",
        "With Clew's tools, a stream of events of any length and shape is relayed byte for byte, in bounded memory.",
    ),
    Requirement(
        "S-LINE-08",
        "DESIGN 9",
        "A turn is acknowledged as known only when it is durable, also while its sync is pending.",
    ),
    Requirement(
        "S-LINE-07",
        "Issue 15.9",
        "A session file that ends within a line is no failed import; the rest is read when it is there.",
    ),
    Requirement("S-LINE-06", "Issue 13", "What `clew when` lists without a title is called by its first words."),
)


# --- the store of a project ---
DOOR = (
    Requirement(
        "DOOR-AGENT-01",
        "Issue 15",
        "A sub-agent of Claude Code is one session by the proxy and by its transcript, with each turn once.",
    ),
    Requirement("DOOR-COMMAND-01", "Issue 15", "A command of Claude Code without words of the user is the program's."),
    Requirement(
        "DOOR-SYSTEM-01",
        "Issue 15",
        "Where a history is cut, Anthropic's messages of the role system among the others stay where they are allowed.",
    ),
    Requirement(
        "DOOR-STAGE-01",
        "Issue 15",
        "What aider writes in the user's name is no message of a conversation, which stays one from turn to turn.",
    ),
    Requirement(
        "DOOR-RETRY-01",
        "Issue 15",
        "A question that may have been answered is never sent twice by the proxy; its error makes the SDKs try again.",
    ),
    Requirement(
        "DOOR-RETURN-01",
        "Issue 15",
        "A client that returns to a model finds what it had cached there, as it would without Clew's blocks.",
    ),
    Requirement(
        "DOOR-PAGE-01",
        "Issue 15",
        "The explorer fits a phone, shows text of any direction, and says when there is nothing.",
    ),
    Requirement("DOOR-NAME-01", "Issue 15", "A chat with a second name is known by it after its hashes were pruned."),
    Requirement(
        "DOOR-CODEX-01",
        "Issue 15",
        "What stands before the messages of a Responses request counts in its cost and window.",
    ),
    Requirement(
        "P-REV-34", "Issue 15", "With its own cache mark a request never has more marks than the provider takes."
    ),
    Requirement(
        "DOOR-ERRAND-01", "Issue 15", "Errands of real clients are known; ids and paths are as these send them."
    ),
)

SERVE = (
    Requirement(
        "SRV-THREADS-01",
        "Issue 15, speed",
        "A job of the proxy wakes the thread that rested last and no other; jobs at hand end before the process does.",
    ),
    Requirement(
        "SRV-QUIET-01",
        "Issue 15, speed",
        "What remains after answers is done together once no chat is under way, and after a second at most.",
    ),
    Requirement("SRV-GEMINI-01", "Issue 15.2", "A session of Gemini CLI is one by the proxy and out of its own file."),
    Requirement(
        "SRV-GEMINI-02",
        "Issue 15.2",
        "Only a file of the user's own that ends with the question, and no other does, names a session of Gemini CLI.",
    ),
    Requirement(
        "SRV-AGENT-01",
        "Issue 15.2",
        "A sub-agent that names only its session is stored once by both ways; what may be another's stays apart.",
    ),
    Requirement(
        "SRV-AGENT-02",
        "Issue 15.2",
        "A sub-agent that names only its session is stored once, too, where it was imported before its requests come.",
    ),
    Requirement(
        "SRV-ODD-01",
        "Issue 15",
        "Odd streams (comments, CRLF, data over lines, trailers) pass and are read; unended heads hold up nobody.",
    ),
    Requirement("SRV-STOP-01", "Issue 15.12", "What meets a memory that a stopping server has closed is no failure."),
    Requirement(
        "SRV-IDLE-01",
        "Issue 15",
        "Connections to servers nearby are not used again when these may be closing them, so that no question is lost.",
    ),
    Requirement(
        "SRV-LINE-01", "Issue 15.12", "Each address that docs/proxy.md gives a client leads to a chat of its provider."
    ),
    Requirement(
        "SRV-EARLY-01",
        "Issue 15, speed",
        "The connection to the provider opens while the memory is asked; one that no request takes is closed.",
    ),
    Requirement(
        "SRV-CHAT-01",
        "DESIGN 10, SIGMA",
        "`clew chat` talks with the model in a conversation that is condensed and goes on, also after a restart.",
    ),
    Requirement(
        "SRV-TAINT-01",
        "Issue 15.6",
        "What tools, the web and programs say through the proxy is no fact about the user and no standing wish.",
    ),
    Requirement(
        "SRV-NEAR-01",
        "Issue 15",
        "How long a connection to a server nearby was unused counts from when the server may have sent its answer.",
    ),
    Requirement(
        "SRV-FAR-01",
        "Issue 15",
        "A question over TLS is not lost to a connection that the upstream closes, and uses the one that opened early.",
    ),
    Requirement(
        "SRV-ODDMSG-01",
        "Issue 15",
        "Odd messages (an empty result without an id, half an emoji, NaN) are stored, and so is their conversation.",
    ),
)

PROJECT = (
    Requirement(
        "L-PRJ-01",
        "Project 2",
        "Objects and transforms are named by the SHA-256 of their bytes; a second genesis writes nothing.",
    ),
    Requirement("L-PRJ-02", "Project 2", "One changed file makes exactly one new object and one transform."),
    Requirement(
        "L-PRJ-03",
        "Project 1",
        "Symbols, imports, calls, docstrings, headings and decisions are found, and what changed since a generation.",
    ),
    Requirement(
        "L-PRJ-04",
        "Project 1",
        "Python, JavaScript, TypeScript, Go, Rust, Java, C, C++, Ruby, Markdown are taken apart.",
    ),
    Requirement("L-PRJ-05", "Project 1", "Without the grammars, code is read as text, and Markdown by its marks."),
    Requirement(
        "L-PRJ-06",
        "Project, bad input",
        "Whatever a disk holds is counted, named and skipped, or read as far as it can be; nothing is fatal.",
    ),
    Requirement("L-PRJ-07", "DESIGN 12", "Secrets in files are masked before anything of them is stored."),
    Requirement("L-PRJ-08", "Project 1", "The files that git would ignore are left out."),
    Requirement("L-PRJ-09", "Project 2", "No two paths share an entry, whatever their names are."),
    Requirement(
        "L-PRJ-10",
        "Project 2",
        "`status` names what is missing, altered or refers to nothing, and fails; genesis heals all of it.",
    ),
    Requirement(
        "L-PRJ-11", "Project 2", "A run that is killed at any time leaves a store that the next run completes."
    ),
    Requirement("L-PRJ-12", "Project 2", "Two processes that read a project at once leave what one would."),
    Requirement("L-PRJ-13", "Project 1", "Imports lead to the files that each language would find, and to no others."),
    Requirement("L-PRJ-14", "Project 1", "`query` finds what is in a file, has a name, is of a kind, or fits words."),
    Requirement("L-PRJ-15", "Project 1", "`blast-radius` lists all that uses a file or symbol, the nearest first."),
    Requirement("L-PRJ-16", "Project 1", "`watch` reads what changes, and yields to others."),
    Requirement("L-PRJ-17", "Project 2", "`.open_cognition` is written and read in the layout of the source."),
    Requirement("L-PRJ-18", "Project 3", "Text that was embedded once is not embedded again."),
    Requirement(
        "F-PROJ-01", "Project 7", "`clew history` and `clew quest` list at most `--limit` rows, the last ones."
    ),
    Requirement("F-PROJ-02", "Project 1", "Imports between the packages of a workspace (Cargo, npm) lead to files."),
    Requirement("F-PROJ-03", "Project 1", "Macros and typedefs of C and C++ hide no class, method or type."),
    Requirement("F-PROJ-04", "Project 1", "Traits that a type implements, and types that Go embeds, are inherited."),
    Requirement("F-PROJ-05", "Project 1", "Text in .txt files and READMEs with headings is read by its sections."),
    Requirement("F-PROJ-06", "Project 3", "A mission is read from documents that say what the whole project is for."),
    Requirement("F-PROJ-07", "Project 3", "Tests of C++, Ruby, Java and inside of Rust modules count for O7."),
    Requirement("F-PROJ-08", "Project 5", "A name means the file that is spelled like it, or has a class of its own."),
    Requirement("PRJ-GIT-01", "Project 1", "Files that git tracks are read, though a line of a .gitignore names them."),
    Requirement("PRJ-GIT-02", "Project, bad input", "A damaged index of git counts as none."),
    Requirement("PRJ-MIX-01", "Project 1", "Modules that Ruby includes, extends or prepends are inherited."),
    Requirement("PRJ-FORM-01", "Project 3", "Interfaces, traits, theorems and goals count by what they are."),
    Requirement(
        "PRJ-SENSE-01", "Project 3", "Words with another sense in code are no evidence of security by themselves."
    ),
    Requirement("PRJ-SENSE-02", "DESIGN 5.2", "Tokens that are counted or parsed raise no security in turns."),
    Requirement("PRJ-TEXT-01", "Project, bad input", "Text in the encoding that it declares, or in Latin-1, is read."),
    Requirement("PRJ-TEXT-02", "Project, bad input", "A long path is shortened where several files are named."),
    Requirement("L-PRJ-19", "DESIGN 10", "The commands print text or JSON, and end with 1 where something is wrong."),
)


# --- SURFACES_OF_FACTS: where facts are shown ---
FACTS_SHOWN = (
    Requirement(
        "K-SUR-01",
        "DESIGN 10",
        "A tool lists facts with time, what they replaced, and the turns that state them.",
    ),
    Requirement(
        "K-SUR-03",
        "DESIGN 8",
        "A question about somebody gets the facts about them with their turns, in a quarter of the block at most.",
    ),
    Requirement("K-SUR-04", "DESIGN 8", "Facts in a block say when they are past plans, or rest on what was replaced."),
    Requirement("K-SUR-05", "DESIGN 8", "In company, a question for who takes part gets a card of each speaker."),
    Requirement(
        "K-SUR-02", "DESIGN 6", "Facts are a signal of recall: the best fact of a question points back to its turns."
    ),
)

# --- facts in the store ---
FACT_ROWS = (
    Requirement("K-FCT-01", "DESIGN 8", "The same turns give the same facts, however they are divided into batches."),
    Requirement("K-FCT-02", "DESIGN 4", "A rebuild makes the same facts again, and keeps what models found."),
    Requirement(
        "P-REV-33",
        "DESIGN 9",
        "A fact that is hidden from answers, such as one that was only ever taken back, is forgotten with its turn.",
    ),
    Requirement(
        "K-FCT-03",
        "DESIGN 9",
        "Forgetting a turn takes its statements, facts and links along.",
    ),
    Requirement("K-FCT-04", "Issue 16.1", "What was edited away, injected, or said to a subagent states nothing."),
    Requirement("K-FCT-05", "DESIGN 10", "Facts are found by subject, verb in any form, object, status and time."),
    Requirement("K-PLURAL-01", "issue 16", "What a group did or chose is told in the plural: we decide on Redis."),
    Requirement("K-FCT-06", "DESIGN 10", "A correction is a turn, and counts wherever that turn goes."),
    Requirement("K-FCT-07", "Issue 16", "What is asked of the store for some facts does not grow with the space."),
    Requirement(
        "K-FCT-08", "DESIGN 9", "Two who read at once, and one who is killed, lose nothing and double nothing."
    ),
    Requirement("K-FCT-09", "Issue 16", "Old turns of a home are read later, and hold up no short program."),
    Requirement("K-FCT-10", "DESIGN 10", "The command line and REST list facts, history and graph."),
    Requirement(
        "K-FCT-11", "DESIGN 4", "Verify finds facts that do not follow from the statements; doctor mends them."
    ),
    Requirement("K-FCT-12", "DESIGN 9", "A fact and its statements come back from their rows as they were."),
)

# --- facts and extraction, in use ---
FACTS_USED = (
    Requirement(
        "K-KEEP-01",
        "DESIGN 10",
        "A correction is of what stands; a second one withdraws the first, from the beginning.",
    ),
    Requirement("K-KEEP-40", "docs/privacy.md", "Forgetting names the corrections that repeat what is forgotten."),
    Requirement("K-KEEP-02", "DESIGN 10", "Wrong arguments of questions about facts are named as they were given."),
    Requirement(
        "K-KEEP-03", "Issue 16.8", "The tool for facts takes any condition, and says when turns are still unread."
    ),
    Requirement("K-KEEP-04", "Tri-Vector", "A session that cannot be read is deferred after three provable failures."),
    Requirement("K-KEEP-05", "Issue 16.8", "What failed is listed without reading the extractions that are done."),
    Requirement("K-KEEP-06", "Issue 16.8", "Work that only waits is not said to have failed."),
    Requirement(
        "K-KEEP-11", "Issue 16", "The work for a turn does not grow with the number of statements of one slot."
    ),
    Requirement(
        "K-KEEP-12", "Tri-Vector AC 6, 9", "What two chunks name is one node of the vector that a session ends with."
    ),
    Requirement(
        "K-KEEP-13", "Tri-Vector AC 10", "Page and docstrings tell the strategy, with every count and state of a run."
    ),
    Requirement(
        "K-KEEP-14", "HSCA 5.2", "A graph of claims that is read back accepts the same snapshots, with the same ids."
    ),
    Requirement(
        "K-KEEP-15", "DESIGN 8", "A nickname of the entity graph and its owner are one subject, unless it may mean two."
    ),
    Requirement(
        "K-KEEP-17",
        "Issue 16.3",
        "What somebody gives up, leaves or loses ends in whatever words it began, and for every purpose.",
    ),
    Requirement("K-KEEP-19", "Issue 16.8", "The time of `clew facts --as-of` may be given in words."),
    Requirement("K-KEEP-20", "Issue 16.8", "A fact is corrected on the command line, and the correction taken back."),
    Requirement("K-KEEP-21", "Issue 16.8", "Listings fold no line where they are not shown on a terminal."),
    Requirement(
        "K-KEEP-22", "DESIGN 8", "A nickname that is stated once is a name, and facts of everybody join names as well."
    ),
    Requirement(
        "K-KEEP-23", "Issue 16.3", "A plan without a date says so, and lapses when nobody speaks of it for a year."
    ),
    Requirement(
        "K-KEEP-24", "Issue 16", "Facts and links of which more is said than counts do not depend on batches, either."
    ),
    Requirement(
        "K-KEEP-25", "Issue 16", "A question about the present reads no fact that is over, however many there are."
    ),
    Requirement(
        "K-KEEP-33", "issue 13", "A thing asked for without its owner is that of the user and of each speaker."
    ),
    Requirement(
        "K-KEEP-26",
        "Issue 16.5",
        "What was put in place of another value is found under every name, and as it was known.",
    ),
    Requirement(
        "K-KEEP-27", "Issue 16.1", "A choice of one thing over another is told without a purpose nobody named."
    ),
    Requirement("K-KEEP-18", "Issue 16.3", "A sentence that is called a correction withdraws what it puts right."),
    Requirement(
        "K-KEEP-28", "DESIGN 8", "A preference replaces an earlier one of the same kind, and leaves those of others."
    ),
    Requirement(
        "K-KEEP-16",
        "Issue 16",
        "A question about facts asks the store as often for many facts as for few, and finds them all.",
    ),
    Requirement(
        "K-KEEP-07", "Issue 16.2", "A setting leaves the facts of turns to rules, and other questions as they are."
    ),
    Requirement(
        "K-KEEP-10", "Knowledge 1", "A model's dates without a year lie ahead of a plan, and behind what is over."
    ),
    Requirement(
        "K-KEEP-09", "Issue 16", "A small model on this machine reads facts and extracts a session to the end."
    ),
    Requirement(
        "K-KEEP-08", "Issue 16", "Answers have no more tokens than a setting allows, and are used as far as they go."
    ),
)


# --- what a turn and an opened home cost ---
COST = (
    Requirement(
        "F-COST-01",
        "DESIGN 13",
        "An opened index has room for its turns, those that are not packed included, and leaves no part of it unused.",
    ),
)

# --- summaries in place of histories ---
LONE_SUMMARIES = (
    Requirement(
        "RNK-SUMMARY-01",
        "Issue 13.8",
        "A client's summary is found when what it sums up is not stored, whichever way it comes.",
    ),
    Requirement("RNK-SUMMARY-02", "Issue 13.8", "Such a summary that comes again is known."),
)

# --- tools as a model uses them ---
TRY = (
    Requirement(
        "M-TRY-01", "DESIGN 10", "Tools take a session by the name that a block shows; an unknown one is an error."
    ),
    Requirement("M-TRY-02", "DESIGN 10", "A resource that cannot be read says why, and what there is instead."),
    Requirement("M-TRY-03", "DESIGN 10", "An answer that leaves something out says so, also behind the end of a turn."),
    Requirement("M-TRY-04", "DESIGN 10", "No tool gives a conversation a name that would fill every later answer."),
    Requirement(
        "M-TRY-05", "DESIGN 7", "The brief and the recap of a session agree on whether its last request has an answer."
    ),
    Requirement("M-TRY-06", "DESIGN 6", "A question of few words, none of which occurs, gets no block full of noise."),
    Requirement("M-TRY-07", "DESIGN 10", "A path given to the constructor of a memory is an error that names `open`."),
)

CERTAIN = (
    Requirement(
        "CI-IMP-01",
        "issue 12",
        "An import's report accounts for every item of a list: one that gives no turn is skipped or rejected by name.",
    ),
    Requirement(
        "CI-END-01",
        "issue 15",
        "A signal to stop that comes while the server starts ends it cleanly, as does the end of its parent's input.",
    ),
    Requirement(
        "CI-END-02",
        "issue 15",
        "A server of several processes ends with all of them, whatever one of them is doing when it is asked to stop.",
    ),
)


EDGES = (
    Requirement(
        "F-EDGE-01",
        "docs/import.md",
        "A home, a backup or another database is not imported as text; the command that takes it is named.",
    ),
    Requirement(
        "F-EDGE-02", "clew import --help", "`clew import` exits with status 1 where no file of a folder or zip is read."
    ),
    Requirement("F-EDGE-03", "docs/import.md", "A label within fenced or indented code, nested or quoted, is code."),
    Requirement(
        "F-EDGE-04", "docs/cli.md", "Each name that `clew sessions` prints is found by commands that take one."
    ),
    Requirement(
        "F-EDGE-06", "docs/import.md", "A line in another encoding than its file's is decoded, or kept, and named."
    ),
    Requirement("F-EDGE-07", "docs/import.md", "The end of a day as 24:00, leap seconds and days of a year are read."),
    Requirement(
        "F-EDGE-08",
        "DESIGN 13",
        "No text takes longer to import than its length; what is odd in one record costs it alone.",
    ),
    Requirement("F-EDGE-05", "docs/cli.md", "A list as JSON is whole unless --limit is given."),
)
"""What is odd at the edges of import and of the Python interface."""

SECRETS = (
    Requirement(
        "F-SECRET-01",
        "issue 12.2",
        "Secrets are masked by their names in configuration, also where the value stands apart from the name.",
    ),
    Requirement(
        "F-SECRET-02", "issue 12.2", "Passwords with blanks and commas are masked to the quote that closes them."
    ),
    Requirement(
        "F-SECRET-03", "issue 12.2", "Keys in the place of a user, and escaped passwords, are masked in addresses."
    ),
    Requirement("F-SECRET-04", "issue 12.2", "Hashes of passwords are masked, and so are the lines of `.pgpass`."),
    Requirement(
        "F-SECRET-05", "issue 12.2", "Passwords are masked that commands are given as options or as their input."
    ),
    Requirement(
        "F-SECRET-06",
        "issue 12.2",
        "Passwords, PINs and codes are masked as sentences tell them: changed from X to Y, used as the password.",
    ),
    Requirement(
        "F-SECRET-07",
        "issue 12.2",
        "Cells under a header that names a secret are masked, in Markdown, CSV and the output of databases.",
    ),
    Requirement(
        "F-SECRET-08",
        "issue 12.2",
        "Secrets are masked in the data of a Kubernetes Secret, in lists of recovery codes, and beside a user.",
    ),
    Requirement("F-SECRET-09", "issue 12.2", "Passwords and keys that code gives to functions by position are masked."),
    Requirement(
        "F-SECRET-10", "issue 12.2", "Secrets are masked that a terminal's colours divide, or part from their names."
    ),
)
BY_THE_DOCUMENTS = (
    Requirement(
        "D-SIGMA-01", "SIGMA, key functions", "The view's functions take the document's arguments and nothing more."
    ),
    Requirement(
        "D-SIGMA-02", "SIGMA, meet", "The view meets a turn with the overlays of a project, where one is given."
    ),
    Requirement(
        "D-SIGMA-03", "SIGMA, data structures", "Shapes made of lists and plain mappings equal those read from JSON."
    ),
    Requirement(
        "D-SIGMA-04", "SIGMA, session state", "Files are named by text or path; what is missing is an error of Clew."
    ),
    Requirement(
        "D-SIGMA-06", "SIGMA, MCP tool", "`recall_past_conversation` takes the question as `query`, over every door."
    ),
    Requirement("D-SIGMA-07", "SIGMA, environment", "`SIGMA_DEBUG=true` is the option `--debug` of `clew chat`."),
    Requirement(
        "D-VC-01", "VC Compactor", "The least and most tokens of summaries can be set, also by the source's YAML."
    ),
    Requirement("D-VC-03", "VC Assembly", "A tag by itself is taken where tags are, and a segment's day is said once."),
    Requirement(
        "D-VC-04", "VC Tool Loop", "Calls that ask for the same are repeats; a topic collapsed since is expanded again."
    ),
    Requirement(
        "D-SIGMA-09", "SIGMA, compression", "Fewer than five turns are exported whole, and shortened words are whole."
    ),
    Requirement("D-SIGMA-10", "SIGMA, tunable parameters", "`overlay_threshold` decides what the view's recaps list."),
    Requirement("D-SIGMA-11", "DESIGN 5.2", "`analyze.overlay_threshold` decides which overlays a recap lists."),
    Requirement("D-SIGMA-08", "SIGMA, project lattice", "`.open_cognition` holds the elements of the seven overlays."),
    Requirement("D-SIGMA-12", "DESIGN 1.3", "A turn is analysed by its words when the view's embedder fails."),
    Requirement("D-TRI-02", "neo, contract ledger", "Options of an extraction may be given by name."),
    Requirement("D-TRI-01", "neo, contract ledger", "Turns without any text are refused with what was expected."),
    Requirement("D-VC-02", "VC Token Counter", "`tiktoken` is estimated where its package is not installed."),
    Requirement("D-SIGMA-05", "DESIGN 5.2", "Any embedder is given the first 1,000 and last 500 characters of a text."),
)

FIRST_USE = (
    Requirement(
        "U-NAMES-01", "DESIGN 12", "A first name, in any case and without accents, means the one speaker who has it."
    ),
    Requirement(
        "U-NAMES-02", "DESIGN 12", "A name that nobody has, or that several have, is an error that names some."
    ),
    Requirement("U-REFS-01", "DESIGN 12", "Turns can be pinned, forgotten and marked as used as a block names them."),
    Requirement(
        "U-PEOPLE-01", "DESIGN 12", "A brief of a talk between people takes no remark for an unanswered request."
    ),
    Requirement("U-OPEN-01", "DESIGN 12", "`async with AsyncMemory.open(...)` opens and closes a memory."),
    Requirement("U-WHEN-01", "DESIGN 12", "A question for what changed or was new in a time gets what was said in it."),
    Requirement(
        "U-REFS-02", "DESIGN 12", "A cut reference of a stub or an image is named as that, not as a turn's id."
    ),
    Requirement("U-FILES-01", "DESIGN 12", "Folders of the SIGMA view may be given as text."),
)

ABROAD = (
    Requirement("U-ABROAD-01", "DESIGN 12", 'German "im" with a noun is no name: "Zimmer im Garten" names nobody.'),
    Requirement("U-ABROAD-02", "DESIGN 12", "No sentence ends after the ordinal number of a date: am 1. Dezember."),
    Requirement(
        "U-ABROAD-03", "DESIGN 12", "Numbers in groups of three digits are not cut in two in phrases and names."
    ),
)

TITLES = (
    Requirement(
        "U-TITLE-01", "DESIGN 12", "A conversation that is asked for by words of its title is found, and surely so."
    ),
    Requirement(
        "U-TITLE-03", "Issue 13.8", "Conversations are found by the git branch or project folder that a question names."
    ),
    Requirement("P-FLOOR-01", "Issue 13.4", "A block of the proxy stops at turns that the question is not about."),
    Requirement("U-SMALL-01", "DESIGN 10", "Every time that an argument names may be given in words, in Python, too."),
    Requirement("U-SMALL-02", "DESIGN 6", "A date without a year in an expression is one of the conversations' own."),
    Requirement("U-SMALL-03", "DESIGN 10", "A reference that is not whole says what it is of and what is expected."),
    Requirement("U-SMALL-04", "Issue 17", "A step that an agent announces is no decision about a file."),
    Requirement("U-TITLE-02", "DESIGN 12", "A conversation can be named by the title that its client gave it."),
)

DECIDED = (
    Requirement(
        "U-DECIDED-01", "DESIGN 12", "Who asks what was decided, and names no subject, gets the decisions of a talk."
    ),
    Requirement(
        "U-DECIDED-02",
        "DESIGN 12",
        "Recaps and briefs tell what people who talked a matter over came to, in few words too.",
    ),
)

READING = (
    Requirement(
        "F-READING-01",
        "DESIGN 13",
        "Items and omissions of a context are made when somebody reads them, once, and are what they would have been.",
    ),
    Requirement(
        "F-READING-02",
        "issue 15",
        "The proxy asks of what was there before the question, unless this counts from itself; the question is stored "
        "all the same, and what depends on the stored turns is made ready after the answer.",
    ),
    Requirement(
        "F-READING-03",
        "DESIGN 13",
        "Turns that have one rendering are packed with less work, and as all others are.",
    ),
    Requirement(
        "F-READING-04",
        "DESIGN 9",
        "The words of turns that were shown are read again only when they are gone, within 2 MB; what was forgotten is "
        "not shown, and marks follow the session.",
    ),
)

REQUIREMENTS: tuple[Requirement, ...] = (
    *FACT_ROWS,
    *FACTS_USED,
    *MODEL_FACTS,
    *RELAY,
    *UPSTREAM,
    *AGENTS,
    *ANALYZE,
    *NUANCE,
    *WEIGHING,
    *HOUSE,
    *DEMO,
    *CLI,
    *COPY,
    *INDEX,
    *INGEST,
    *MODELS,
    *STORE,
    *POSTGRES,
    *TEXT,
    *BENCH,
    *PRIVACY,
    *RANKING,
    *FORMATS,
    *IDENTITY,
    *TYPES,
    *CONFIG,
    *RECALL,
    *RECALL_LABELS,
    *QUERY,
    *PIPELINE,
    *ODD,
    *FORM,
    *MEMORY,
    *MEET,
    *HOLDS,
    *STRUCTURE,
    *HSCA,
    *EVAL,
    *FAST,
    *SIGMA,
    *STAGE,
    *TAGS,
    *ENCRYPTION,
    *TRIVECTOR,
    *LLM,
    *SPEED,
    *TUNE,
    *GRAPH,
    *NER,
    *HCE,
    *ECONOMY,
    *INJECTION,
    *FACTS_SHOWN,
    *LEFT,
    *MCP,
    *SURFACES,
    *TIME,
    *PACK,
    *PIN,
    *SUMMARY,
    *RECEIPT,
    *SIGMAVIEW,
    *COUNTER,
    *CONDENSE,
    *MENDED,
    *TASKS,
    *KEEP,
    *ADAPTER,
    *DISK,
    *REDUCE,
    *PROJECT,
    *DOOR,
    *SERVE,
    *LINE,
    Requirement(
        "F-SUITE-01", "issue 17", "A prompt to a vendor's model reads no certificates that an earlier one has read."
    ),
    Requirement(
        "F-NAMED-01", "DESIGN 12", "An import names the first records of each kind that it skips, in bounded memory."
    ),
    Requirement("F-NAMED-02", "DESIGN 12", "An import says how many turns have a time that could not be read."),
    Requirement("F-NAMED-03", "DESIGN 12", "`clew add` and `clew import` tell a full disk in one line."),
    *RULES,
    *CERTAIN,
    *COST,
    *LONE_SUMMARIES,
    *TRY,
    *FOUND,
    *READING,
    *ABROAD,
    *TITLES,
    *DECIDED,
    *FIRST_USE,
    *BY_THE_DOCUMENTS,
    *EDGES,
    *SECRETS,
)
