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
    r"(?:is|are|was|were|do|does|did|would|should|could|wo|ca)n't (?:it|that|this|there(?! (?:an?|any|some|another|"
    r"more)\b)|every\w+|we all|life|adults|people)",
    r"(?:is|are)n't (?:he|she|they|you|we) (?:just|the|so|all|adorable|lovely|cute|sweet|beautiful|great|a)",
    r"don'?t (?:you|u|ya) (?:just )+(?:love|hate|wish)|isn't (?:she|he) "
    r"(?!home|here|there|back|in|out|ready|late|ill|\w+ing)\w+(?=\?)|shouldn't (?:we|they) (?:be|all|at least|"
    r"know better|have known|have learned)",
    r"can't (?:you|they|he|she|people) (?:see|just|ever)|(?:don't|won't) (?:you|they) ever",
    r"didn't (?:i|we) (?:tell|say|warn)|haven't (?:i|we)(?! met(?:\?| before| already| yet| somewhere| once| at| in)|"
    r" got (?:any|an?|some|enough)\b)|"
    r"haven't you heard(?=\?)|don't we deserve|didn't we (?:all |both )?(?:agree|promise|decide|swear|vow|settle|"
    r"learn)|aren't (?:you|we) (?:ashamed|tired of|"
    r"sick of|"
    r"forgetting)|wouldn't (?:you|anyone|anybody|we all) (?:want|do the same|have done)",
    r"(?:have|has|had)n't (?:you|he|she|they|it|this|that|there|every\w+|people) (?:\w+ ){0,4}?"
    r"(?:enough|already|always|learned|learnt)",
    r"(?:is|was) (?:it|that|this) not|(?:have|had) (?:i|we|he|she|they) not|(?:did|do|are|were) (?:i|"
    r"we) not(?! have\b)",
    r"who(?:'s| is) to say|who (?:cares|needs (?:enemies|sleep|luck|it|that|them|him|her|you|"
    r"\w+ (?:\w+ ){0,2}?(?:when|with|if|anyway))|"
    r"says (?:\w+ ){0,4}?(?:can't|cannot|isn't|aren't|don't|doesn't|won't|must|(?:has|have|"
    r"needs?) to)|am i(?: to\b| kidding|(?=\?))|are you to|would(?:'ve)? (?:have|ever|want|even|think|do|say|not|"
    r"believe|"
    r"dare|argue|dream|suspect|complain|object|refuse|guess)|knew(?=\?| (?:that )?(?:\w+ ){1,4}(?:could|would|can)\b)|"
    r"wouldn't (?!be able\b|mind\b)|doesn't (?:love|like|want|know|enjoy|need|hate|dream|remember|have (?:problems|"
    r"secrets|flaws|regrets|an? (?:past|dream|secret)))|hasn't (?:ever|at some|dreamt|dreamed|wished|wanted|"
    r"been there|made|felt|had an?|lied|lost|told an?)|among|"
    r"can (?:blame|resist|say)|could (?:blame|forget|resist|say|"
    r"have (?:known|guessed|thought|imagined|foreseen|predicted))|even|decided(?! (?:on|to|the|about|in|for)\b)|"
    r"asked (?:you|for (?:your|his|her|their|this|that))|the hell|"
    r"in their right)",
    r"who knows(?=[,?]| what| why| how| if| when| where)|who (?:are you (?:kidding|trying to)|do you think you are|"
    r"made you)",
    r"why (?:bother|on earth|in the world|the hell|the heck|even|would any\w*|should any\w+|"
    r"would (?:i|you|we) (?:ever|even|want|lie|bother|risk|waste|make (?:that|this|it) up)|"
    r"should (?:i|we) (?:care|bother|believe|trust|listen|pay|have to|suffer|wait|apologi[sz]e|help|be|feel|forgive|"
    r"obey|stay|let|always|even|ever)|must (?:i|we|you|he|she|they|it|this|every\w+|people|life|all)|me\b|"
    r"can't (?:people|they|we|you|"
    r"i|everyone|he|she) (?:just|all|ever|ever)|do people|"
    r"does no|"
    r"do (?:i|we|you|they) (?:even|always|bother|keep \w+ing|insist|never|have to)|does (?:every|it always|"
    r"this always|nobody|"
    rf"nothing)|is (?:it always|every\w+|nobody|no one|life|it so)|fix what|they always|{_PEOPLE} always|"
    rf"did it have to)",
    r"how (?:dare|hard (?:(?:can|could) (?:it|that|this) be|is it to (?:just|say|understand|be|close|put|send|pick|"
    r"call|write|read|wait|use your|follow|remember))|difficult (?:(?:can|could) (?:it|that|this) be|is it to (?:just|"
    r"say|understand|be|follow))|on earth|in the world|the hell|long must (?:i|we|this|they|people)|"
    r"many (?:more )?times (?:must|do (?:i|we) have to|have (?:i|we) (?:told|asked|said|warned|explained|heard|been)|"
    r"did i (?:tell|say|ask|warn)|will (?:you|they)|can (?:an?|i|we|you|one) )|many more (?:\w+ ){1,4}(?:must|before|"
    r"until|have to)|"
    r"could any\w*(?! (?:in|with|who|from|outside)\b)|"
    rf"could (?:i|you|we|they|he|she|people) {_UNTHINKABLE}|could (?:this|that|it) (?:happen|have|ever|possibly|not|"
    rf"go so)|can (?:any|people|they|you (?:not|say|be so|even|sleep|live|defend|believe)|one|he|she|we trust)|(?:is|"
    rf"are|was|"
    r"am) (?:this|that|"
    r"he|she|it|these|i|we|you|they|people) (?:\w+ )?(?:even|still|supposed|allowed|not|fair|real|legal)|"
    r"(?:cool|great|lovely|cute|sweet|amazing|crazy|awesome) (?:is|was) (?:that|this|it|he|she))",
    r"what(?:'s| is) (?:the (?:point(?! of contact)|use|harm|rush(?! hour)|worst|big deal|matter with)|not to|there to|"
    r"wrong with (?:"
    r"people|you|them|him|her|this)|(?:\w+ )?(?:an? |the )?\w+ (?:but|if not|without)|life)",
    r"what (?:could (?:possibly|go|an? \w+|any\w*|\w+ possibly)|on earth|the hell|the heck|in the world|"
    r"difference (?:does|"
    r"would|is)|use is|choice (?:do|did)|good (?:is|does|would|will|are|did)|more (?:(?:can|could|do) (?:i|we|they|"
    r"you (?:want|ask|expect|need)))|did (?:you|"
    r"they|i) expect(?=[?!,]|$| me\b| us\b| from (?:an?|him|her|them|me|us)\b)|"
    r"(?:have|has) (?:\w+ ){1,4}ever|"
    rf"(?:kind|sort) of (?:an? )?{_PERSON}(?! (?:tongue|is|was|are|were|am|do(?! you (?:take|think))|did|can|"
    rf"should)\b)|"
    r"gives|makes you (?:think|so)|(?:am|are|is) (?:i|we|he|she|one) (?:supposed|meant)|was (?:i|he|"
    r"she) thinking|"
    r"were (?:you|they) thinking|do i know|would i do without|else is new)",
    r"where(?:'s| is) (?:the (?:harm|fun|sense|justice|logic|fairness|love)|your (?:shame|sense|heart|conscience|"
    r"manners|pride|dignity|decency|compassion|humanity))|where would (?:we|i) be(?! able)",
    r"where (?:did it all|does it (?:all )?end|will it (?:all )?end|have all)|since when (?:do|does|did|is|are|"
    r"was|were|can)",
    r"if not (?:\w+ ?){1,3}, (?:then )?(?:who|when|what|where)(?= else|\W*\?)|have (?:you|they|"
    r"we) (?:no (?!\w+ (?:left|yet)\b)|lost (?:your|their|our|all) (?:mind|minds|senses|way|sense|temper)|"
    r"forgotten (?:how|who|what|that|already|everything)|learned nothing)|must (?:i|we|you|they|he|she|"
    r"everything) (?:always|really|keep|repeat|remind|explain|do everything|beg|suffer|endure|constantly|be so|spell)|"
    r"need i (?:say|remind|"
    r"go on|tell|explain|add|mention|ask)",
    r"do (?:i|we) (?:look like|really|honestly|(?:need|have) to (?:spell|remind|repeat|beg|draw|do everything|tell you|"
    r"say it|ask))|do you (?:really|honestly|seriously) (?:think|believe|expect)|do you think (?:i was born|"
    r"money grows|(?:i'?m|i am) (?:an? )?(?:stupid|idiot|"
    r"fool|made of))",
    r"did (?:i|anyone|anybody|you|we) (?:ask (?:you|for your)|really|seriously|stutter|even)(?! what| who| how| when|"
    r" where)",
    r"does (?:it|that|this|any\w+|no ?\w+|he|she) (?:really|even|seriously|honestly|actually matter|"
    r"matter(?! (?:which|what|if|whether|how|where|when)\b)|ever (?:stop|end|learn|listen|shut|sleep|rest|get tired|"
    r"change|smile)|look like)",
    r"(?:does|do|can) (?:any\w+|no ?\w+) (?:\w+ ){0,4}?(?:even|ever|really|honestly|know how to)|has (?:any\w+|"
    r"no ?\w+) (?:\w+ ){0,4}?(?:even|really|honestly)|does a bear|"
    r"is the pope|is (?:the sky blue|water wet)(?=\?)|(?:do|can) pigs fly|am i my brother's keeper",
    r"is it (?:just me|too much to (?:ask|expect|hope)|any wonder|really (?:so|that|too|worth)|that hard|so (?:hard|"
    r"much|difficult|bad))",
    r"(?:is|was) (?:that|this|it) (?:really (?:so|that|too|worth|what|how|all|necessary(?= \w*\?|\?))|even|some kind|"
    r"supposed to be (?:funny|a joke|an? (?:apology|excuse|compliment|answer|threat|surprise))|a joke|necessary|"
    r"all you)",
    r"is (?:this|that) what (?:i|you|we|they) (?:\w+ ){0,2}?(?:pay|paid|fought|voted|waited|died|call|deserve|came) |"
    r"would you believe (?:it|that)(?=\?)|do they think (?:i|we)\b|what (?:are friends for|does it matter)(?=\?)|"
    r"so what(?=\?)|can't (?:a (?:man|woman|girl|guy|person)|one) |will (?:it|this|that|they|he|she|(?:this|that|the|"
    r"my|your) \w+) (?:n?ever) (?:end|stop|learn|change)|have you ever seen such|would you (?:really |"
    r"honestly )?(?:trust|believe|hire|marry|want) (?:\w+ ){1,5}like (?:this|that|him|her|them)",
    r"what (?:is|has) the world com(?:ing|e) to|where (?:did|do|have) the (?:time|years|days|hours) gon?e?|"
    r"would it kill|"
    r"(?:can|could) (?:you|anyone|one) blame",
    r"is nothing|is any\w+ surprised|is there any\w* (?:better|worse|greater|wonder)(?! (?:way|option|alternative|"
    r"solution|method|tool|approach|place|name)\b)|is there a(?:n?y)? greater",
    r"are you (?:kidding|serious(?! about)|blind|deaf|insane|crazy|joking|out of your|mad|nuts|for real)|"
    r"are we (?:really|"
    r"seriously|supposed)",
    r"am i (?:the only (?:one|person)|supposed to (?:be|believe|care|just|laugh|feel|know|think|forget|apologi[sz]e)|"
    r"crazy|a joke|dreaming)|can you (?:believe|imagine)|have you ever (?:noticed|wondered)",
    r"can (?:we|people|they) (?:all |please )*stop|can (?:we|people|you|they) (?:all |please )*just (?:stop|agree|"
    r"admit|get along|not|be|talk|appreciate|all|let|leave)|(?:could|can) (?:it|this|that|things|today|"
    r"life) (?:be|get) any",
    r"when will (?:people|we|they|you) (?:ever|finally|learn|stop|understand|reali[sz]e|see|grow up|admit|wake up|"
    r"get it)|when (?:did|has) (?:\w+ ){1,3}ever|you (?:call|expect) (?:this|that|me)",
    r"you think (?:this|that|i|it's|they)|remember when|imagine (?:paying|being|thinking|having)|"
    r"you know (?:what(?=[?,]| would be| i (?:mean|think|want|like|love|hate)\b)|why(?=\?)|who(?=\?))",
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
