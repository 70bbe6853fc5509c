"""Words that say nothing about the subject of a text.

STOPWORDS never become search terms, in turns or in questions. The list includes question words and auxiliaries ("what",
"did", "when"): a list of 33 words without them finds less evidence (docs/text.md). All words are in the form in which
terms are compared: case folded, without apostrophes.
"""

_ARTICLES_AND_POINTERS = "a an the this that these those here there such same own other another"
_PRONOUNS = """
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves
"""
_BE_HAVE_DO = "be am is are was were been being have has had having do does did doing done"
_MODALS = "can could would shall should might must ought"  # without may and will: a month and a name
_QUESTION_WORDS = "what which who whom whose when where why how"
_LINKS = "and or but if then so because as than while though although unless until nor whether"
_PREPOSITIONS = """
    of to in on at by for from with without about into onto over under after before again against between through
    during up out off down via per
"""
_DEGREES = "not no very too just also only more most some any all both each few much many quite rather else ever"
_CONTRACTED = """
    s t d m ll re ve dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt cant couldnt wont wouldnt shant
    shouldnt mightnt mustnt neednt aint im ive youre youve youd hes shes theyre theyve theyd weve thats whats lets
"""

STOPWORDS = frozenset(
    " ".join(
        (
            _ARTICLES_AND_POINTERS,
            _PRONOUNS,
            _BE_HAVE_DO,
            _MODALS,
            _QUESTION_WORDS,
            _LINKS,
            _PREPOSITIONS,
            _DEGREES,
            _CONTRACTED,
        )
    ).split()
)
"""Words that are never search terms."""

REQUEST_WORDS = frozenset(
    """
    please mention mentioned conversation conversations discussion discussions discuss discussed summarize summarise
    across different tell give provide help show said say talked talk describe explain remind recall remember throughout
    """.split()
)
"""Words typical of requests to an assistant: removed from questions, but indexed in turns."""
