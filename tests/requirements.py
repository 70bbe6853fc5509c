"""What Clew promises, as data: each promise has an id, where it was made, and one sentence.

A test names what it covers with `@pytest.mark.requirement("F-HOUSE-01")`. tests/house fails for a promise without a
test and for a mark without a promise. Each part of Clew has a block of its own below; `REQUIREMENTS` joins them.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Requirement:
    """One promised behaviour.

    Attributes:
        id: `F-<PART>-<number>`, never used again for something else.
        source: the document and section that ask for it.
        sentence: what holds, in a form that a test can refute.
    """

    id: str
    source: str
    sentence: str


# --- house ---
HOUSE = (
    Requirement("F-HOUSE-01", "DESIGN 3", "A module has at most 500 lines, a function 60 lines and 7 arguments."),
    Requirement("F-HOUSE-02", "DESIGN 3", "A stage imports only what lies below it."),
    Requirement("F-HOUSE-03", "DESIGN 3", "The package holds public names only; each is documented."),
    Requirement("F-HOUSE-04", "DESIGN 3", "The error tree drawn in the errors module is the tree of its classes."),
    Requirement("F-HOUSE-05", "DESIGN 10", "Every command and every option stands in docs/cli.md, word for word."),
    Requirement("F-HOUSE-06", "DESIGN 10", "Every configuration key stands in docs/configuration.md with its default."),
    Requirement("F-HOUSE-07", "DESIGN 10", "The Python examples of all pages run; commands shown in documents exist."),
    Requirement("F-HOUSE-08", "DESIGN 3", "No stub, no empty module, no unfinished mark is in the tree."),
    Requirement("F-HOUSE-09", "DESIGN 3", "A suppressed rule, swallowed error or late import gives its reason."),
    Requirement("F-HOUSE-10", "DESIGN 11", "No file names a path of a machine or the host of a package registry."),
    Requirement("F-HOUSE-11", "DESIGN 11", "No file is larger than 1 MB; data has a notice with its SHA-256."),
    Requirement("F-HOUSE-12", "DESIGN 1.12", "The tests reach nothing but this machine."),
    Requirement("F-HOUSE-13", "DESIGN 3", "Every promise has a test, and every test's mark names a promise."),
    Requirement("F-HOUSE-14", "DESIGN 11", "Fakes go in at the seams: no test patches a name of Clew."),
    Requirement("F-HOUSE-15", "DESIGN 13", "The core is at most 15 packages, counted with Clew, and 110 MB."),
    Requirement("F-HOUSE-16", "DESIGN 11", "What an extra brings is imported only where it is used."),
    Requirement(
        "F-HOUSE-17", "DESIGN 11", "One script needs only python3 and sh, and says what is missing and what to do."
    ),
    Requirement("F-HOUSE-18", "DESIGN 3", "Each decision has one page of the agreed form."),
    Requirement("F-HOUSE-19", "DESIGN 1.12", "Embedding on this machine reports to nobody and leaves no file."),
)

# --- DEMO ---
DEMO = (
    Requirement("F-DEMO-01", "DESIGN 10", "The sample conversation is whole, well formed, and names its evidence."),
    Requirement("F-DEMO-02", "Issue 2.e", "The demo answers with the evidence; a changed fact changes the answer."),
    Requirement("F-DEMO-03", "Issue 2.e", "The demo shows ingest speed, and tokens, time and reasons of each answer."),
    Requirement("F-DEMO-04", "DESIGN 1.9", "The demo prints the same every time, but for times."),
    Requirement("F-DEMO-05", "Issue 2.e", "The demo keeps nothing, unless it is given a home."),
    Requirement(
        "F-DEMO-06", "Issue 2.e", "The demo takes any file that import reads; questions by option or terminal."
    ),
    Requirement("F-DEMO-07", "DESIGN 6", "A question near to no turn finds nothing, with and without vectors."),
)

# --- CLI ---
CLI = (
    Requirement("F-CLI-01", "DESIGN 13", "Version and help load no command, and say of each what it says of itself."),
    Requirement("F-CLI-02", "DESIGN 10", "Every command takes --home, --space and --json, before or behind its name."),
    Requirement("F-CLI-03", "DESIGN 10", "What goes wrong is one line and a status: 1, 2 for usage, 130 for Ctrl-C."),
    Requirement(
        "F-CLI-04", "DESIGN 10", "Dates are read as ISO 8601, in UTC without a zone, or refused with the form."
    ),
    Requirement("F-CLI-05", "DESIGN 1.10", "What is shown fits the terminal and can give no orders to it."),
    Requirement("F-CLI-06", "DESIGN 1.5", "Reasons in a list are those that the question brought, strongest first."),
    Requirement("F-CLI-07", "DESIGN 1.12", "Pipes get UTF-8 on every system, and any stored text can be written."),
    Requirement(
        "F-CLI-10", "DESIGN 10", "`clew add` stores one turn from the command line or a pipe, and gives its id."
    ),
    Requirement("F-CLI-11", "Issue 2.c", "`clew import` takes the good records, names the bad ones, adds none twice."),
    Requirement("F-CLI-12", "Issue 2.c", "`clew import` finds the sessions of a program by its name."),
    Requirement(
        "F-CLI-13", "DESIGN 5.4", "Work that waits is said, and finished by `clew work`; failing work is an error."
    ),
    Requirement("F-CLI-14", "DESIGN 10", "`clew recall` prints the block, what it cost, and why it is empty if it is."),
    Requirement("F-CLI-15", "DESIGN 10", "`clew search` lists turns with score and reasons."),
    Requirement("F-CLI-16", "DESIGN 10", "`clew quote` lists the turns that hold a phrase word for word."),
    Requirement("F-CLI-17", "DESIGN 1.5", "`clew explain` shows rank, score, shares and near misses of any recall."),
    Requirement("F-CLI-18", "DESIGN 7", "`clew restore` gives text in full and originals byte for byte."),
    Requirement("F-CLI-19", "DESIGN 10", "`clew stats` counts what a space holds."),
    Requirement("F-CLI-20", "Issue 2.c", "What `clew export` writes is read back by import to the same."),
    Requirement("F-CLI-21", "DESIGN 4", "`clew verify` prints what is wrong and then ends with status 1."),
    Requirement("F-CLI-22", "DESIGN 4", "`clew rebuild` changes no answer."),
    Requirement("F-CLI-23", "DESIGN 10", "`clew forget` shows what would go and asks; what went is gone."),
    Requirement("F-CLI-24", "DESIGN 10", "`clew config` shows each setting with its source, and names all wrong ones."),
)

# --- index ---
INDEX = (
    Requirement(
        "F-INDEX-01", "DESIGN 9", "What the index keeps of a turn comes back from its bytes, whatever the text."
    ),
    Requirement("F-INDEX-02", "DESIGN 9", "Damaged bytes of the index give a clear error, never a wrong answer."),
    Requirement("F-INDEX-03", "DESIGN 9", "No answer depends on how turns lie in segments and tail, to the last bit."),
    Requirement("F-INDEX-04", "DESIGN 6", "Scores are those of the documented BM25F formula over neighbouring pieces."),
    Requirement("F-INDEX-05", "DESIGN 9", "A segment's bytes depend on its entries alone, in any order of merges."),
    Requirement("F-INDEX-06", "DESIGN 9", "A forgotten turn leaves no term, name or vector in any row of the index."),
    Requirement("F-INDEX-07", "DESIGN 9", "A view stays as it is while turns are added."),
    Requirement("F-INDEX-08", "DESIGN 9", "The live index shows every commit, its own process's or another's."),
    Requirement("F-INDEX-09", "DESIGN 9", "Packing loses nothing beside writers, other packers and kills at any step."),
    Requirement("F-INDEX-10", "DESIGN 1.1", "The index is dropped and made again from the turns to the same answers."),
    Requirement("F-INDEX-11", "DESIGN 4", "Verification names what is damaged, missing, twice there or too much."),
    Requirement("F-INDEX-12", "DESIGN 9", "Filters over columns agree with a loop over the turns."),
    Requirement(
        "F-INDEX-13", "DESIGN 9", "The vector scan is exact over its codes; a turn without a vector is unknown."
    ),
    Requirement("F-INDEX-14", "DESIGN 5", "A refresh and a packing step read what is new, not what is there."),
    Requirement("F-INDEX-15", "DESIGN 9", "A segment of a newer format is refused as such."),
    Requirement("F-INDEX-16", "DESIGN 6", "A text that names a time is found by a question for that time."),
)

# --- MODELS ---
MODELS = (
    Requirement("F-MODELS-01", "DESIGN 5.2", "Text over 1,500 characters is embedded as its first 1,000 and last 500."),
    Requirement(
        "F-MODELS-02", "DESIGN 11", "Vectors have length 1, in the order of the texts; blank texts give zeros."
    ),
    Requirement("F-MODELS-03", "DESIGN 11", "Any text can be embedded: emoji, 100 KB, lone surrogates, controls."),
    Requirement("F-MODELS-04", "DESIGN 11", "MiniLM comes from packages tried in order, each checked by its SHA-256."),
    Requirement(
        "F-MODELS-05", "DESIGN 1.3", "With no local model there is no embedder; the reason is told once, in a line."
    ),
    Requirement("F-MODELS-06", "DESIGN 12", "Cosines of the int8 model are those of float32 within 0.006."),
    Requirement("F-MODELS-07", "DESIGN 11", "Token ids are those of the reference tokenizer."),
    Requirement("F-MODELS-08", "DESIGN 1.9", "A vector does not depend on the texts or threads beside it."),
    Requirement(
        "F-MODELS-09", "DESIGN 1.9", "Recorded vectors come back byte for byte, from any process, with no model."
    ),
    Requirement("F-MODELS-10", "DESIGN 9", "Quantized vectors come back within half a step; zero rows stay zero."),
    Requirement("F-MODELS-11", "DESIGN 11", "Embedders are chosen by name; an unknown name is told with the choices."),
    Requirement(
        "F-MODELS-12", "DESIGN 11", "Endpoints speak OpenAI's and Ollama's form; no error or stranger sees the key."
    ),
    Requirement(
        "F-MODELS-13", "DESIGN 11", "Other libraries are loaded late; a missing one is named with its command."
    ),
    Requirement("F-MODELS-14", "DESIGN 1.12", "No model runtime is imported before the first text is embedded."),
    Requirement(
        "F-MODELS-15", "DESIGN 3", "The testing module has an embedder with no model and a clock that stands still."
    ),
    Requirement("F-MODELS-16", "DESIGN 11", "Weights in float32 run with no inference runtime, by BERT's formulas."),
)

# --- TEXT ---
TEXT = (
    Requirement("F-TEXT-01", "DESIGN 6", "A word is found in other case, accents, digits, inflection, in any script."),
    Requirement("F-TEXT-02", "DESIGN 6", "One or two characters of Han, Kana, Hangul, Thai or emoji find their text."),
    Requirement("F-TEXT-03", "Issue 2 b", "Identifiers, paths, hosts and numbers are found by their parts and whole."),
    Requirement("F-TEXT-04", "DESIGN 12", "Stop words are never terms; words of asking are none in a question."),
    Requirement("F-TEXT-05", "DESIGN 5", "Every text has terms, the same everywhere, each of at most 64 characters."),
    Requirement("F-TEXT-06", "RETRIEVAL B T1", "Pieces cover a text without gap or overlap and end where it pauses."),
    Requirement("F-TEXT-07", "RETRIEVAL 2", "Relative and written dates in a text become days of the calendar."),
    Requirement("F-TEXT-08", "DESIGN 12", "A word that is a date only by chance is none; nor is an impossible day."),
    Requirement("F-TEXT-09", "DESIGN 6", "The days that a question asks about are known, with their relation."),
    Requirement("F-TEXT-10", "DESIGN 1.6", "Tokens are counted by a named counter or the caller's own, exactly."),
    Requirement("F-TEXT-11", "RETRIEVAL 2", "Names, quotations and forms of address in a text are proposed."),
    Requirement("F-TEXT-12", "DESIGN 10", "A phrase is found word for word, whatever its case, accents and marks."),
    Requirement(
        "F-TEXT-13", "DESIGN 3", "Reading dates, names and phrases fails for no text and goes through it once."
    ),
)

# --- BENCH ---
BENCH = (
    Requirement("F-BENCH-01", "issue 2e", "Four data sets are read; what is faulty in them is repaired or counted."),
    Requirement("F-BENCH-02", "issue 2e", "Other data is refused, saying what came and what was expected."),
    Requirement("F-BENCH-03", "issue 2e", "A turn is found when nine tenths of its words stand in a run."),
    Requirement("F-BENCH-04", "issue 2e", "Intervals draw whole conversations, the same for the same values."),
    Requirement("F-BENCH-05", "issue 2e", "Two result files are compared question by question."),
    Requirement("F-BENCH-06", "issue 2e", "Recall is measured bare and rendered, by budget, category and role."),
    Requirement("F-BENCH-07", "issue 2e", "With a vectors cache a repeated run embeds nothing and finds the same."),
    Requirement("F-BENCH-08", "DESIGN 13", "Speed is measured beside plain references in the same run."),
    Requirement("F-BENCH-09", "issue 2e", "The check fails when a measure falls behind its bar, and only then."),
    Requirement("F-BENCH-10", "issue 2e", "The sample conversation's evidence is found within small budgets."),
)

# --- STORE ---
STORE = (
    Requirement("F-STORE-01", "DESIGN 3", "A row comes back as it was put; one with a known key replaces the old one."),
    Requirement("F-STORE-02", "DESIGN 9", "Any text but NUL, bytes, 64-bit whole number or unknown value survives."),
    Requirement("F-STORE-03", "DESIGN 3", "A row or request that cannot be meant is refused alike by every backend."),
    Requirement("F-STORE-04", "DESIGN 3", "A scan gives what lies between two prefixes, in key order, either way."),
    Requirement("F-STORE-05", "DESIGN 3", "A scan over an index is ordered by it, then by key; unknown is not in it."),
    Requirement("F-STORE-06", "DESIGN 3", "Deleting, comparing and setting change what they name and nothing else."),
    Requirement("F-STORE-07", "DESIGN 4", "A blob is kept once under its hash, and removed once."),
    Requirement("F-STORE-08", "DESIGN 3", "A transaction is kept whole or not at all, whoever shares its commit."),
    Requirement("F-STORE-09", "DESIGN 3", "Transactions and snapshots end with their block and do not nest."),
    Requirement("F-STORE-10", "DESIGN 9", "Nothing is lost among threads."),
    Requirement("F-STORE-11", "DESIGN 9", "A snapshot shows one committed state, whatever is written meanwhile."),
    Requirement("F-STORE-12", "DESIGN 9", "The version differs after a commit of any process, and only then."),
    Requirement("F-STORE-13", "DESIGN 4", "The spaces that hold anything are named, in order."),
    Requirement("F-STORE-14", "DESIGN 9", "A backup is consistent, complete, checked, and overwrites nothing."),
    Requirement("F-STORE-15", "DESIGN 9", "A damaged database is found; a sound one says so."),
    Requirement("F-STORE-16", "DESIGN 9", "Closing keeps what was accepted; a closed store says so."),
    Requirement("F-STORE-17", "DESIGN 9", "A lease has one holder at a time, and its number rises with each new one."),
    Requirement("F-STORE-18", "DESIGN 4", "A job is claimed by one at a time, in order, and comes back if it is lost."),
    Requirement("F-STORE-19", "DESIGN 9", "Any story of changes leaves every backend with what a dictionary holds."),
    Requirement("F-STORE-20", "DESIGN 13", "What was acknowledged survives kill -9 at any moment."),
    Requirement(
        "F-STORE-21", "DESIGN 13", "Many writing and reading processes lose nothing, see no error, and take turns."
    ),
    Requirement("F-STORE-22", "Issue 3.3", "A full or failing disk is told as such, loses nothing and is survived."),
    Requirement(
        "F-STORE-23", "DESIGN 9", "Migrations go forward, one transaction each, after a copy; newer is refused."
    ),
    Requirement("F-STORE-24", "DESIGN 9", "Several processes may open a new home at the same moment."),
    Requirement("F-STORE-25", "DESIGN 9", "A home on a network file system is refused, naming the way around."),
    Requirement("F-STORE-26", "DESIGN 9", "A fork of the process cannot use the store, nor harm it."),
    Requirement("F-STORE-27", "DESIGN 9", "After scrubbing, no file of the home holds what was deleted."),
    Requirement(
        "F-STORE-28", "DESIGN 3", "Schema and declared tables agree; every scan walks its index and sorts nothing."
    ),
    Requirement("F-STORE-29", "DESIGN 10", "A location names a directory, memory, or an engine that is told apart."),
    Requirement("F-STORE-30", "DESIGN 9", "Transactions that wait together share one commit, within bounds."),
    Requirement("F-STORE-31", "DESIGN 9", "The log stays bounded while readers follow each other without a gap."),
    Requirement("F-STORE-32", "DESIGN 1.12", "A home is open to its owner only; what cannot be a home is refused."),
)

# --- POSTGRES ---
POSTGRES = (
    Requirement(
        "S-POSTGRES-01",
        "DESIGN 9",
        "An address is read whole and completed, or refused; what is shown of it opens nothing.",
    ),
    Requirement(
        "S-POSTGRES-02", "DESIGN 9", "No password is in a message, log, repr or figure, however it is written."
    ),
    Requirement(
        "S-POSTGRES-03",
        "Issue 3",
        "What is wrong with a server, a role, a database or a row is told with the next step.",
    ),
    Requirement("S-POSTGRES-04", "DESIGN 11", "Without the driver the extra that brings it is named."),
    Requirement(
        "S-POSTGRES-05",
        "DESIGN 9",
        "The server's schema is what is declared; every scan walks its index and sorts nothing.",
    ),
    Requirement(
        "S-POSTGRES-06",
        "DESIGN 9",
        "After scrubbing no table or statistic holds what was deleted; what hinders it is told.",
    ),
    Requirement(
        "S-POSTGRES-07",
        "DESIGN 9",
        "One of many migrates, a step at a time; a newer or foreign schema is left untouched.",
    ),
    Requirement("S-POSTGRES-08", "DESIGN 9", "Damage of the server's files is found; the size counts what lies there."),
    Requirement(
        "S-POSTGRES-09", "DESIGN 9", "Writers of a space take turns, never in a ring, and keep no other space waiting."
    ),
    Requirement("S-POSTGRES-10", "DESIGN 13", "Transactions that wait share a commit, and one that fails fails alone."),
    Requirement(
        "S-POSTGRES-11",
        "Issue 3.1",
        "What others were in the way of is tried again, within bounds; who waits too long is told.",
    ),
    Requirement(
        "S-POSTGRES-12", "DESIGN 9", "A commit of this process is seen at once, another's soon, by few questions."
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
        "S-POSTGRES-15", "DESIGN 1.2", "A commit without an answer is looked up; what nobody can know is told as such."
    ),
    Requirement("S-POSTGRES-16", "DESIGN 9", "The same log is recalled alike on every engine, to the last bit."),
    Requirement("S-POSTGRES-17", "DESIGN 10", "Every call of a memory works on a server as it does at home."),
    Requirement("S-POSTGRES-18", "DESIGN 9", "A backup of a server is a home of its own."),
    Requirement("S-POSTGRES-19", "DESIGN 13", "What was acknowledged survives kill -9 of clients and of the server."),
    Requirement("S-POSTGRES-20", "DESIGN 1.2", "A commit waits for the server's disk, whatever the role's default is."),
    Requirement(
        "S-POSTGRES-21", "Issue 3.1", "Every command takes an address by --store; another home beside it is refused."
    ),
    Requirement("S-POSTGRES-22", "Issue 3", "No password of an address is shown by a command or a list of processes."),
    Requirement("S-POSTGRES-23", "Issue 3", "What a block, a list or a copy takes of many rows is asked for at once."),
    Requirement("S-POSTGRES-25", "Issue 3", "A pooler that takes connections apart is told as such."),
    Requirement("S-POSTGRES-24", "Issue 3.1", "Real conversations are recalled alike on SQLite and on PostgreSQL."),
)

# --- ANALYZE ---
ANALYZE = (
    Requirement("F-ANALYZE-01", "HSCA 2.1", "Sentences part the text without losing or doubling a character."),
    Requirement("F-ANALYZE-02", "HSCA 2.1", "Layer 1 follows its formula: ties in a window, means upwards, absolute."),
    Requirement("F-ANALYZE-03", "DESIGN 5.1", "A stuffed list scores at most 0.35 in layer 1, alone and in company."),
    Requirement("F-ANALYZE-04", "HSCA 8.4", "A short piece gets a flat low score, or one with its neighbours."),
    Requirement("F-ANALYZE-05", "DESIGN 5.1", "Words, layer 1 and coherence work in any script."),
    Requirement("F-ANALYZE-06", "HSCA 2.2", "Coherence keeps the anchors that the specification names."),
    Requirement("F-ANALYZE-07", "HSCA 2.2", "Each of the four heuristics of coherence moves it the stated way."),
    Requirement("F-ANALYZE-08", "HSCA 2.2", "Domain tags are of the vocabulary; without evidence it is unclassified."),
    Requirement("F-ANALYZE-09", "HSCA 2.2", "Two domains that are no companions make a text cross_domain."),
    Requirement("F-ANALYZE-10", "HSCA 2.3", "Rules find hedged, absolute, rhetorical, directive and comparing text."),
    Requirement("F-ANALYZE-11", "HSCA 2.3", "English text has exactly one tone, other text none."),
    Requirement("F-ANALYZE-12", "DESIGN 4", "A weighing is what each rule says alone, and gives the rows to store."),
    Requirement("F-ANALYZE-13", "DESIGN 5.1", "No more characters are looked at than stated."),
    Requirement("F-ANALYZE-14", "DESIGN 5.1", "Scores are in 0..1 for any text, deterministic, with known flags only."),
)

# --- NUANCE ---
NUANCE = (
    Requirement(
        "W-NUANCE-01",
        "HSCA 2.3",
        "On labelled sentences that no rule was made by, each flag reaches its stated figures.",
    ),
    Requirement(
        "W-NUANCE-02", "Weighing 1", "At least 300 labelled sentences measure the rules; a second labelling agrees."
    ),
    Requirement(
        "W-NUANCE-03", "DESIGN 5.1", "Each sentence has flags of its own; the text has those of its sentences."
    ),
)

# --- WEIGHING ---
WEIGHING = (
    Requirement("W-WEIGH-01", "HSCA 7.4", "Texts stuffed with a query's words score at most 0.35 in layer 1."),
    Requirement("W-WEIGH-02", "HSCA 2.2", "Texts for each anchor of coherence stay within the anchor's range."),
    Requirement("W-WEIGH-03", "HSCA 7.1", "A thread of short turns outweighs a long text about something else."),
    Requirement("W-WEIGH-04", "HSCA 2.2", "Prototype vectors refine the domains; without a vector the rules stand."),
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
        "Each record of an imported file is a turn, a rejection with place and reason, or skipped by kind.",
    ),
    Requirement(
        "F-INGEST-02",
        "DESIGN 5",
        "A record over the limit is rejected by its place without being held in memory; the others are kept.",
    ),
    Requirement(
        "F-INGEST-03",
        "DESIGN 5",
        "What UTF-8 cannot hold, in any encoding of the file, is escaped into text that comes back as it was.",
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
        "Gemini CLI sessions are read in each of their forms, and records written again count once.",
    ),
    Requirement(
        "F-INGEST-07",
        "DESIGN 5",
        "ChatGPT's export is read from zip or file: branches, all kinds of content, the images beside it.",
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
        "Loose JSON and JSONL records are read by the names people give their members; no member is lost.",
    ),
    Requirement(
        "F-INGEST-12",
        "DESIGN 5",
        "Markdown transcripts, WhatsApp chats and labelled text are read; other text by paragraphs.",
    ),
    Requirement(
        "F-INGEST-13",
        "DESIGN 5",
        "A format is told from the content, folders and zips are read in order, an unknown file is an error.",
    ),
    Requirement(
        "F-INGEST-14",
        "DESIGN 10",
        "The sessions that Claude Code, Codex and Gemini CLI keep in a home directory are found.",
    ),
    Requirement(
        "F-INGEST-15",
        "DESIGN 5",
        "Dates in all usual forms become UTC; one that is not whole is unknown and kept as written.",
    ),
    Requirement(
        "F-INGEST-16",
        "DESIGN 5",
        "Keys, tokens, passwords and cards are masked wherever they stand in a turn, the same ones alike.",
    ),
    Requirement(
        "F-INGEST-17", "DESIGN 5", "Commit ids, hashes, UUIDs, encoded images, code and placeholders are not masked."
    ),
    Requirement("F-INGEST-18", "DESIGN 5", "Images and large tool outputs move to blobs and come back byte for byte."),
    Requirement(
        "F-INGEST-19", "DESIGN 4", "A history that is sent again adds nothing; one that grew adds exactly what is new."
    ),
    Requirement(
        "F-INGEST-20",
        "DESIGN 4",
        "An edit opens a branch and keeps the old line; sent again, it lines up with its branch.",
    ),
    Requirement(
        "F-INGEST-21",
        "DESIGN 4",
        "Equality alone never drops a turn: repetition survives, and other times are other turns.",
    ),
    Requirement("F-INGEST-22", "DESIGN 4", "A known external id is known; with other content it is a conflict."),
    Requirement(
        "F-INGEST-23", "DESIGN 5", "Names of exported files are safe on every system, and no two sessions share one."
    ),
    Requirement(
        "F-INGEST-24", "DESIGN 5", "What is exported reads back to the same turns; damage costs only the damaged turn."
    ),
    Requirement(
        "F-INGEST-25",
        "DESIGN 13",
        "No parser fails on any input: it reads it, or refuses the file as a whole with a clear error.",
    ),
    Requirement(
        "F-INGEST-26",
        "DESIGN 4",
        "Results of tools and what clients wrote into messages are told apart from the person's words.",
    ),
)

# --- COPY ---
COPY = (
    Requirement("S-COPY-01", "Issue 3.2", "A copied space is equal row for row, proven by hashes, on every store."),
    Requirement("S-COPY-02", "Issue 3.2", "A copy that was broken off goes on; half a copy is known as such."),
    Requirement("S-COPY-03", "Issue 3.2", "A copy gives up nothing of its target, and forgets nothing less, unasked."),
    Requirement("S-COPY-04", "DESIGN 9", "What the source forgot since is gone from the copy's files too."),
    Requirement("S-COPY-05", "Issue 3.2", "A wrong space, the same store twice, a writer in between: a clear error."),
    Requirement("S-COPY-06", "Issue 3.2", "A merge adds what is new, loses nothing, and done again adds nothing."),
    Requirement("S-COPY-07", "Issue 3.2", "Merged branches stay apart, and answers answer the same turns."),
    Requirement("S-COPY-08", "DESIGN 9", "What the target of a merge has forgotten stays out of it."),
    Requirement(
        "S-COPY-09", "Issue 3.2", "`clew copy` and `clew merge` do both, and make no source that is not there."
    ),
    Requirement("S-BACKUP-01", "Issue 3.8", "A backup made while others write restores to a home that is whole."),
    Requirement("S-BACKUP-02", "Issue 3.8", "A backup is all spaces in one checked file, and replaces none."),
    Requirement("S-DOCTOR-01", "Issue 3.4", "Verify finds every planted fault, and nothing where nothing is wrong."),
    Requirement("S-DOCTOR-02", "Issue 3.4", "Doctor explains each, and mends what it can without losing a turn."),
    Requirement(
        "S-DOCTOR-03", "Issue 3.4", "A rebuild killed at any moment leaves a home that the next one makes whole."
    ),
    Requirement("S-DOCTOR-04", "Issue 3.4", "Recall goes on while the index is made again."),
)

# --- PRIVACY ---
PRIVACY = (
    Requirement("S-PRIVACY-01", "Issue 3.6", "A paused space stores nothing, in any process, until it is resumed."),
    Requirement("S-PRIVACY-02", "Issue 3.6", "What a pattern names is never stored, and counted as excluded."),
    Requirement("S-PRIVACY-03", "Issue 3.6", "Turns older than keep_days go with all made of them; none younger."),
    Requirement("S-MODEL-01", "Issue 3.5", "Vectors of two models are never mixed; the old serve until all are new."),
    Requirement("S-MODEL-02", "Issue 3.5", "An interrupted switch of models goes on; the old vectors go in one step."),
    Requirement("S-MODEL-03", "Issue 3.5", "A program that runs on with the old model does not undo a switch."),
    Requirement("S-ISOLATION-01", "Issue 3.7", "A space shows the same whether or not others are in the same home."),
)

# --- RANKING ---
RANKING = (
    Requirement(
        "F-RANKING-01",
        "DESIGN 6",
        "Rank fusion, k 60 and equal values sharing the best rank, can be recomputed by hand.",
    ),
    Requirement("F-RANKING-02", "DESIGN 6", "Score fusion can be recomputed by hand; what is not known adds nothing."),
    Requirement("F-RANKING-03", "DESIGN 1.5", "The signals' shares of a turn add up to its score."),
    Requirement("F-RANKING-04", "DESIGN 6", "The best turns are those of a full sort; ties go by session, then place."),
    Requirement(
        "F-RANKING-05", "DESIGN 6", "Each signal gives the values that it describes; a weight of 0 turns it off."
    ),
    Requirement(
        "F-RANKING-06", "DESIGN 6", "Filters, a floor that was set and injected text keep turns out; nothing else does."
    ),
    Requirement("F-RANKING-07", "DESIGN 3", "Every question in every space is answered; the only thing said is found."),
    Requirement("F-RANKING-08", "DESIGN 6", "Names, dates, quotes and words of asking are read from a question."),
    Requirement(
        "F-RANKING-09", "DESIGN 6", "A phrase is found word for word, newest first; without a word it is refused."
    ),
    Requirement("F-RANKING-10", "DESIGN 1.9", "A ranking is the same each time and for any layout of the index."),
    Requirement("F-RANKING-11", "DESIGN 1.6", "A block is never over its budget, by any counter and of any turns."),
    Requirement("F-RANKING-12", "DESIGN 6", "A block goes by time, and nothing that was said in it can end it."),
    Requirement("F-RANKING-13", "DESIGN 6", "A long turn that does not fit whole is shown by its best piece."),
    Requirement("F-RANKING-14", "DESIGN 6", "What was left out is named with a reason and the id that gets it back."),
    Requirement(
        "F-RANKING-15", "DESIGN 1.5", "A receipt tells what was read, taken and left; one log gives one receipt."
    ),
    Requirement("F-SURE-01", "Issue 5.6", "Confidence is a calibrated probability that can be recomputed by hand."),
    Requirement("F-SURE-02", "DESIGN 6", "Every context says how sure it is; an empty one is not sure at all."),
    Requirement("F-STRATEGY-01", "DESIGN 6", "`auto` picks a strategy by what the question is after."),
    Requirement("F-STRATEGY-02", "DESIGN 6", "Strategies bound items and tokens; a budget that was given holds."),
    Requirement("F-STRATEGY-03", "DESIGN 6", "`sigma` shows what SIGMA's injection would, from turns and shifts."),
    Requirement("F-STRATEGY-04", "DESIGN 6", "Under `sigma` a turn is shown by 500 characters, within the budget."),
    Requirement("F-ABLATE-01", "Issue 5.12", "`clew bench ablate` tells what recall loses without each signal."),
    Requirement("F-ABLATE-02", "Issue 5.12", "`clew bench curve` draws recall against tokens, the same each time."),
    Requirement("F-RANKING-22", "Issue 5.1", "Answers, named times and standing wishes count when they are asked for."),
    Requirement(
        "F-RANKING-30", "Issue 5.1", "A wish for always is an order or a liking; the nearest twelve bear on a request."
    ),
    Requirement("F-RANKING-23", "Issue 5.1", "Two people who are compared are asked about as one."),
    Requirement(
        "F-RANKING-29", "DESIGN 6", "Between people a turn counts by the best short window that holds it, too."
    ),
    Requirement(
        "F-RANKING-24", "Issue 5.1", "What a question says of the conversation itself is not looked up, and is told."
    ),
    Requirement(
        "F-RANKING-25",
        "DESIGN 6",
        "A search keeps no budget and counts no cost; `ranked` is the order of a recall.",
    ),
    Requirement(
        "F-HOP-01", "Issue 5.1", "Who is described by something else that was said is found by a second look-up."
    ),
    Requirement("F-HOP-02", "Issue 5.1", "The second look-up is bounded and exact, and a receipt names no word of it."),
    Requirement(
        "F-PLACE-01", "DESIGN 6", "Words like `three beats ago` and `before we chose Redis` are read, no others."
    ),
    Requirement("F-PLACE-02", "DESIGN 6", "What a question says was said is looked up: one turn, always the same."),
    Requirement("F-PLACE-03", "DESIGN 1.7", "Where a question's words point turns are raised, and none is kept out."),
    Requirement("F-PLACE-05", "DESIGN 5.3", "A state before something was said is told by the latest before that."),
    Requirement("F-PLACE-04", "DESIGN 1.5", "A receipt says where a question was understood to point."),
    Requirement("F-RANKING-21", "DESIGN 6", "Who is greeted by another name at least twice is found by it."),
)

# --- LABELS IN A RECALL ---
RECALL_LABELS = (
    Requirement(
        "F-LABEL-01",
        "DESIGN 6",
        "With a weight, turns get the share of the question's labels that they have, rare ones more, aliases as one.",
    ),
    Requirement(
        "F-LABEL-02", "DESIGN 1.4", "Of a turn that is not analysed labels say nothing; without a weight none."
    ),
    Requirement(
        "F-LABEL-03", "DESIGN 6", "What the prompt holds is left out, and labels of its last 4 turns are passed over."
    ),
    Requirement("F-LABEL-04", "DESIGN 1.9", "Labels say the same for any store, packing and order of the analysis."),
    Requirement(
        "F-DAMP-01", "DESIGN 6", "With a weight, what lies far from all that is relevant loses by that distance."
    ),
    Requirement("F-DAMP-02", "DESIGN 6", "With a weight, a turn loses by how likely any question shares its labels."),
    Requirement(
        "F-DAMP-03", "DESIGN 1.5", "Receipts show what was taken off under both fusions; a score is its parts' sum."
    ),
)

# --- TYPES ---
TYPES = (
    Requirement("F-TYPES-01", "DESIGN 4", "Text, parts or mappings are taken as content, and the plain text follows."),
    Requirement("F-TYPES-02", "DESIGN 4", "Times are kept in UTC; one without a zone is UTC; none is made up."),
    Requirement("F-TYPES-03", "Issue 2 bad input", "What a turn cannot be made of is refused, naming field and rule."),
    Requirement("F-TYPES-04", "DESIGN 4", "Whose words a turn holds follows from role and parts, or is said."),
    Requirement("F-TYPES-05", "DESIGN 4", "An id gives back session and place, and no two turns share one."),
    Requirement("F-TYPES-06", "DESIGN 3", "Every record survives its wire form; unknown is absent; newer keys pass."),
    Requirement("F-TYPES-07", "DESIGN 3", "A turn comes back from its row; equal turns are equal bytes."),
)

# --- CONFIG ---
CONFIG = (
    Requirement("F-CONFIG-01", "DESIGN 3", "Arguments win over CLEW_* over clew.toml over defaults."),
    Requirement("F-CONFIG-02", "DESIGN 10", "All settings that are unknown or out of range are named at once."),
    Requirement("F-CONFIG-03", "DESIGN 3", "Every setting can be given in the file, the environment and arguments."),
)

# --- RECALL ---
RECALL = (
    Requirement("F-RECALL-01", "RETRIEVAL 2", "How a text speaks is read in one pass: of itself, asking, stating."),
    Requirement("F-RECALL-03", "DESIGN 1.9", "The best come first, and a limit only cuts."),
    Requirement("F-RECALL-05", "DESIGN 6", "Words of asking and names in a question are whole words."),
    Requirement("F-RECALL-06", "DESIGN 1.7", "A filter lets through exactly what meets all of it."),
    Requirement("F-RECALL-07", "DESIGN 6", "Signals order and leave nothing out; what speaks for no turn finds none."),
    Requirement("F-RECALL-08", "DESIGN 1.10", "Injected text is stored and found by its id, and never recalled."),
    Requirement("F-RECALL-09", "DESIGN 5", "Text that no store can hold is found by asking for it as it was said."),
    Requirement("F-RECALL-10", "DESIGN 9", "Every store, packed or not, gives the same answers."),
    Requirement("F-RECALL-11", "DESIGN 1.3", "A model that is missing or fails leaves the question its words."),
    Requirement("F-RECALL-13", "DESIGN 1.9", "The same question at the same moment has the same answer and receipt."),
)

# --- QUERY ---
QUERY = (
    Requirement("F-QUERY-01", "DESIGN 6", "NOT binds before AND before OR; words are read in either case."),
    Requirement(
        "F-QUERY-02", "DESIGN 6", "A syntax error names the position, what stands there and what was expected."
    ),
    Requirement("F-QUERY-03", "DESIGN 6", "An expression finds what a filter over turns finds, on every store."),
    Requirement("F-QUERY-04", "DESIGN 1.4", "Of what nobody computed no comparison holds, nor its contrary."),
    Requirement("F-QUERY-05", "Issue 5.8", "Length, depth and number of conditions of an expression are bounded."),
    Requirement("F-QUERY-06", "DESIGN 6", "An expression restricts a recall or search, and stands in its receipt."),
    Requirement("F-QUERY-07", "Issue 3.6", "Forgetting takes an expression; a dry run shows what it holds for."),
    Requirement("F-QUERY-08", "DESIGN 6", "`as_of` is event time and moves the clock; `known_at` is ingestion time."),
    Requirement("F-QUERY-09", "DESIGN 1.1", "What is kept in mind of annotations is what is stored, after any change."),
    Requirement(
        "F-QUERY-10", "DESIGN 2", "A turn has its labels and its closed beat's; aliases and parts are read through."
    ),
    Requirement("F-QUERY-11", "DESIGN 5.2", "`overlay_threshold` decides which overlays are active in an expression."),
    Requirement("F-QUERY-12", "DESIGN 6", "The meet with a project lattice is refused as long as there is none."),
    Requirement("F-QUERY-13", "DESIGN 5", "An expression reads a turn's rows once, and of few turns those of the few."),
    Requirement(
        "F-QUERY-14", "DESIGN 10", "`clew query` lists what holds; commands take --where, --as-of and --known-at."
    ),
)

# --- PIPELINE ---
PIPELINE = (
    Requirement("F-PIPELINE-01", "DESIGN 4", "A single turn is new unless its id is known; sequences line up."),
    Requirement("F-PIPELINE-02", "DESIGN 4", "Stretches, batches and other writers change nothing of what is stored."),
    Requirement("F-PIPELINE-03", "Issue 2 bad input", "What cannot be taken is named; nothing else is lost by it."),
    Requirement(
        "F-PIPELINE-04", "DESIGN 5", "Progress follows what is durable; a source that breaks off loses nothing."
    ),
    Requirement("F-PIPELINE-05", "Issue 2 bad input", "Any text is stored, indexed, weighed, found and given back."),
    Requirement("F-PIPELINE-06", "DESIGN 5", "Secrets are masked before the first disk write, unless told otherwise."),
    Requirement("F-PIPELINE-07", "DESIGN 5", "Originals come back byte for byte, and are kept once."),
    Requirement("F-PIPELINE-08", "DESIGN 1.1", "What is derived without a model follows from the stored turn alone."),
    Requirement("F-PIPELINE-09", "DESIGN 9", "Of a forgotten turn nothing is left in any table, segment or file."),
    Requirement("F-PIPELINE-10", "DESIGN 10", "Forgetting takes what meets every condition; a dry run takes nothing."),
    Requirement(
        "F-PIPELINE-11", "DESIGN 9", "A forgotten turn stays out; the same words said anew, and all else, stay in."
    ),
    Requirement("F-PIPELINE-12", "Issue 2 c", "An export that is imported gives the same turns, ids and rankings."),
    Requirement("F-PIPELINE-13", "DESIGN 1.9", "What is checked, exported or looked up is one state of the space."),
    Requirement(
        "F-PIPELINE-14", "DESIGN 5", "The worker embeds what lacks a vector, whenever and by whomever it came."
    ),
    Requirement("F-PIPELINE-15", "DESIGN 1.3", "A turn that the model cannot do costs only itself."),
    Requirement("F-PIPELINE-16", "DESIGN 1.3", "A model that fails blocks nothing, and stats say so."),
    Requirement("F-PIPELINE-17", "DESIGN 9", "One worker at a time works in a space, and the next goes on after it."),
    Requirement(
        "F-PIPELINE-18", "DESIGN 1.5", "Receipts outlive the process; the newest are kept; none outlives forgetting."
    ),
    Requirement("F-PIPELINE-19", "DESIGN 5.4", "Whoever waits for the work waits for no turns that might yet come."),
    Requirement("F-PIPELINE-20", "DESIGN 8", "A memory can be closed although its database is gone meanwhile."),
)

# --- ODD ---
ODD = (
    Requirement("F-ODD-01", "Issue 5", "A question of any text, of 50,000 words or none, gets its answers or nothing."),
    Requirement("F-ODD-02", "Issue 5", "Where nothing fits, the block is empty and names what was left out."),
    Requirement("F-ODD-03", "Issue 5", "A question that cannot be meant is refused: what came, and what was expected."),
    Requirement("F-ODD-04", "Issue 5", "Filters that let no turn through, a time to come among them, get nothing."),
)

# --- FORM ---
FORM = (
    Requirement("F-FORM-01", "DESIGN 13", "What rules say of a turn is kept short, and read exactly as written."),
    Requirement(
        "F-FORM-02", "DESIGN 9", "A home of an older schema keeps what was said of its turns, and its receipts."
    ),
    Requirement("F-FORM-03", "DESIGN 13", "Receipts are kept compressed; those that are not are read as well."),
    Requirement("F-FORM-04", "DESIGN 13", "A beat and a tree's edge are kept short, and read exactly as they were."),
    Requirement("F-FORM-05", "DESIGN 13", "A spelling is kept as what it has more than its key, and read exactly."),
    Requirement("F-FORM-06", "DESIGN 13", "The domains of a node stand in its own row, and are found as labels."),
    Requirement("F-FORM-07", "DESIGN 13", "Columns hold little room that nothing fills, and grow in few steps."),
)

# --- MEMORY ---
MEMORY = (
    Requirement("F-MEMORY-01", "DESIGN 10", "A memory opens where it was told to; what cannot be opened is named."),
    Requirement("F-MEMORY-02", "DESIGN 10", "Every call refuses what it documents, and says what to do instead."),
    Requirement("F-MEMORY-03", "DESIGN 10", "A closed memory says so, and closing harms nobody who is at work."),
    Requirement("F-MEMORY-04", "DESIGN 10", "Stats count what there is."),
    Requirement("F-MEMORY-05", "Issue 2 b", "What another process stores is seen by the next call."),
    Requirement("F-MEMORY-06", "DESIGN 2", "Spaces of one home see nothing of each other."),
    Requirement("F-MEMORY-07", "DESIGN 1.9", "The clock gives every time that is stored."),
    Requirement("F-MEMORY-08", "DESIGN 3", "AsyncMemory is Memory, call by call, in a bounded number of threads."),
    Requirement("F-MEMORY-09", "DESIGN 13", "No acknowledged turn is lost when processes are killed."),
    Requirement("F-MEMORY-10", "DESIGN 13", "Many writing and reading processes lose nothing and see no error."),
    Requirement("F-MEMORY-11", "DESIGN 5", "What a killed process left undone is done by the next."),
    Requirement(
        "F-MEMORY-12", "DESIGN 13", "What is remembered between steps of the work behind is bounded and small."
    ),
)

# --- HOLDS ---
HOLDS = (
    Requirement("F-HOLD-01", "Issue Store 2", "A rebuild that was broken off goes on where it was, to the same bytes."),
    Requirement("F-HOLD-02", "Issue Store 2", "Turns that come or go during a rebuild are in its result, or are not."),
    Requirement(
        "F-HOLD-04", "Issue Store 2", "A merge takes vectors along; broken off, it goes on; nothing is there twice."
    ),
    Requirement(
        "F-HOLD-05", "Issue Store 3", "Killed in any operation, a home opens with every acknowledged turn, and goes on."
    ),
    Requirement(
        "F-HOLD-06", "Issue Store 9", "Background work goes on at once where a killed process of this machine left it."
    ),
    Requirement("F-HOLD-07", "Issue Store 5", "A scrub that cannot be done at once is told, noted, and done later."),
    Requirement(
        "F-HOLD-08", "DESIGN 9", "What is forgotten is proven gone: rows, index, receipts, answers, raw files."
    ),
    Requirement(
        "F-HOLD-09", "Issue Store 4", "A failing disk under any operation is told, and no acknowledged turn lost."
    ),
    Requirement("F-HOLD-10", "Issue Store 7", "A backup beside writers restores to a whole home."),
    Requirement("F-HOLD-11", "Issue Store 8", "A home that is moved or deleted while open acknowledges nothing more."),
    Requirement("F-HOLD-12", "DESIGN 5", "Turns that failed are kept with the reason, tried again, and put aside."),
    Requirement("F-HOLD-13", "Issue Store 8", "Who has a home open sees what a copy put there, whole or not at all."),
    Requirement("F-HOLD-14", "Issue Store 8", "A clock that is set back loses nothing and brings nothing back."),
    Requirement("F-HOLD-03", "Issue Store 2", "A rebuild says how far it has come."),
)

# --- STRUCTURE ---
STRUCTURE = (
    Requirement("W-STRUCT-01", "DESIGN 5.3", "A beat ends where the topic does, with vectors and without."),
    Requirement("W-STRUCT-02", "DESIGN 5.3", "Silence, 20 turns, a task done and a change of subject end beats."),
    Requirement("W-STRUCT-03", "DESIGN 5.3", "What words announce, who speaks, and whether the beat is mature count."),
    Requirement("W-STRUCT-04", "DESIGN 5", "A step is pure; its state is small, holds no text, and can be remade."),
    Requirement("W-STRUCT-05", "DESIGN 5", "Beats do not depend on portions, and each turn is in exactly one."),
    Requirement("W-STRUCT-06", "DESIGN 4", "A closed beat keeps weights, domains and links; short turns are joined."),
    Requirement("W-STRUCT-07", "DESIGN 5.3", "Chapters join neighbours that are alike, in a tree grown at its right."),
    Requirement("W-STRUCT-08", "HSCA 3", "Beats in order tell the state before, how domains moved, and the last n."),
    Requirement("W-STRUCT-09", "HSCA 8.3", "Sessions are merged by a stated policy: what is old fades."),
    Requirement("W-STRUCT-11", "DESIGN 5.3", "A beat whose subjects change slowly on the way closes as several."),
    Requirement("W-STRUCT-10", "DESIGN 13", "Beats are measured against labels made by hand, by Pk and WindowDiff."),
)

# --- HSCA ---
HSCA = (
    Requirement("W-HSCA-01", "HSCA 6", "Shapes, defaults, rounding and formulas are the document's, one by one."),
    Requirement("W-HSCA-02", "HSCA 6", "The engine takes any turn, and snapshots by the document's rule alone."),
    Requirement("W-HSCA-03", "HSCA 8.4", "Short chunks are weighed together, and are flat until that is possible."),
    Requirement("W-HSCA-04", "HSCA 5.1", "Sessions keep summaries and snapshots; records of older programs load."),
    Requirement("W-HSCA-05", "HSCA 5.2", "Dense snapshots ground claims; support is the weight of their chunks."),
)

# --- EVAL ---
EVAL = (
    Requirement("W-EVAL-01", "HSCA 7.1", "A thread of short turns, not a long aside, says what a beat is about."),
    Requirement("W-EVAL-02", "HSCA 7.2", "How well the list of beats shows a known movement of domains is measured."),
    Requirement("W-EVAL-03", "HSCA 7.3", "What is learned from use makes evaluation 1 better on other texts."),
    Requirement("W-EVAL-05", "HSCA 7.5", "Related concepts in two framings share the bridge domain."),
    Requirement("W-EVAL-06", "DESIGN 13", "The material is our own, labelled, and in two parts that share no text."),
    Requirement("W-EVAL-07", "DESIGN 13", "`clew eval hsca` prints both bars, and exits with 1 below the document's."),
    Requirement("W-EVAL-08", "DESIGN 13", "With vectors all five meet the document's bars, four of them our own too."),
)

# --- STAGE ---
STAGE = (
    Requirement(
        "W-TAG-01",
        "DESIGN 5.4",
        "A text's own phrases name what it is about, without a model; names and what is repeated come first.",
    ),
    Requirement("W-TAG-02", "DESIGN 5.4", "Plurals, cases and spellings of a tag's name are one tag."),
    Requirement(
        "W-STAGE-01",
        "DESIGN 5",
        "What is analysed does not depend on how the work is cut up, on when turns come, nor on who does it.",
    ),
    Requirement(
        "W-STAGE-02", "DESIGN 4", "Every analysed turn is in exactly one beat or in the open buffer of its line."
    ),
    Requirement(
        "W-STAGE-08", "DESIGN 5.3", "Chapters gather beats from the left, and the tree grows at its right edge only."
    ),
    Requirement("W-STAGE-03", "DESIGN 1.10", "What was injected is stored, and never analysed as a turn of its own."),
    Requirement(
        "W-STAGE-04",
        "DESIGN 5",
        "A turn waits for its vector, and a new embedder has everything analysed anew in a new epoch.",
    ),
    Requirement(
        "W-STAGE-05",
        "DESIGN 9",
        "Forgetting takes back what was made of the session, which is then analysed anew without the turn.",
    ),
    Requirement(
        "W-STAGE-09", "HSCA 5.3", "Recall puts turns of the beat that a caller points at first, and leaves nothing out."
    ),
    Requirement(
        "W-STAGE-11", "DESIGN 5.1", "Where there are vectors, prototypes made once have a say in the domains of a turn."
    ),
    Requirement(
        "W-STAGE-10", "HSCA 3", "A memory tells the state before a mention, how domains moved, and all sessions as one."
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
        "Words raise each of seven overlays from 0 to 10 and alone, under all names that the source has.",
    ),
    Requirement(
        "W-SIGMA-04",
        "SIGMA overlays",
        "High scores of recent turns are handed on, and a project lattice is one more source.",
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
        "W-SIGMA-07", "SIGMA TurnAnalysis", "A turn refers to the one it answers and to recent ones that it speaks of."
    ),
    Requirement("W-SIGMA-08", "DESIGN 1.4", "Any text is analysed, and what nobody computed is absent."),
    Requirement(
        "W-SIGMA-09", "DESIGN 3", "The page of sources names modules that exist, and names that stand in them."
    ),
    Requirement(
        "W-SIGMA-10", "DESIGN 5.2", "At most a tenth of turns is at either end of importance, and shifts are 2 to 15 %."
    ),
)

# --- ENCRYPTION ---
ENCRYPTION = (
    Requirement(
        "F-CRYPT-01", "DESIGN 9", "No file of an encrypted home or of its backups holds a word in plain, at any moment."
    ),
    Requirement("F-CRYPT-02", "Issue Store 6", "Settings name where the key is and never hold or show it."),
    Requirement("F-CRYPT-03", "Issue Store 6", "A home is encrypted, gets another key or is made plain in one step."),
    Requirement("F-CRYPT-04", "Issue Store 6", "An encrypted home keeps every promise of a plain one, kills included."),
    Requirement("F-CRYPT-05", "Issue Store 6", "Whoever asks is told whether a home is encrypted."),
    Requirement("F-CRYPT-06", "Issue Store 6", "A key that is missing, wrong or too many is told; nothing is touched."),
    Requirement("F-CRYPT-07", "Issue Store 6", "Copies and backups of an encrypted home are encrypted unless asked."),
)

# --- LLM ---
LLM = (
    Requirement(
        "W-LLM-01", "DESIGN 11", "Language models are asked through the vendors' SDKs, chosen by name or given."
    ),
    Requirement("W-LLM-02", "DESIGN 1.3", "Whatever a model's server does, it ends in an answer or one clear error."),
    Requirement("W-LLM-03", "DESIGN 10", "A key goes to the server it is meant for, and is neither stored nor shown."),
    Requirement("W-LLM-04", "DESIGN 5", "A JSON answer is what its schema says, or an error; repair is bounded."),
    Requirement("W-LLM-05", "DESIGN 1.9", "What a model answered is recorded, and never asked for again."),
    Requirement(
        "W-LLM-06", "DESIGN 3", "The day's budget is never passed, by any number of programs, or at any crash."
    ),
    Requirement(
        "W-LLM-07", "DESIGN 3", "The ledger says what was called, read, written and paid, and what was refused."
    ),
    Requirement(
        "W-LLM-08", "DESIGN 5", "Turns are asked about newest first; one that fails is put aside, and no other."
    ),
    Requirement(
        "W-LLM-09", "DESIGN 1.4", "A flag that no model told is absent; the model's words for it are its source."
    ),
    Requirement(
        "W-LLM-10", "DESIGN 1.10", "What a turn says cannot change what is asked, or what is taken for an answer."
    ),
    Requirement("W-LLM-11", "DESIGN 9", "Forgetting a turn takes along what models said of it."),
    Requirement("W-LLM-12", "DESIGN 1.3", "Nothing is asked unless a model is configured, and never before an answer."),
    Requirement("W-LLM-13", "DESIGN 12", "A small model on this machine is asked from end to end."),
    Requirement("W-LLM-14", "DESIGN 3", "A scripted model for tests says what it was told to say."),
)

# --- SPEED ---
SPEED = (
    Requirement("F-SPEED-01", "DESIGN 13", "An add takes eleven statements from begin to commit, twelve with an id."),
    Requirement(
        "F-SPEED-02", "DESIGN 13", "A session that comes in stretches goes where the whole would, and is read once."
    ),
    Requirement("F-SPEED-03", "DESIGN 13", "Turns that are held while they are gathered are bounded by characters."),
    Requirement("F-SPEED-04", "DESIGN 13", "A recall opens one snapshot, and reads each turn that may fit once."),
    Requirement("F-SPEED-05", "DESIGN 13", "A recall has each line, each heading and the block counted once."),
    Requirement("F-SPEED-06", "DESIGN 13", "Ranking holds few arrays of the size of the space at a time."),
    Requirement("F-SPEED-07", "DESIGN 13", "A recall looks each of its words up once in each segment."),
    Requirement(
        "F-SPEED-16", "DESIGN 13", "The question after an add makes of new turns alone what it keeps of single turns."
    ),
    Requirement("F-SPEED-08", "DESIGN 13", "An exchange of candidates lets go of none that it would take back."),
)

# --- TAGS ---
TAGS = (
    Requirement("W-TAG-03", "VC, tagging pipeline", "A turn has its own phrases and known labels, none invented."),
    Requirement("W-TAG-04", "VC, context bleed gate", "Tags of the last 4 turns stay until the subject changes."),
    Requirement("W-TAG-05", "DESIGN 5.4", "A label is created for the strongest or a recurring phrase of a beat."),
    Requirement("W-TAG-06", "DESIGN 5.4", "Forms, spellings and short forms become aliases of the first form seen."),
    Requirement("W-TAG-07", "DESIGN 5", "Tags and labels do not depend on how the work is cut up."),
    Requirement("W-TAG-08", "VC, tag splitting and aliases", "A broad label is split; its old name finds everything."),
    Requirement("W-TAG-09", "DESIGN 10", "Labels are listed with counts, and what one marks is found by any name."),
    Requirement("W-TAG-10", "DESIGN 9", "A name goes with its last source, everywhere; what a person marked stays."),
    Requirement("W-TAG-11", "VC, inbound embedding tagger", "With vectors, a label is found that is not named."),
    Requirement("W-TAG-12", "DESIGN 4", "Aliases never lead in a circle, whatever comes and goes in any order."),
    Requirement("W-TAG-13", "VC, LLM response tagger", "A model's names become labels; its failure costs nothing."),
)

# --- TUNE ---
TUNE = (
    Requirement("W-TUNE-01", "DESIGN 6", "Without feedback, or with too little of it, tuning moves nothing."),
    Requirement(
        "W-TUNE-02", "HSCA 4", "What was used moves window, nuance weights, beat threshold and weights of recall."
    ),
    Requirement("W-TUNE-03", "DESIGN 6", "A change is adopted only if significantly better on held-out history."),
    Requirement("W-TUNE-04", "DESIGN 6", "Tuned values stay within their bounds; the same history gives the same."),
    Requirement("W-TUNE-05", "DESIGN 6", "Every change is recorded with its reason and can be reverted."),
    Requirement("W-TUNE-06", "DESIGN 6", "What was marked used, quoted, echoed or restored after a recall is known."),
    Requirement("W-TUNE-07", "DESIGN 4", "Forgetting turns, or dropping a receipt, takes its feedback along."),
    Requirement("W-TUNE-08", "DESIGN 6", "Recall and analysis go by the adopted values; the user's own settings win."),
    Requirement("W-TUNE-09", "DESIGN 6", "Turns that refer back become silver questions, by rule."),
)

# --- INJECTION ---
INJECTION = (
    Requirement("F-SIGMA-01", "SIGMA, context injection", "Relevance, candidates, threshold, top 5 and snippets hold."),
    Requirement(
        "F-SIGMA-02", "SIGMA stages 2 and 3", "The view analyses a turn by the document's formulas as they are."
    ),
    Requirement("F-SIGMA-03", "SIGMA, context injection", "What is relevant stands before the message in its form."),
    Requirement(
        "F-SIGMA-04", "SIGMA stage 4", "The lattice joins references, neighbours and likenesses; it has a mode."
    ),
    Requirement("F-SIGMA-05", "SIGMA, data structures", "The shapes have the document's fields and survive the wire."),
)

# --- TIME ---
TIME = (
    Requirement("F-TIME-01", "DESIGN 6", "An English expression of time is a stretch of moments, or none."),
    Requirement("F-TIME-02", "DESIGN 6", "What lies behind an old conversation's end is counted from its last day."),
    Requirement("F-TIME-03", "DESIGN 1.9", "Every text is read as a time, and none ends before it starts."),
    Requirement("F-TIME-04", "DESIGN 10", "What is wanted of a time is given, or decided by the question's words."),
    Requirement("F-TIME-05", "Issue 5.7", "A time is given by moments or words; one that ends first is an error."),
    Requirement("F-TIME-06", "DESIGN 10", "A time is told by days, weeks, months or years, each in its turn."),
    Requirement("F-TIME-07", "Issue 5.7", "Each of the five modes tells its own of a time, without a model."),
    Requirement("F-TIME-08", "Issue 5.7", "A time without turns, or ahead, is an empty result."),
    Requirement("F-TIME-09", "DESIGN 1.6", "What is told of a time fits its budget and names stored turns alone."),
    Requirement("F-TIME-10", "Issue 5.7", "Recall brings first what was said in the time that a question names."),
    Requirement("F-TIME-11", "DESIGN 10", "`clew when` prints what was said in a time, and where it was counted from."),
    Requirement(
        "F-TIME-12", "DESIGN 1.5", "What was told of a time leaves a receipt, which the command and the tool name."
    ),
    Requirement(
        "F-TIME-13", "DESIGN 1.5", "Such a receipt is dropped, forgotten and held back by a pause as a recall's is."
    ),
)

# --- entity graph ---
GRAPH = (
    Requirement(
        "F-ENTITY-01", "DESIGN 8", "Names are found with their types, unique by spelling; dates are left alone."
    ),
    Requirement("F-ENTITY-02", "DESIGN 8", "Lower-case concepts are found by keyphrases, none within a name."),
    Requirement("F-ENTITY-03", "RETRIEVAL 4", "Forms of address and self-introductions are told apart from mentions."),
    Requirement("F-ENTITY-04", "DESIGN 1.9", "Extraction is total and bounded for any text, and keys are unique."),
    Requirement(
        "F-GRAPH-01", "DESIGN 6", "Activation spreads with decay .5, 3 iterations, .01, top 10, never above a seed."
    ),
    Requirement(
        "F-GRAPH-02", "DESIGN 8", "Entities are unique by name; a type conflict is resolved, in any order alike."
    ),
    Requirement("F-GRAPH-03", "DESIGN 8", "Aliases lead to their entity; the order of adding never shows."),
    Requirement(
        "F-GRAPH-04", "DESIGN 5", "What turns name is counted behind the acknowledgement, by a stage of its own."
    ),
    Requirement("F-GRAPH-10", "DESIGN 1.11", "Recall and the entity graph go by one rule for nicknames."),
    Requirement("F-GRAPH-05", "RETRIEVAL 4", "A name seen twice for the other one of two leads to who goes by it."),
    Requirement(
        "F-GRAPH-06", "DESIGN 9", "The graph is what the stored turns name: after forgetting, rebuild and copy."
    ),
    Requirement(
        "F-GRAPH-07", "DESIGN 5", "The n-th turn costs the graph what the first cost; a hub passes nothing on."
    ),
    Requirement("F-GRAPH-08", "DESIGN 10", "What is named is listed, and one of it told of with neighbours and turns."),
    Requirement("F-GRAPH-09", "DESIGN 6", "With a weight, energy of a question's entities reaches turns that name it."),
    Requirement(
        "F-TREE-01", "DESIGN 6", "Search down the tree is best first, .7 own and .3 inherited, and hides no leaf."
    ),
    Requirement("F-TREE-02", "HCE", "A semantic tree has bounded fan-out and is the same from its wire form."),
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
    Requirement("F-HCE-03", "HCE", "An update enters all three structures, and retrieval asks all three."),
    Requirement(
        "F-HCE-04", "DESIGN 10", "The prompt is block, buffer, query; the buffer is budgeted, nothing comes twice."
    ),
    Requirement("F-HCE-05", "DESIGN 10", "A wrapped chat is called once; its answer comes back even if memory fails."),
    Requirement("F-HCE-06", "HCE", "A pipeline that was saved is loaded again, and nothing is half loaded."),
    Requirement(
        "F-HCE-07", "DESIGN 10", "A memory's prompt is block, buffer, query, budgeted, and nothing comes twice."
    ),
    Requirement("F-HCE-08", "DESIGN 10", "A chat that a memory wraps is called once; its answer always comes back."),
)

# --- MCP ---
MCP = (
    Requirement("F-MCP-01", "Issue 5.13", "The schemas of all tools take less than 1,000 tokens."),
    Requirement("F-MCP-02", "DESIGN 1.10", "What a tool recalls is marked as quoted memory."),
    Requirement("F-MCP-03", "Issue 5.13", "A note is stored durably, as the assistant's words, and found again."),
    Requirement("F-MCP-04", "DESIGN 1.6", "Every answer of a tool is bounded, and says how to get more."),
    Requirement("F-MCP-05", "DESIGN 3", "A call that cannot be done is answered with what is expected."),
    Requirement("F-MCP-06", "DESIGN 10", "The space is chosen where the server starts, never by who calls."),
    Requirement("F-MCP-07", "DESIGN 11", "Without the SDK, the extra to install is named."),
    Requirement("F-MCP-08", "Issue 5.13", "`clew mcp` serves the tools to the official client over stdio."),
    Requirement("F-MCP-09", "DESIGN 9", "Two agents may share a home; one space shows nothing of another."),
    Requirement("F-MCP-10", "Issue 5.13", "Standard output holds the protocol alone, whatever is sent or logged."),
    Requirement("F-MCP-11", "DESIGN 1.2", "A client that disappears leaves what it stored, and no process."),
    Requirement("F-MCP-12", "Issue 5.13", "The entry goes into a program's settings; every other byte stays."),
    Requirement("F-MCP-13", "Issue 5.13", "Taking the entry back leaves the file as it was, to the last byte."),
    Requirement("F-MCP-14", "Issue 5.13", "Settings that cannot be read, or change meanwhile, are left alone."),
    Requirement("F-MCP-15", "Issue 5.13", "`clew install` writes only after asking, or prints what it would write."),
)

# --- PACK ---
PACK = (
    Requirement(
        "F-PACK-01", "DESIGN 6", "Packing is within 2 % of the exact optimum on small cases, never over the room."
    ),
    Requirement("F-PACK-02", "DESIGN 6", "What must be in a block goes before all else, as far as it fits."),
    Requirement(
        "F-PACK-03", "DESIGN 6", "A long turn that does not fit is shown by its best piece, salient words or title."
    ),
    Requirement("F-PACK-08", "DESIGN 6", "Of a long turn that does not fit, a passage is shown as long as the room."),
    Requirement("F-PACK-04", "DESIGN 1.5", "An item says how it is shown, and what brings the whole turn back."),
    Requirement(
        "F-PACK-05", "Issue 5.5", "Each rendering that is weighed is counted once, and few beyond those shown."
    ),
    Requirement(
        "F-PACK-06", "DESIGN 7", "A salient rendering keeps evidence found by rule, in order, and knows its coverage."
    ),
    Requirement(
        "F-PACK-07", "DESIGN 7", "Renderings are total, bounded and the same each time, for any text and script."
    ),
)

# --- PIN ---
PIN = (
    Requirement("F-PIN-01", "DESIGN 6", "A pinned turn is in every block that has room for it, whatever is asked."),
    Requirement("F-PIN-02", "Seed 004", "A rule by label or expression brings its best turns first, then the newest."),
    Requirement(
        "F-PIN-03", "DESIGN 1.7", "What the caller's filter leaves out, or the prompt has, no pin brings back."
    ),
    Requirement("F-PIN-04", "DESIGN 1.5", "A receipt names what had to be there and why, also where it had no room."),
    Requirement("F-PIN-05", "Issue 5.5", "A pin of nothing, of no memory or of a rule that cannot be read is refused."),
    Requirement("F-PIN-06", "DESIGN 1.1", "Pins survive rebuild and merge, go with their turn, and are verified."),
    Requirement(
        "F-PIN-07", "DESIGN 10", "`clew pin` sets, lists and takes back pins, and says what is wrong in a line."
    ),
)

# --- SUMMARY ---
SUMMARY = (
    Requirement(
        "F-SUMMARY-01", "DESIGN 13", "A question for a summary brings the assistant's turns like the person's."
    ),
    Requirement(
        "F-SUMMARY-03", "Issue 5 shows", "What the assistant said brings its turns; a summary brings openings first."
    ),
    Requirement(
        "F-SUMMARY-04", "Issue 5.1", "A question in which order things were said brings what the person opened with."
    ),
    Requirement(
        "F-SUMMARY-02", "DESIGN 6", "Asking politely (`can you list`) is not asking for what the assistant said."
    ),
)

# --- RECEIPT ---
RECEIPT = (
    Requirement("F-RECEIPT-01", "Issue 5.4", "A score by reciprocal ranks is recomputed by hand from a receipt."),
    Requirement(
        "F-RECEIPT-02", "Issue 5.9", "A receipt gives every item's rank by each ranking signal and after fusion."
    ),
    Requirement(
        "F-RECEIPT-03", "Issue 5.9", "A near miss gives rank, every signal, why it was left out, and how to get it."
    ),
    Requirement(
        "F-RECEIPT-04", "Issue 5.9", "Two receipts are compared: what entered, left or moved, and which signal did it."
    ),
    Requirement("F-RECEIPT-05", "DESIGN 9", "Neither a receipt nor a comparison holds words of turns."),
)

# --- named-entity models ---
NER = (
    Requirement("F-NER-01", "DESIGN 8", "A name that rules and a model both find is one entity, under one bound."),
    Requirement(
        "F-NER-02", "DESIGN 1.9", "What a model saw is recorded; the graph is counted from it, with or without a model."
    ),
    Requirement("F-NER-03", "DESIGN 4", "Another model goes through all turns anew; none takes back what was seen."),
    Requirement("F-NER-04", "DESIGN 1.3", "A model that is not there is told; one asked for by name is an error."),
    Requirement("F-NER-05", "DESIGN 1.3", "A model that fails leaves what rules name, says so, and is asked again."),
    Requirement("F-NER-06", "DESIGN 11", "Nothing of a named-entity library is loaded before the first text."),
    Requirement("F-NER-07", "DESIGN 4", "A pipeline of spaCy is named by its version, or by what its files hold."),
    Requirement("F-NER-08", "DESIGN 3", "Of programs with different models the one that came last goes on."),
)

REQUIREMENTS: tuple[Requirement, ...] = (
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
    *TYPES,
    *CONFIG,
    *RECALL,
    *RECALL_LABELS,
    *QUERY,
    *PIPELINE,
    *ODD,
    *FORM,
    *MEMORY,
    *HOLDS,
    *STRUCTURE,
    *HSCA,
    *EVAL,
    *SIGMA,
    *STAGE,
    *TAGS,
    *ENCRYPTION,
    *LLM,
    *SPEED,
    *TUNE,
    *GRAPH,
    *NER,
    *HCE,
    *INJECTION,
    *MCP,
    *TIME,
    *PACK,
    *PIN,
    *SUMMARY,
    *RECEIPT,
)
