"""Our own texts for the anchors of coherence (HSCA 2.2), twenty or more for each."""

import base64
import random
import string


def _letters(chance: random.Random) -> str:
    return " ".join(
        "".join(chance.choices(string.ascii_lowercase, k=chance.randint(2, 9))) for _ in range(chance.randint(8, 30))
    )


def _shuffled(chance: random.Random, text: str) -> str:
    """Each word with its letters in another order."""
    return " ".join("".join(chance.sample(word, len(word))) for word in text.split())


def _bytes(chance: random.Random) -> str:
    return base64.b64encode(chance.randbytes(chance.randint(60, 400))).decode("ascii")


_SOURCE = (
    "seven orange lamps stood beside an empty harbour while fishermen carried broken baskets towards grey stone houses"
)
_CHANCE = random.Random(20_260_325)  # noqa: S311 - no secret
GIBBERISH = (
    *(_letters(_CHANCE) for _ in range(8)),
    *(_shuffled(_CHANCE, _SOURCE) for _ in range(6)),
    *(_bytes(_CHANCE) for _ in range(6)),
    "asdf jkl; asdf jkl; qwer uiop zxcv nm,. asdf jkl;",
    "xxxx yyyy!! zzzz ??? qqqq ### wwww @@@ vvvv",
    "0x8f3a 77c1 9b2e ff00 a1a1 c0de 1234 9f9f 8877 6655",
    "lorem dolor zan quib morf tessel grint, plovar isk ven.",
    "blarg frooz kint wump tarn dreeb, sploot fenk ork zill.",
    "mkgdumk tc llw un jnjuqf fzqsevw sa gzhod",
    "oim mzsh tdfvt zlcansp yo uu olq kv is ytkesf vjwox pxm qi ji",
    "rcr kjqe ol baknxfr ws vuqnfgh se qdxiog lo",
    "lkj sdf wer oiu xcv bnm",
    "lkj sdf mnb sdf vbn wer asd wer",
)

SALAD = (
    "table runs blue of the quickly window by an under if seventeen soap the walked because of lamp",
    "the with river a from of laughing ten the at carpet in on green to the of",
    "of the and a spoon with to in for the on at by from the an of with",
)

FRAGMENTS = (
    "The old house on the hill.",
    "Because of the rain.",
    "Running fast through the woods.",
    "Over the bridge and into the town.",
    "Two eggs, a cup of milk, some flour.",
    "Blue sky, white sand, no wind.",
    "With both hands on the wheel.",
    "Nothing but dust.",
    "A long way from home.",
    "Next week, maybe.",
    "The last of the summer wine.",
    "Three miles south of the village.",
    "Without a word.",
    "Some bread and a piece of cheese.",
    "Under the table, behind the box.",
    "For the third time in a month.",
    "Red shoes.",
    "An hour before sunrise.",
    "The smell of coffee.",
    "In the name of the law.",
    "Not a single cloud.",
    "Into the night.",
)

SENTENCES = (
    "Paint dries slowly in cold rooms.",
    "The kettle whistles.",
    "My uncle repairs old radios.",
    "Her brother mends shoes.",
    "Ivy climbs the wall.",
    "Salt dissolves in water.",
    "Wolves hunt in packs.",
    "The glacier retreats every summer.",
    "The orchestra rehearses on Mondays.",
    "The lighthouse blinks twice a minute.",
    "The river floods the valley each spring.",
    "A spider wove its web across the window.",
    "Rust weakens iron.",
    "Copper conducts electricity.",
    "Bees pollinate flowers.",
    "Termites gnaw the porch.",
    "Grandfather scythes the meadow.",
    "The clerk stamped the form.",
    "Birds sing at dawn.",
    "Thunder rolled over the hills.",
    "The pond froze overnight.",
    "Coffee keeps me awake.",
)

TERSE = (
    "Tenant shall pay rent monthly in advance.",
    "Licensee may not assign this agreement.",
    "Either party may terminate upon thirty days' notice.",
    "All notices shall be in writing.",
    "The deposit is not refundable.",
    "Seller warrants title to the goods.",
    "Time is of the essence.",
    "This lease ends on the first of May.",
    "Late payments bear interest at five percent.",
    "The buyer bears the cost of delivery.",
    "Disputes shall be settled by arbitration.",
    "No waiver shall be implied by delay.",
    "Landlord may enter upon reasonable notice.",
    "The contractor shall carry insurance.",
    "Employee shall return all keys.",
    "Each party bears its own costs.",
    "This clause survives termination.",
    "The board may appoint a chairman.",
    "Payment is due upon receipt.",
    "The tenant shall not keep animals.",
    "Smoking is prohibited on the premises.",
    "The guarantor is liable for the whole debt.",
)

RICH = (
    (
        "When we ask what it means to be free, we rarely ask who is asking. A person who acts from habit may "
        "believe that "
        "she chooses, although the choice was made long before she knew it. If freedom is to mean anything, it "
        "must mean "
        "that the reasons for which we act are reasons that we could, on reflection, call our own."
    ),
    (
        "We say that time passes, but we never see it pass; what we see are things that change. If nothing "
        "changed, there "
        "would be no reason to say that an hour had gone by, and perhaps no sense in saying it. Those who hold "
        "that time "
        "is a river forget to ask what the river itself flows through."
    ),
    (
        "A promise binds us even when nobody would notice that we broke it. If it bound us only through the "
        "harm that its "
        "breaking does, a promise to the dying would bind nobody, and yet most of us feel that it binds more than any "
        "other. Perhaps we owe the promise to the person we were when we gave it."
    ),
    (
        "It is easy to say that beauty lies in the eye of the beholder, since we have all seen people disagree "
        "about it. "
        "But people disagree about the age of the earth as well, and we do not conclude that the earth has no "
        "age. What "
        "disagreement shows is that judgement is hard, not that there is nothing to be judged."
    ),
    (
        "To know that another person is in pain is not like knowing that it rains, because I can step outside and feel "
        "the rain. I see the face, I hear the cry, and I conclude that there is something behind them which I "
        "will never "
        "feel. And still I do not doubt it for a moment, which shows that doubt is not what grounds my knowledge."
    ),
    (
        "The sceptic tells us that we may be dreaming, and we laugh, because we know how we would find out. But "
        "whatever "
        "we do in order to find out could be part of the dream, and so the laughter proves nothing. What it may "
        "show is "
        "that a question which no answer could change is not a question that we have to ask."
    ),
    (
        "Laws are obeyed by some because they are just, and by others because they are enforced. A state that "
        "relies on "
        "the second kind of obedience must watch its citizens at all hours, while a state that has earned the "
        "first can "
        "sleep. This is why tyrants, who have every power that a law can give, are so seldom at rest."
    ),
    (
        "If a ship is repaired until none of its planks is left, we may wonder whether it is still the same ship. The "
        "puzzle seems to be about the ship, but it is about the word: we never settled what we would call the "
        "same, since "
        "no need for it ever arose. Once we see this, we are free to decide, though what we decide will have its price."
    ),
    (
        "Memory is often compared to a store from which we take what we have laid in. Yet what we remember "
        "changes each "
        "time that we remember it, as if the store were rebuilt whenever its door was opened. If this is so, then our "
        "past is less a thing that we keep than a thing that we make."
    ),
    (
        "Whoever says that nothing can be known seems to know at least that. The old sceptics saw the trap, and "
        "so they "
        "claimed nothing; they only reported how things appeared to them, and went on looking. It is a hard way "
        "to live, "
        "because we cannot act without taking something for true."
    ),
    (
        "We praise courage, but not the courage of a thief. Either it is no courage at all that drives him, or courage "
        "is not good by itself, and needs an aim that is worth the danger. Most of what we call virtue turns out to be "
        "of this kind when we look closely: a strength that is good in good hands."
    ),
    (
        "Hope is not the belief that things will go well, for then the hopeful would merely be mistaken more "
        "often than "
        "the rest of us. It is rather the refusal to let what is likely decide what is worth doing. A doctor "
        "who treats a "
        "patient whom she expects to lose has hope in this sense, although she has no illusions."
    ),
    (
        "Suppose that a machine answered every question as a wise person would. Some would say that it "
        "understands, since "
        "we have no better sign of understanding than good answers; others would say that it only seems to. But "
        "they owe "
        "us an account of what is missing, and it must not be something that we could never notice."
    ),
    (
        "What we call chance may be no more than a name for causes that we do not know. And even if there were events "
        "without any cause, they would not make us free, because what happens without a cause does not happen by our "
        "will. Freedom, if it exists, has to be found somewhere between the clock and the dice."
    ),
    (
        "It is said that we should treat others as we wish to be treated. The rule is sound as long as others "
        "wish what "
        "we wish, and it fails when they do not. A better rule would ask us to find out what they want, which "
        "is harder, "
        "because it requires that we stop talking and listen."
    ),
    (
        "Language does not only describe the world in which we live; it also tells us what there is to be described. "
        "When a child learns the word for blue, the sky does not change, but what she can say and notice about "
        "it does. "
        "So there is some truth in the view that we live in words, even if we cannot eat them."
    ),
    (
        "A number is not a thing that we could find on a walk, and yet it would be strange to say that there are none. "
        "If there were none, it would be false that there is a prime between seven and thirteen, which nobody doubts. "
        "Perhaps we should not ask where the numbers are, since being somewhere is not the only way to be."
    ),
    (
        "The old think that the world was better when they were young, and they are right about one thing: they were "
        "young in it. What they miss is not the world but the strength with which they met it. This does not "
        "make their "
        "complaint empty, because a world that no longer welcomes our strength has in a sense been lost."
    ),
    (
        "We forgive those who did not know what they did, since ignorance seems to excuse. But there is an "
        "ignorance that "
        "we choose, when we look away because we fear what we would see. For this kind nobody should be "
        "excused, and it is "
        "the kind that does most of the harm in the world."
    ),
    (
        "To be bored is to find that time has become a thing. As long as we are busy, the hours pass without being "
        "noticed, like a window through which we look at something else. When nothing is left to look at, we see the "
        "glass, and it is then that we begin to ask what all the business was for."
    ),
    (
        "If a judge may never break the law, then mercy is beyond her power, for mercy gives less than the law "
        "demands. "
        "If she may break it, then nobody is safe, because the same power that spares the one can crush the other. We "
        "solve the riddle by writing mercy into the law, and then wonder why it feels cold."
    ),
)

CHAT = (
    "yeah i think so too but he never called me back so i went home",
    "omg we had so much fun yesterday you should come next time",
    "i dont know what to do about my job my boss is driving me crazy",
    "lol same i was so tired that i fell asleep on the couch",
    "can you send me the recipe for that soup you made it was so good",
    "not sure yet i will ask my sister if she can watch the kids",
    "thanks for the help today i really needed it",
    "we are going to the beach this weekend do you want to come",
    "haha no way did he really say that to you",
    "i was thinking we could meet at the cafe after work",
)
