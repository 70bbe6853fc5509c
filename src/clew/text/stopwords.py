"""Words that say nothing about what a text is about.

STOPWORDS never become search terms, neither of a turn nor of a question. The list holds the question words and
auxiliaries ("what", "did", "when"): with one of 33 words that lacks them less evidence is found (docs/text.md). All
words are in the form in which terms are compared: case folded, without apostrophe.
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
"""Left out of every list of terms."""

REQUEST_WORDS = frozenset(
    """
    please mention mentioned conversation conversations discussion discussions discuss discussed summarize summarise
    across different tell give provide help show said say talked talk describe explain remind recall remember throughout
    """.split()
)
"""Words with which one asks an assistant for something: left out of questions, but kept in what is searched."""
