"""Patterns of rhetorical questions: how they begin and how their asker answers them. English, lower-case sentences."""

from typing import Final

from clew.analyze.phrases import one_of
from clew.text.late_pattern import late_pattern

_LEAD: Final = (
    r"(?:\W|(?:and|but|so|because|like|then|i mean|oh|well|seriously|honestly|i'm sorry but|bro|dude|ok|okay)\b)*"
)
_PEOPLE: Final = one_of(
    "people", r"every\w+", "men", "women", "they", "folks", "kids", "anyone", "anybody", "companies"
)
# What one could not have done or been: "how could you have forgotten", not "how could you have a backup".
_UNTHINKABLE: Final = one_of(
    r"have (?!an?\b|the\b|more\b|both\b)", "not", "ever", "possibly", "even", "just", "be (?:so|that|such)",
    r"do (?:this|that|it)(?= to\b|[?!,]|$)", "do such", "let", "forget", "forgive", "say (?:that|such|so|no)", "think",
    "leave", "lie", "fail", "betray", r"know(?! if| whether)", "allow", "refuse", "resist", "abandon", "treat", "hurt",
    "stand by", "bear", "believe", "miss (?:that|this|it|such)", "lose (?:that|this|it|such)",
)  # fmt: skip  # a list of words, not a column
_PERSON: Final = one_of(
    "person", "people", "idiot", "monster", "man", "woman", "parent", "world", "company", "fool", "animal", "mother",
    "father", "friend", "doctor", "teacher", "boss", "government", "husband", "wife", "son", "daughter", "brother",
    "sister", "god", "coward", "leader", "neighbou?r", "society", "human(?: being)?",
)  # fmt: skip  # a list of words, not a column
# How a question begins that wants no answer.
_RHETORICAL: Final = one_of(
    r"(?:is|are|was|were|do|does|did|would|should|could|wo|ca)n't (?:it|that|this|there|every\w+|we all|life|"
    r"adults|people)",
    r"(?:is|are)n't (?:he|she|they|you|we) (?:just|the|so|all|adorable|lovely|cute|sweet|beautiful|great|a)",
    r"don'?t (?:you|u|ya) (?:just )+(?:love|hate|wish)|isn't (?:she|he) "
    r"(?!home|here|there|back|in|out|ready|late|ill|\w+ing)\w+(?=\?)|shouldn't (?:we|they)",
    r"can't (?:you|they|he|she|people) (?:see|just|ever)|(?:don't|won't) (?:you|they) ever",
    r"didn't (?:i|we) (?:tell|say|warn)|haven't (?:i|we)(?! met\b| got (?:any|an?|some|enough)\b)|"
    r"didn't we (?:all |both )?(?:agree|promise|decide|swear|vow|settle|learn)|aren't (?:you|we) (?:ashamed|tired of|"
    r"sick of|"
    r"forgetting)|wouldn't (?:you|anyone|anybody|we all) (?:want|do the same|have done)",
    r"(?:have|has|had)n't (?:you|he|she|they|it|this|that|there|every\w+|people) (?:\w+ ){0,4}?"
    r"(?:enough|already|always|learned|learnt)",
    r"(?:is|was) (?:it|that|this) not|(?:have|had|did|do|does|are|were) (?:i|we|he|she|they) not",
    r"who (?:cares|needs|says (?:\w+ ){0,4}?(?:can't|cannot|isn't|aren't|don't|doesn't|won't|must|(?:has|have|"
    r"needs?) to)|am i|are you to|would(?:'ve)? (?:have|ever|want|even|think|do|say|not)|wouldn't|doesn't|"
    r"hasn't|among|"
    r"can (?:blame|resist|say)|could (?:blame|forget|resist|say|"
    r"have (?:known|guessed|thought|imagined|foreseen|predicted))|even|decided|asked (?:you|for)|the hell|"
    r"in their right)",
    r"who knows(?=[,?]| what| why| how| if| when| where)|who (?:are you|do you think you are|made you)",
    r"why (?:bother|on earth|in the world|the hell|the heck|even|would any\w*|should any\w+|"
    r"would (?:i|you|we) (?:ever|even|want|lie|bother|risk|waste|make (?:that|this|it) up)|"
    r"should (?:i|we)|must|me\b|can't (?:people|they|we|you|i|everyone|he|she) (?:just|all|ever|ever)|do people|"
    r"does no|"
    r"do (?:i|we|you|they) (?:even|always|bother|keep|insist|never|have to)|does (?:every|it always|this always|nobody|"
    rf"nothing)|is (?:it always|every\w+|nobody|no one|life|it so)|fix what|they always|{_PEOPLE} always|"
    rf"did it have to)",
    r"how (?:dare|hard (?:can|could|is it to)|difficult (?:can|is it to)|on earth|in the world|the hell|long must|"
    r"many (?:more )?times|many more (?:\w+ ){1,4}(?:must|before|until|have to)|could any\w*|"
    rf"could (?:i|you|we|they|he|she|people) {_UNTHINKABLE}|could (?:this|that|it) (?:happen|have|ever|possibly|not|"
    rf"go so)|can (?:any|people|they|you (?:not|say|be so|even)|one|he|she|we trust)|(?:is|are|was|"
    r"am) (?:this|that|"
    r"he|she|it|these|i|we|you|they|people) (?:\w+ )?(?:even|still|supposed|allowed|not|fair|real|legal)|"
    r"(?:cool|great|lovely|cute|sweet|amazing|crazy|awesome) (?:is|was) (?:that|this|it|he|she))",
    r"what(?:'s| is) (?:the (?:point(?! of contact)|use|harm|rush|worst|big deal|matter with)|not to|there to|"
    r"wrong with (?:"
    r"people|you|them|him|her|this)|(?:\w+ )?(?:an? |the )?\w+ (?:but|if not|without)|life)",
    r"what (?:could (?:possibly|go|an? \w+|any\w*|\w+ possibly)|on earth|the hell|the heck|in the world|"
    r"difference (?:does|"
    r"would|is)|use is|choice (?:do|did)|good (?:is|does|would|will|are|did)|more (?:can|could|do)|did (?:you|"
    r"they|i) expect(?=[?!,]|$| me\b| us\b| from (?:an?|him|her|them|me|us)\b)|"
    r"(?:have|has) (?:\w+ ){1,4}ever|"
    rf"(?:kind|sort) of (?:an? )?{_PERSON}(?! (?:tongue|is|was|are|were|am|do|did|can|should)\b)|"
    r"gives|makes you (?:think|so)|(?:am|are|is) (?:i|we|he|she|one) (?:supposed|meant)|was (?:i|he|"
    r"she) thinking|"
    r"were (?:you|they) thinking|do i know|would i do without|else is new)",
    r"where(?:'s| is) (?:the (?:harm|fun|sense|justice|logic|fairness|love)|your)|where would (?:we|i) be",
    r"where (?:did it all|does it (?:all )?end|will it (?:all )?end|have all)|since when (?:do|does|did|is|are|"
    r"was|were|can)",
    r"if not (?:now|us|you|me|him|her|them|here|today)|have (?:you|they|we) (?:no|lost|forgotten|learned)|must (?:i|"
    r"we|you always|everything)|need i",
    r"do (?:i|we) (?:look|really|honestly|need to|have to)|do you (?:really|honestly|seriously) (?:think|believe|"
    r"expect|want)|do you think (?:i was born|money grows|(?:i'?m|i am) (?:an? )?(?:stupid|idiot|"
    r"fool|made of))",
    r"did (?:i|anyone|anybody|you|we) (?:ask|really|seriously|stutter|even)(?! what| who| how| when| where)",
    r"does (?:it|that|this|any\w+|no ?\w+|he|she) (?:really|even|seriously|honestly|actually matter|matter|ever|"
    r"look like)",
    r"(?:does|do|has|can) (?:any\w+|no ?\w+) (?:\w+ ){0,4}?(?:even|ever|really|honestly|know how to)|does a bear|"
    r"is the pope|is (?:the sky blue|water wet)(?=\?)|(?:do|can) pigs fly|am i my brother's keeper",
    r"is it (?:just me|too much|any wonder|really (?:so|that|too|worth)|that hard|so (?:hard|much|difficult|bad))",
    r"(?:is|was) (?:that|this|it) (?:really|even|some kind|supposed to be|a joke|necessary|all you)",
    r"is (?:this|that) what (?:i|you|we|they) (?:\w+ ){0,2}?(?:pay|paid|fought|voted|waited|died|call|deserve|came) |"
    r"would you (?:really |honestly )?(?:trust|believe|hire|marry|want) (?:\w+ ){1,5}like (?:this|that|him|her|them)",
    r"is nothing|is any\w+ surprised|is there any\w* (?:better|worse|greater|wonder)|is there a(?:n?y)? greater",
    r"are you (?:kidding|serious|blind|deaf|insane|crazy|joking|out of your|mad|nuts|for real)|are we (?:really|"
    r"seriously|supposed)",
    r"am i (?:the only|supposed|crazy|a joke|dreaming)|can you (?:believe|imagine)|have you ever (?:noticed|wondered)",
    r"can (?:we|people|you|they) (?:all |please )*(?:just|stop)|(?:could|can) (?:it|this|that|things|today|"
    r"life) (?:be|get) any",
    r"when will (?:people|we|they|you)|when (?:did|has) (?:\w+ ){1,3}ever|you (?:call|expect) (?:this|that|me)",
    r"you think (?:this|that|i|it's|they)|remember when|imagine (?:paying|being|thinking|having)|"
    r"you know (?:what|why|who)",
)  # fmt: skip  # a list of words, not a column
# A question of that kind, by itself or after a clause ("if all is fated, what use is it to choose?").
RHETORICAL: Final = late_pattern(
    rf"{_LEAD}(?:{_RHETORICAL}\b|[^?]{{3,90}}?(?:, |\bbut |\band |\bthen |: |- )(?:{_RHETORICAL})\b)"
)
# The same without a question mark, as people chat; only what is hardly ever asked.
UNMARKED: Final = late_pattern(
    _LEAD
    + one_of(
        r"how (?:am i|are we|are you|are people) (?:even )?supposed to", r"who (?:even )?(?:decided|cares|asked)\b",
        r"why (?:is|are|does|do) (?:every\w+|no ?(?:one|body|thing)|people|men|they always|i (?:even|always))\b",
        r"how is (?:this|that|he|she|it|\w+) (?:\w+ ){0,2}(?:even|real|legal|allowed|still)\b",
        r"what (?:is|the hell is|even is) wrong with (?:people|you|them|this)", r"what even is\b", r"am i the only\b",
        r"(?:does|do|can) any(?:one|body) (?:\w+ ){0,5}(?:even|ever|know how to|actually)\b", r"are you "
        r"(?:kidding|serious)\b",
        r"is it just me\b", r"don'?t (?:you|u|ya|yall) just (?:love|hate)",
    )
)  # fmt: skip  # a list of words, not a column
# How the asker of a rhetorical question answers it in the next sentence.
OWN_ANSWER: Final = late_pattern(
    r"[\s\"”]*"
    + one_of(
        "because", "of course", "nothing", "nobody", "no one", "never", "everything", "everyone", "exactly",
        "certainly", "me neither", "absolutely", "very", "hardly", "obviously", "not (?:me|much|really|a |the |one)",
        r"no[.,!]? that's", "simple", r"easy[.:]",
    )
    + r"\b"
)  # fmt: skip  # a list of words, not a column
# A question without a verb, answered by its asker: "The result? Two weeks of work."
TITLE_QUESTION: Final = late_pattern(r"(?:and |but |so )?(?:the|my|our|his|her|their) (?:\w+ ){0,3}\w+\?")
