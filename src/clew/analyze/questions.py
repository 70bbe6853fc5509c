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
# Deeds of which one may ask in earnest whether they are done: "haven't we already set the limit?". Whether enough was
# done, or how often, is asked for effect.
_DONE: Final = (
    r"(?: already| also| just| once)? (?:(?<=already )(?!told|said|asked|explained|been|suffered|heard|warned|apologi|"
    r"given|had|lost|done)\w+|set|added|fixed|merged|deployed|installed|tested|updated|checked|sent|ordered|"
    r"booked|changed|moved|renamed|removed|deleted|created|configured|pushed|committed|implemented|defined|released|"
    r"cleaned|saved|closed|opened|enabled|disabled|migrated|upgraded|replaced|registered|scheduled|signed|submitted|"
    r"published|documented|written|built|run|paid the|bought|handled|covered|used (?:this|that|the|it))\b"
    r"(?![^?]*\b(?:enough|times|before|every (?:day|year|time))\b)"
)
# What one could have done about a fault is asked after it: "how could we have caught this in the tests?".
_REVIEWED: Final = (
    r"have (?:caught|noticed|avoided|prevented|detected|tested|spotted|found out|(?:known|seen|told|guessed|"
    r"noticed) (?:which|"
    r"whether|if|where|how (?:many|much|long)))\b"
)
# What one is not able to do as things are: "how am I supposed to sleep", not "how am I supposed to call this function".
_UNABLE: Final = (
    r"supposed to (?:know|sleep|live|feel|trust|believe|forgive|forget|concentrate|focus|breathe|survive|afford|relax|"
    r"cope|compete|be|just|ever|even|eat|think|react|guess|remember|choose|pay|keep up|get (?:any|anything|through|"
    r"over|by)|work (?:with|like|under|in)|do (?:that|this|anything|everything|my|it all)|live|stay|love|help(?=\?)|"
    r"make (?:sense|ends|me)|look|smile|explain|tell (?:my|her|him|them)|raise|read (?:this|that)|understand|enjoy)\b"
)
# What a thing does that is asked to make somebody feel it: "doesn't that bother you?", not "doesn't that break it?".
_STRIKES: Final = (
    r"(?: all| just| kind of| sort of| even| really| ever)*(?=\W*\?| (?:just|all|ever|make|look|feel|sound|seem|smell|"
    r"taste|strike|bother|hurt|worry|scare|frighten|matter|count|bore|shame|ring|tell|say|prove|show|deserve|drive|"
    r"defeat|beat|suck|amaze|surprise|speak|warm|break (?:your|my|the) heart|get (?:old|on|to|under|any)|anger|"
    r"disgust|sadden|sum|mean (?:anything|something|nothing|we|that (?:we|you|they))|remind|help to|give|go without|"
    r"take (?:courage|guts|the)|bring|occur|trouble|please|thrill|kill)\b)"
)
_PLEASING: Final = (
    r"be (?:just |so |really |much )?(?:nice|great|lovely|wonderful|fun|funny|something|amazing|awesome|cool|sweet|"
    r"perfect|grand|boring|heaven|paradise|ironic|sad|terrible|awful|a \w+|an \w+|"
    r"(?:easier|simpler|better|faster|quicker|cheaper|more \w+)(?! (?:to|for|with|in|on|as)\b))"
)
# What is asked of a fact, not said of it at once: "isn't this file generated", "isn't that the old address",
# where "isn't it obvious" wants no answer.
_OF_FACT: Final = (
    r"(?: what (?:the|our|an?) | (?:in|on|at|under|from) (?:the|our|my|another) | (?:cheaper|faster|easier|simpler|"
    r"quicker|safer|shorter|more \w+) to| \w+ who\b| "
    r"(?!amazing|interesting|boring|annoying|exciting|charming|disgusting|frustrating|fascinating|astonishing|"
    r"surprising|"
    r"embarrassing|shocking|sickening|tiring|touching|depressing|disappointing|refreshing|stunning|breathtaking|"
    r"thrilling|"
    r"heartbreaking|infuriating|exhausting|terrifying|puzzling|asking|nothing|everything|something)\w+ing (?!how|that|"
    r"when|"
    r"what|to)| the (?!whole\b|point\b|truth\b|\w+est\b|beauty\b|irony\b|way\b|question\b|problem\b|story\b|dream\b|"
    r"reason\b|job\b|very\b|most\b)| going to| supposed to| meant to| because\b| (?:\w+ ){0,2}(?:already |also |only |"
    r"still )?"
    r"(?!wicked\b|twisted\b|wretched\b|blessed\b|sacred\b|messed\b|need\b|indeed\b|red\b)\w{3,}ed\b)"
)
# What one asks people to do at last: "can't you just listen", not "can't you just use the default port".
_JUST: Final = (
    r"just (?:leave (?:me|us|him|her|them|people)|let (?:me (?!know)|us|him|her|them|people|it go)|be|stop(?! (?:the|"
    r"it|"
    r"this)\b)|shut|listen|admit|accept|say (?:it|so|yes|no|sorry)|tell (?:me|us|him|her) the truth|not|talk|agree|all|"
    r"get along|appreciate|forget|grow|go away|act|behave|do (?:as|what|your|it(?=\W*\?))|try|enjoy|once|ever)\b"
)
# How a question begins that wants no answer.
_RHETORICAL: Final = one_of(
    r"(?:is|are|was|were|do|does|did|would|should|could|wo|ca|has)n't (?:there(?! (?:still |already |also |"
    r"usually )?(?:an?|any|"
    r"some|another|more)\b)|every\w+|we all|life|adults|people)",
    rf"(?:is|are|was|were)n't (?:it|that|this)(?!{_OF_FACT})",
    rf"(?:do|does|did)n't (?:it|that|this){_STRIKES}",
    rf"(?:would|should|could|wo|ca)n't (?:it|that|this)(?:(?=\W*\?)| (?:wait|have been an?|ever|just|mean|all)\b)|"
    rf"(?:would|should|wo)n't (?:it|that|this) (?:{_PLEASING})\b|shouldn't \w+ be enough|doesn't "
    r"any(?:one|body) (?:care|listen|see|think|ever|even|read|remember)",
    r"(?:is|are)n't (?:he|she|they|you|we) (?:just|the|so|all|adorable|lovely|cute|sweet|beautiful|great|a)",
    r"don'?t (?:you|u|ya) (?:just )+(?:love|hate|wish)|isn't (?:she|he) "
    r"(?!home|here|there|back|in|out|ready|late|ill|\w+ing)\w+(?=\?)|shouldn't (?:we|they) (?:be(?! (?:on|in|at|using|"
    r"running|able to)\b)|all|at least|"
    r"know better|have known|have learned)",
    rf"can't (?:you|they|he|she|people) (?:see|{_JUST}|ever)|"
    r"(?:don't|won't) (?:you|they) ever",
    r"didn't (?:i|we) (?:tell|say(?! (?:\w+day|noon|midnight|\d+|one|two|"
    r"three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b)|warn)|haven't (?:i|we)(?!"
    rf"{_DONE})(?! met(?:\?| before| already| yet| somewhere| once| at| in)|"
    r" got (?:any|an?|some|enough)\b)|"
    r"haven't you heard(?=\?)|don't we deserve|didn't we (?:all |both )?(?:agree(?! on\b)|promise|decide(?! on\b)|"
    r"swear|vow|settle(?! on\b)|"
    r"learn)|aren't (?:you|we) (?:ashamed|tired of|"
    r"sick of|"
    r"forgetting)|wouldn't (?:you|anyone|anybody|we all) (?:want|do the same|have done)",
    r"(?:have|has|had)n't (?:you|he|she|they|it|this|that|there|every\w+|people) (?:\w+ ){0,4}?"
    r"(?:enough|already|always|learned|learnt)",
    r"(?:is|was) (?:it|that|this) not|(?:have|had) (?:i|we|he|she|they) not|(?:did|do|are|were) (?:i|"
    r"we) not(?! have\b)",
    r"who could (?:ask|wish|hope|want) for (?:more|better|anything)|how can an? (?:man|woman|person|soul) be "
    r"\w+ (?:who|that|if|with god)\b|"
    r"who(?:'s| is) to say|who (?:cares(?! for (?:the|our|my|his|her)\b)|needs (?:enemies|sleep|luck|it|that|them|him|"
    r"her|you|"
    r"\w+ (?:\w+ ){0,2}?(?:when|with|if|anyway))|"
    r"says (?:\w+ ){0,4}?(?:can't|cannot|isn't|aren't|don't|doesn't|won't|must|(?:has|have|"
    r"needs?) to)|am i(?: to\b| kidding|(?=\?))|are you to|would(?:'ve)? (?:have(?! (?:the|an?|access|time)\b)|ever|"
    r"want|even|think|do|say|not|"
    r"believe|"
    r"dare|argue|dream|suspect|complain|object|refuse|guess)|knew(?=\?| (?:that )?(?:\w+ ){1,4}(?:could|would|can)\b)|"
    r"wouldn't (?!be able\b|mind\b)|doesn't (?:love|like|want|know|enjoy|need|hate|dream|remember|have (?:problems|"
    r"secrets|flaws|regrets|an? (?:past|dream|secret)))|hasn't (?:ever|at some|dreamt|dreamed|wished|wanted|"
    r"been there|made|felt|had an?|lied|lost|told an?)|among|"
    r"can (?:blame|resist|say)|could (?:blame|forget|resist|say|"
    r"have (?:known|guessed|thought|imagined|foreseen|predicted|seen (?:it|this|that) coming))|even|decided(?! (?:on|"
    r"to|the|about|in|for)\b)|"
    r"asked (?:you|for (?:your|his|her|their|this|that))|the hell|"
    r"in their right)",
    r"who knows(?=[,?]| what| why| how| if| when| where)|who (?:are you (?:kidding|trying to)|do you think you are|"
    r"made you)",
    r"why (?:bother|on earth|in the world|the hell|the heck|even|would any(?:one|body)|should any\w+|"
    r"would (?:i|you|we) (?:ever|even|want(?! an?\b)|lie|bother|risk|waste|make (?:that|this|it) up)|"
    r"should (?:i|we) (?:care|bother|believe|trust|listen|pay|have to|suffer|wait|apologi[sz]e|help|be|feel|forgive|"
    r"obey|stay|let|always|even|ever)|must (?:i|we|you|he|she|they|it|this|every\w+|people|life|all)|me\b|"
    rf"can't (?:people|they|we|you|i|every\w+|any\w+|he|she) (?:{_JUST}|all|ever)|do people|"
    r"does no|"
    r"do (?:i|we|you|they) (?:even|always|bother|keep (?!getting|"
    r"seeing|having|hitting|losing|running into)\w+ing|insist|never|have to (?:do everything|always|put up|suffer|"
    r"explain|repeat|beg|be the|listen|tell you|clean up after|deal with|pay for))|does (?:every|every\w+ (?:have to|"
    r"always|hate)|(?:it|this) always"
    r"(?= (?:happen|have to|rain|end|go wrong|come down|take|feel|seem)\b|\W*\?)|nobody(?! else)|nothing(?! happen))|"
    r"is (?:it always|(?:every\w+|nobody|no one)(?! (?:in|on|under|from|inside|within|\w+ed (?:to|in|on|for))"
    rf"\b(?![^?]* so\b))|life|it so)|fix what|they always|{_PEOPLE} always|"
    rf"did it have to(?! be \w+ed\b))",
    r"how (?:dare|much longer (?:must (?:i|we|they|this|people)|will (?:they|you) keep)|often does one|hard (?:(?:can|"
    r"could) (?:it|that|"
    r"this) be|is it to (?:just|say|understand|be|close|put|send|pick|"
    r"call|write|read|wait|use your|follow|remember))|difficult (?:(?:can|could) (?:it|that|this) be|is it to (?:just|"
    r"say|understand|be|follow))|on earth|in the world|the hell|long must (?:i|we|this|they|people)"
    r"(?![^?]*\b(?:before|until) (?:i|we|you|it) (?:can|may|is|are)\b)|"
    r"many (?:more )?times must (?:i|we|you|he|she|they|this|people|it)|many (?:more )?times (?:do (?:i|"
    r"we) have to (?:tell|say|ask|warn|explain|repeat|apologi[sz]e|remind|"
    r"go through|beg|hear|do this|put up|watch|fail)|have (?:i|we) (?:told|asked|said|warned|explained|heard|been)|"
    r"did i (?:tell|say|ask|warn)|will (?:you|they)|can (?:an?|i|we|you|one) (?![^?]*\b(?:per|before|until|retry|"
    r"be \w+ed)\b))|many more (?:\w+ ){1,4}(?:must|before|"
    r"until|have to)|"
    r"could any\w*(?! (?:in|with|who|from|outside)\b)|"
    rf"could (?:i|you|we|they|he|she|people) (?!{_REVIEWED}){_UNTHINKABLE}|could (?:this|that|it) (?:happen|have|ever|"
    rf"possibly|not|"
    rf"go so)|can (?:any|people|you (?:not|say|be so|even|sleep|live|defend|believe)|one|we trust|"
    rf"(?:they|he|she)(?! (?:be \w+ed|apply|log|get|use|access|reach|connect|sign|find|see|change|reset|join|apply|"
    rf"install|open|"
    rf"run)\b))|"
    r"(?:is|"
    rf"are|was|"
    r"am) (?:this|that|"
    r"he|she|it|these|i|we|you|they|people) (?:\w+ )?(?:even|still|allowed|not|fair|real|legal|"
    rf"{_UNABLE})|"
    r"\w+ do (?:you|they) think (?:i am|we are|i'm|we're)|"
    r"(?:cool|great|lovely|cute|sweet|amazing|crazy|awesome) (?:is|was) (?:that|this|it|he|she))",
    r"what(?:'s| is) (?:the (?:point(?! of contact| where\b| at which\b)(?! of (?:the|your|our|"
    r"its) (?:\S+ ){0,3}\S+\?)|use(?! cases?\b| of (?:the|your|our|its) (?:\S+ ){0,3}\S+\?)|harm|rush(?! hour)|"
    r"worst(?! ?-?case\b)(?= (?:that|thing)\b|\W*\?)|big deal|matter with (?:you|people|them|him|her|kids|"
    r"everyone))|not to|there to|"
    r"wrong with (?:"
    r"people|you|them|him|her|this (?:world|country|town|family|generation|guy|man|woman|place))|(?:\w+ )?(?:an? |"
    r"the )?"
    r"\w+ (?:but|if not)|(?:an? )?(?!the\b)\w+ without|life)",
    r"what (?:could (?:possibly(?! (?:cause|explain|trigger|block|slow|return|produce)\b)|go(?= wrong(?:,[^?]*)?\?)|"
    r"an? (?:\w+ )?\w+ (?:know|possibly|ever|hope|want)|any\w*|"
    r"\w+ possibly)|on earth|the hell|the heck|in the world|"
    r"difference (?:does|would|will|did) (?:it|that|this|any\w*|one \w+)|could be (?:\w+er|more \w+) than|"
    r"use is(?! (?:the|this)\b)|"
    r"choice (?:do|did)|good (?:is|does|would|will|are|did)(?! (?:the|our) (?![^?]*\b(?:if|when|now)\b))|"
    r"more (?:(?:can|could|do) (?:i|we|they|"
    r"you (?:want|ask|expect|need(?! from)(?! to))))|did (?:you|"
    r"they|i) expect(?=[?!,]|$| me\b| us\b| from (?:an?|him|her|them|me|us)\b)|"
    r"(?:have|has) (?:\w+ ){1,4}ever|"
    rf"(?:kind|sort) of (?:an? )?{_PERSON}(?! (?:visit|live|work|use|buy|come|go|apply|attend|join|play|tongue|is|was|"
    rf"are|were|am|do(?! you (?:take|think))|did|can|"
    rf"should)\b)|"
    r"gives|makes you (?:think|so)|(?:am|are|is|was|were) (?:i|we|he|she|one) (?:supposed|meant) to (?:say|think|feel|"
    r"tell|"
    r"believe|make of|live|expect|do(?=\W*\?| now| then| about| with (?:that|him|her|them|you|all)))\b|was (?:i|he|"
    r"she) thinking|"
    r"were (?:you|they) thinking|do i know(?=\W*\?| about (?:love|life|it)\b)|would i do without|else is new)",
    r"where(?:'s| is) (?:the (?:harm|fun|sense|justice|logic|fairness|love)|your (?:shame|sense|heart|conscience|"
    r"manners|pride|dignity|decency|compassion|humanity))|where would (?:we|i) be(?! (?:able|charged|redirected|"
    r"\w+ing)\b)",
    r"where (?:did it all|does it (?:all )?end|will it (?:all )?end|ha(?:ve|s) all)|since when (?:do|does|did|is|are|"
    r"was|were|can)(?! (?:you|we|they|he|she|it) \w+ing\b)",
    r"if not (?:\w+ ?){1,3}, (?:then )?(?:who|when|what|where)(?= else|\W*\?)|have (?:you|they|"
    r"we) (?:no (?!\w+ (?:left|yet)\b)|lost (?:your|their|our|all) (?:mind|minds|senses|way|sense|temper)|"
    r"forgotten (?:how|who|what|that|already|everything)|learned nothing)|must (?:i|we|you|they|he|she|"
    r"everything) (?:always|really|keep(?= \w+ing)|repeat(?= (?:myself|it|this)\b|\W*\?)|remind|explain|do everything|"
    r"beg|suffer|endure|constantly|be so|spell)|"
    r"need i (?:say|remind|"
    r"go on|tell|explain|add(?=\W*\?| that\b)|mention|ask)",
    r"do (?:i|we) (?:look like|really(?! need (?:to|the)\b)|honestly|(?:need|have) to (?:spell|remind|"
    r"repeat(?= (?:myself|it|this)\b|\W*\?)|beg|draw|do everything|tell you|"
    r"say it|ask))|do you (?:really|honestly|seriously) (?:think|believe|expect)|do you think (?:i was born|"
    r"money grows|(?:i'?m|i am) (?:an? )?(?:stupid|idiot|"
    r"fool|made of))",
    r"did (?:i|anyone|anybody|you|we) (?:ask (?:you|for your)|really|seriously|stutter|even)(?! what| who| how| when|"
    r" where)",
    r"does (?:it|that|this|any\w+|no ?\w+|he|she) (?!(?:really|even|actually) (?:need|require|support|run|use|work "
    r"(?:on|with|for|in|without))\b)(?:really|even|seriously|honestly|actually matter|"
    r"matter(?! (?:which|what|if|whether|how|where|when)\b)|ever (?:stop|end|learn|listen|shut|sleep|rest|get tired|"
    r"change|smile)|look like)",
    r"(?:does|do|can) (?!any(?:one|body) know how)(?:any\w+|no ?\w+) (?:\w+ ){0,4}?(?:even|ever|really|honestly|"
    r"know how to)|has (?:any\w+|"
    r"no ?\w+) (?:\w+ ){0,4}?(?:even|really|honestly)|does a bear|"
    r"is the pope(?!')|is (?:the sky blue|water wet)(?=\?)|(?:do|can) pigs fly|am i my brother's keeper",
    r"was it too much to (?:ask|expect|hope)|is it (?:just me|too much to (?:ask|expect|hope)|any wonder|really (?:so|"
    r"that|too|worth)|that hard|so (?:hard|"
    r"much|difficult|bad))",
    r"(?:is|was) (?:that|this|it) (?:really (?:so|that|too|worth|what|how|all|necessary(?= \w*\?|\?))|even|"
    r"some (?:kind|sort)|"
    r"supposed to (?:make (?:me|us)|impress)|supposed to be (?:funny|a joke|an? (?:apology|excuse|compliment|answer|"
    r"threat|surprise))|a joke|"
    r"necessary(?! (?:for|to|in|on|when|if)\b)|"
    r"all you(?! (?:need|want|require|wanted|have (?:in|on|for|left)\b)))",
    r"is (?:this|that) what (?:i|you|we|they) (?:\w+ ){0,2}?(?:pay|paid|fought|voted|waited|died|call|deserve|came) |"
    r"would you believe (?:it|that)(?=\?)|do they think (?:i|we)\b|what (?:are friends for|does it matter)(?=\?)|"
    r"so what(?=\?)|can't (?:a (?:man|woman|girl|guy|person)|one) |will (?:it|this|that|they|he|she|(?:this|that|the|"
    r"my|your) \w+) (?:n?ever) (?:end|stop|learn|change)|have you ever seen such|would you (?:really |"
    rf"honestly )?(?:trust|believe|hire|marry|want) (?:\w+ ){{0,3}}(?:someone|somebody|anyone|guy|girl|boy|"
    rf"{_PERSON}) like (?:this|that|him|her|them)",
    r"what (?:is|has) the world com(?:ing|e) to|where (?:did|do|have) the (?:time|years|days|hours) gon?e?|"
    r"would it kill|would you jump off|where do (?:they|you|people) even|do you have any idea (?:how (?:long|much|hard|"
    r"often|\w+ed|many \w+) (?:i|we)(?! (?:can|could|should|need|must|will)\b)|who i am)|"
    r"(?:can|could) (?:you|anyone|one) blame",
    r"is nothing|is any\w+ surprised|is there any\w* (?:better|worse|greater|wonder(?= (?:that|why|he|she|they|"
    r"people)\b|\W*\?))(?! (?:way|option|alternative|"
    r"solution|method|tool|approach|place|name)\b| than (?:\w+ ){1,3}for\b)|is there a(?:n?y)? greater",
    r"are you (?:kidding|serious(?! about)|blind|deaf|insane|crazy|joking|out of your|mad|nuts|for real)|"
    r"are we (?:really|seriously|supposed to (?:believe|just|be|care|laugh|forget|feel|know|sit|stand|thank|accept|"
    r"pretend|trust|ignore|think|act)\b)",
    r"am i (?:made of|the only (?:one|person)(?! (?:with|in the|on the|on|assigned|using)\b)|"
    r"supposed to (?:be(?! (?:in|on|at)\b)|believe|care|just|laugh|feel|know|think|forget|apologi[sz]e)|"
    r"crazy|a joke|dreaming)|can you (?:believe|imagine)|have you ever (?:noticed|wondered)",
    r"can (?:we|people|they) (?:all |please )*stop(?= \w+ing\b| with\b| for\b|\W*\?)|can (?:we|people|you|"
    r"they) (?:all |"
    rf"please )*{_JUST}|"
    r"(?:could|can) (?:it|this|that|things|today|"
    r"life|this \w+) (?:be|get) any",
    r"when will (?:people|we|they|you) (?:ever|finally|learn|stop|understand|reali[sz]e|see(?! the\b)|grow up|admit|"
    r"wake up|"
    r"get it)|when (?:did|has) (?:\w+ ){1,3}ever|you (?:call|expect) (?:this|that|me)",
    r"you think (?:(?:this|that|it)(?:'s| is| was) (?:funny|an? (?:game|joke)|fair|easy|over|normal|ok(?:ay)?)|(?:i|"
    r"they|"
    r"i'm|they're)\b(?! (?:should|can|could|need|will|would)\b))|don't you think i\b|do you want to end up like|"
    r"were you "
    r"born in an?\b|if (?:\w+ ){1,3}(?:don't|doesn't|won't|(?:do|does|will|can|dare) not|cannot) [^?]*, (?:then )?who "
    r"(?:will|can|should|would|shall)(?=\W*\?)|remember when|imagine (?:paying|"
    r"being|thinking|having)|"
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
        rf"how (?:am i|are we|are you|are people) (?:even )?{_UNABLE}", r"who (?:even )?(?:decided|cares|asked)\b",
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
        r"no[.,!]? that's", "simple", r"easy[.:]", r"god forbid", "far from it", "not at all", "by no means",
        r"(?:i|we|they|you|he|she) (?:do|did|does|am|are|is|was|were|have|has|had|can|could|will|would)(?=\W*$)",
    )
    + r"\b"
)  # fmt: skip  # a list of words, not a column
# A question without a verb, answered by its asker: "The result? Two weeks of work."
TITLE_QUESTION: Final = late_pattern(r"(?:and |but |so )?(?:the|my|our|his|her|their) (?:\w+ ){0,3}\w+\?")
