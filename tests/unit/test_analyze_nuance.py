"""Nuance: the flags that rules can give, and what must not raise them."""

import pytest

from clew.analyze.nuance import FLAGS, nuance, sentence_nuance

TONES = [flag for flag in FLAGS if flag.startswith("emotional_tone_")]
RAISED = [
    ("hedged", "It may rain later."),
    ("hedged", "In some cases this fails."),
    ("hedged", "I think we should wait."),
    ("hedged", "It may work in May 2024."),
    ("absolute", "This never works."),
    ("absolute", "All swans are white."),
    ("absolute", "Everyone knows it."),
    ("rhetorical_question", "Who cares?"),
    ("rhetorical_question", "Isn't it obvious?"),
    ("rhetorical_question", "And why bother?"),
    ("rhetorical_question", "What remains? Nothing but a name."),
    ("rhetorical_question", "The result? Two weeks of rework."),
    ("rhetorical_question", "who cares"),
    ("hedged", "This may work."),
    ("absolute", "None of the doors opened."),
    ("absolute", "Everyone in the village knew it."),
    ("absolute", "I checked all of them."),
    ("rhetorical_question", "How could anyone have known?"),
    ("rhetorical_question", "Haven't we been through this before?"),
    ("hedged", "We may have to postpone the launch."),
    ("hedged", "You may have lost the key in the garden."),
    ("hedged", "Sometimes the lock is not released."),
    ("absolute", "Not one of the lamps was lit."),
    ("absolute", "There is absolutely no doubt about it."),
    ("absolute", "No man is an island."),
    ("absolute", "No student may leave before noon."),
    ("rhetorical_question", "How could I have been so blind?"),
    ("rhetorical_question", "Who could have known?"),
    ("rhetorical_question", "Isn't she wonderful?"),
    ("rhetorical_question", "Can't you see that I'm busy?"),
    ("rhetorical_question", "Don't you ever listen?"),
    ("rhetorical_question", "Didn't I tell you so?"),
    ("rhetorical_question", "Do you think I was born yesterday?"),
    ("hedged", "Under certain conditions the alloy cracks."),
    ("hedged", "It is conceivable that the map is a copy."),
    ("hedged", "It is possible we missed a page."),
    ("hedged", "Some would say that the tower leans."),
    ("hedged", "My hunch is that the pipe froze."),
    ("absolute", "Nobody in the office speaks Finnish."),
    ("absolute", "Nothing in the report is true."),
    ("absolute", "All the lamps went out."),
    ("absolute", "Everything he owns is rented."),
    ("absolute", "The law applies to everyone."),
    ("absolute", "The rule applies everywhere."),
    ("absolute", "Any idiot can open that lock."),
    ("rhetorical_question", "How could we have been so naive?"),
    ("rhetorical_question", "How could you let this happen?"),
    ("rhetorical_question", "Haven't we paid enough?"),
    ("rhetorical_question", "Who says old dogs can't learn?"),
    ("rhetorical_question", "What kind of mother would do that?"),
    ("rhetorical_question", "If not us, who?"),
    ("rhetorical_question", "Didn't we promise to be honest?"),
    ("rhetorical_question", "Why should anybody trust them?"),
    ("rhetorical_question", "Would you trust a man like that?"),
    ("rhetorical_question", "Is this what we fought for?"),
    ("instructional", "If the rash spreads, you should see a doctor."),
    ("instructional", "Sift the flour into a bowl."),
    ("instructional", "Parse the header before the body."),
    ("analogy", "A is like B."),
    ("analogy", "Time is like money."),
    ("analogy", "Electricity flows like water in a pipe."),
    ("analogy", "Just as plants need light, teams need praise."),
    ("hedged", "The dose can occasionally cause nausea."),
    ("hedged", "On some days the fog never lifts."),
    ("absolute", "No cat likes water."),
    ("absolute", "Everything about him is fake."),
    ("rhetorical_question", "Haven't we met our targets every year?"),
    ("rhetorical_question", "How many times have I asked you to knock?"),
    ("rhetorical_question", "Who would believe such a thing?"),
    ("rhetorical_question", "Who are you to judge me?"),
    ("rhetorical_question", "Why should I apologise?"),
    ("rhetorical_question", "Where is your sense of humour?"),
    ("rhetorical_question", "Have you lost your mind?"),
    ("rhetorical_question", "Must you always slam the door?"),
    ("rhetorical_question", "Do I have to spell it out?"),
    ("rhetorical_question", "When will they ever learn?"),
    ("rhetorical_question", "Can people just be kind?"),
    ("rhetorical_question", "Am I the only one who noticed?"),
    ("rhetorical_question", "Is that supposed to be funny?"),
    ("rhetorical_question", "What are friends for?"),
    ("rhetorical_question", "Doesn't anybody care anymore?"),
    ("rhetorical_question", "Is that supposed to make me feel better?"),
    ("rhetorical_question", "Is this some sort of joke?"),
    ("rhetorical_question", "Where did the time go?"),
    ("rhetorical_question", "Haven't we waited long enough?"),
    ("rhetorical_question", "Haven't we suffered enough?"),
    ("rhetorical_question", "Isn't it funny how time flies?"),
    ("rhetorical_question", "Doesn't that just make your day?"),
    ("rhetorical_question", "Wouldn't it be easier if people just read the manual?"),
    ("rhetorical_question", "Couldn't it have been an email?"),
    ("rhetorical_question", "How am I supposed to sleep in this heat?"),
    ("rhetorical_question", "How was I supposed to know?"),
    ("rhetorical_question", "How stupid do you think I am?"),
    ("rhetorical_question", "Who could have seen that coming?"),
    ("rhetorical_question", "What difference does it make?"),
    ("rhetorical_question", "What could be simpler than that?"),
    ("rhetorical_question", "What could go wrong?"),
    ("rhetorical_question", "Could this day get any worse?"),
    ("rhetorical_question", "Am I made of money?"),
    ("rhetorical_question", "Was it too much to ask for a little help?"),
    ("rhetorical_question", "Why can't anything ever be simple?"),
    ("rhetorical_question", "Hasn't everyone made a mistake at some point?"),
    ("rhetorical_question", "If I don't do it, who will?"),
    ("rhetorical_question", "Can we just agree that it was a bad idea?"),
    ("instructional", "Make sure the power is off before you open the case."),
    ("instructional", "Please read the manual first."),
    ("instructional", "Do this twice a day."),
    ("analogy", "doctor:hospital::teacher:school"),
    ("analogy", "Bird : nest :: bee : hive"),
    ("analogy", "DNA is similar to a blueprint."),
    ("analogy", "The lungs work like bellows."),
    ("emotional_tone_urgent", "This must be done right now."),
    ("emotional_tone_urgent", "The deadline is in ten minutes, we need the file now!"),
    ("emotional_tone_urgent", "Quick, stop the bleeding!"),
    ("emotional_tone_grieving", "We buried him on Tuesday."),
    ("instructional", "Open the file and delete the first line."),
    ("instructional", "1. Preheat the oven.\n2. Mix the flour with water.\n3. Bake for an hour."),
    ("instructional", "You should restart the server."),
    ("instructional", "Please close the door."),
    ("instructional", "Don't forget the keys."),
    ("instructional", "To change it, open the menu."),
    ("instructional", "Visitors must wear a badge."),
    ("instructional", "It broke, but keep the receipt."),
    ("analogy", "A neuron is to the brain as a transistor is to a chip."),
    ("analogy", "The mind is like a river."),
    ("analogy", "He was as brave as a lion."),
    ("emotional_tone_positive", "I love this, it is wonderful!"),
    ("emotional_tone_negative", "This is terrible and I hate it."),
    ("emotional_tone_negative", "It is not good, it is awful."),
    ("emotional_tone_negative", "I am not happy with this."),
    ("emotional_tone_positive", "Not bad at all, I loved it."),
    ("emotional_tone_positive", "what a night 😍"),
    ("emotional_tone_neutral", "At least forty people were killed on Monday."),
    ("emotional_tone_neutral", "Do you know a good doctor?"),
    ("emotional_tone_neutral", "The meeting is on Tuesday at noon."),
    ("emotional_tone_urgent", "We need this fixed ASAP, please hurry!"),
    ("emotional_tone_urgent", "Emergency! Call 911 now."),
    ("emotional_tone_grieving", "My mother passed away last week."),
    ("emotional_tone_grieving", "I am still mourning him."),
    ("emotional_tone_grieving", "Our deepest condolences to you."),
]
NOT_RAISED = [
    ("hedged", "May was wet this year."),
    ("hedged", "Can you check if my understanding is right."),
    ("absolute", "If all the seats are taken, stand at the back."),
    ("absolute", "All the best for your exam!"),
    ("absolute", "Nobody was in the office."),
    ("absolute", "Any feedback can be sent to me."),
    ("absolute", "I looked everywhere for my keys."),
    ("rhetorical_question", "How could we speed up the import?"),
    ("rhetorical_question", "How could this be rewritten in Rust?"),
    ("rhetorical_question", "How could you tell that it was fake?"),
    ("rhetorical_question", "Haven't we got any milk left?"),
    ("rhetorical_question", "What did you expect the total to be?"),
    ("rhetorical_question", "What kind of person is he?"),
    ("rhetorical_question", "Didn't we order two pizzas?"),
    ("rhetorical_question", "Would you want a seat by the window?"),
    ("instructional", "You should see the view from there."),
    ("analogy", "It is like this."),
    ("analogy", "She is like me."),
    ("analogy", "It was like always."),
    ("analogy", "He moved like his father."),
    ("analogy", "We test user flows like search, login and export."),
    ("rhetorical_question", "Haven't we met before?"),
    ("rhetorical_question", "How many times has Joanna been to Rome?"),
    ("rhetorical_question", "Who would you recommend?"),
    ("rhetorical_question", "Who are you going out with?"),
    ("rhetorical_question", "Why should I use a mutex here?"),
    ("rhetorical_question", "Where is your office?"),
    ("rhetorical_question", "Have you forgotten your password?"),
    ("rhetorical_question", "Must I register first?"),
    ("rhetorical_question", "Do I need to install Node first?"),
    ("rhetorical_question", "When will we get the results?"),
    ("rhetorical_question", "Can you just run it again?"),
    ("rhetorical_question", "Haven't we already set the retry limit to 5?"),
    ("rhetorical_question", "Haven't we moved the backups to the second disk?"),
    ("rhetorical_question", "How could I have known which port it uses?"),
    ("rhetorical_question", "How could we have caught this in the tests?"),
    ("rhetorical_question", "Isn't this file generated?"),
    ("rhetorical_question", "Doesn't that break the old clients?"),
    ("rhetorical_question", "Won't that deadlock when two workers start together?"),
    ("rhetorical_question", "Wouldn't it be faster to read the file once?"),
    ("rhetorical_question", "How am I supposed to call this without a session?"),
    ("rhetorical_question", "How is this supposed to handle a missing file?"),
    ("rhetorical_question", "What am I supposed to see after the login?"),
    ("rhetorical_question", "What difference is there between a list and a tuple?"),
    ("rhetorical_question", "What difference does the order of the columns make?"),
    ("rhetorical_question", "What is the use case for the second index?"),
    ("rhetorical_question", "What is the point of the --dry-run flag?"),
    ("rhetorical_question", "What's wrong with this query?"),
    ("rhetorical_question", "What's the matter with the build?"),
    ("rhetorical_question", "What could go wrong if we skip the checksum?"),
    ("rhetorical_question", "What good does the extra index do for this query?"),
    ("rhetorical_question", "Why do I keep getting a timeout?"),
    ("rhetorical_question", "Why do I have to restart the shell after the install?"),
    ("rhetorical_question", "Why is nobody assigned to this ticket?"),
    ("rhetorical_question", "Can you just leave the comments in?"),
    ("rhetorical_question", "Can't you just use the built-in sort?"),
    ("rhetorical_question", "Are we supposed to sign both copies?"),
    ("rhetorical_question", "Does anyone know how to mute the bot?"),
    ("rhetorical_question", "Is that all you need today?"),
    ("rhetorical_question", "Do I really need to install the driver?"),
    ("rhetorical_question", "How long must I wait before I can water the lawn again?"),
    ("rhetorical_question", "Isn't it raining in Hamburg?"),
    ("rhetorical_question", "Isn't it cheaper to take the train?"),
    ("rhetorical_question", "Isn't that what the retry option does?"),
    ("rhetorical_question", "How could we have noticed the leak earlier?"),
    ("rhetorical_question", "Why would I want a composite key here?"),
    ("rhetorical_question", "Why can't we just drop the table?"),
    ("rhetorical_question", "What could possibly cause a memory leak in this loop?"),
    ("rhetorical_question", "How many times must the paint be applied?"),
    ("rhetorical_question", "Isn't there still a queue in front of it?"),
    ("rhetorical_question", "Haven't I already renewed this subscription?"),
    ("rhetorical_question", "Am I the only admin?"),
    ("rhetorical_question", "Is that supposed to be a tuple?"),
    ("rhetorical_question", "Who decided on the new schema?"),
    ("rhetorical_question", "Who needs access to the server?"),
    ("rhetorical_question", "Isn't there a test for this already?"),
    ("rhetorical_question", "Is there any better way to do it?"),
    ("rhetorical_question", "Does it matter which port I use?"),
    ("rhetorical_question", "How hard is it to learn Rust?"),
    ("rhetorical_question", "Shouldn't we add a timeout?"),
    ("rhetorical_question", "Did they not send the form?"),
    ("hedged", "I think about her often."),
    ("hedged", "We believe in fair pay."),
    ("hedged", "Some people say hi."),
    ("instructional", "Cross my heart."),
    ("hedged", "We met in May 2023."),
    ("hedged", "The cache is full."),
    ("hedged", "You may have the last slice."),
    ("hedged", "The licensee may copy the software."),
    ("hedged", "The might of the sea broke the wall."),
    ("hedged", '"Perhaps," said the old man.'),
    ("hedged", "We moved house this May."),
    ("hedged", "This May we go to Rome."),
    ("hedged", "Members may have two guests."),
    ("hedged", "Sometimes I walk home."),
    ("absolute", "She was not one of them."),
    ("absolute", "No problem, I will fix it."),
    ("absolute", "I have absolutely no idea."),
    ("absolute", "No changes are needed."),
    ("rhetorical_question", "How could I install this on a Mac?"),
    ("rhetorical_question", "Who could repair my bicycle?"),
    ("rhetorical_question", "Isn't she home?"),
    ("analogy", "It's like ten dollars."),
    ("analogy", "The type is std::vector here."),
    ("analogy", "It works like this."),
    ("absolute", "None of your business."),
    ("absolute", "Not all of them failed."),
    ("absolute", "All of a sudden it broke."),
    ("rhetorical_question", "Haven't you eaten yet?"),
    ("absolute", "I am not tired at all."),
    ("absolute", "I run every day."),
    ("absolute", "Never mind."),
    ("absolute", "All three tests passed."),
    ("absolute", "Nobody was home."),
    ("absolute", "Is it always like that?"),
    ("rhetorical_question", "Where did you go?"),
    ("rhetorical_question", "Who is coming to dinner?"),
    ("rhetorical_question", "He knows who cares."),
    ("rhetorical_question", "Isn't your flight at noon?"),
    ("rhetorical_question", "Who knows the door code?"),
    ("instructional", "Take care!"),
    ("instructional", "I opened the file."),
    ("instructional", "Use of force is banned."),
    ("instructional", "You must have been tired."),
    ("instructional", "Don't know yet."),
    ("instructional", "Could you close the door?"),
    ("instructional", '"Open the gate," said the captain.'),
    ("instructional", "Let me know how it goes."),
    ("instructional", "Check the log. It rained. We left. They came. He slept."),
    ("analogy", "I like apples."),
    ("analogy", "It's like a lot of work."),
    ("analogy", "She works as a nurse."),
    ("analogy", "The rent here is like the rent in Rome."),
    ("analogy", "Call me as soon as possible."),
    ("emotional_tone_urgent", "I keep an emergency fund."),
    ("emotional_tone_grieving", "The king died in 1216 and his son took the throne."),
]


@pytest.mark.requirement("F-ANALYZE-10", "F-ANALYZE-11")
@pytest.mark.parametrize(("flag", "text"), RAISED)
def test_raised(flag: str, text: str) -> None:
    assert flag in nuance(text)


@pytest.mark.requirement("F-ANALYZE-10", "F-ANALYZE-11")
@pytest.mark.parametrize(("flag", "text"), NOT_RAISED)
def test_not_raised(flag: str, text: str) -> None:
    assert flag not in nuance(text)


@pytest.mark.requirement("F-ANALYZE-10")
def test_every_flag_has_an_example() -> None:
    assert {flag for flag, _ in RAISED} == set(FLAGS)


@pytest.mark.requirement("F-ANALYZE-11")
@pytest.mark.parametrize("text", [text for _, text in RAISED + NOT_RAISED if "::" not in text])
def test_english_has_exactly_one_tone(text: str) -> None:
    assert sum(flag in TONES for flag in nuance(text)) == 1


@pytest.mark.requirement("F-ANALYZE-11")
@pytest.mark.parametrize("text", ["", "...", "我们今天去公园。", "😀", "Мы сегодня пошли в парк."])
def test_no_tone_where_the_lexicon_cannot_read(text: str) -> None:
    assert nuance(text) == ()


@pytest.mark.requirement("F-ANALYZE-11")
def test_a_negation_turns_and_an_intensifier_moves_the_tone() -> None:
    assert "emotional_tone_positive" in nuance("The food was great and the staff kind.")
    assert "emotional_tone_positive" not in nuance("The food was not great and the staff never kind.")
    assert "emotional_tone_neutral" in nuance("It was a cool day.")
    assert "emotional_tone_positive" in nuance("It was an extremely, really, very cool day.")


@pytest.mark.requirement("F-ANALYZE-10")
def test_what_needs_a_model_is_absent() -> None:
    for text in ("Time is a thief.", "Oh great, another meeting. Just what I needed.", "Once upon a time she set out."):
        assert not {"metaphor", "sarcasm", "narrative_thread"} & {flag.removesuffix("_model") for flag in nuance(text)}


@pytest.mark.requirement("W-NUANCE-03")
def test_each_sentence_has_its_own_flags() -> None:
    text = "I think so. Close the door! Never trust a cat. It rained."
    assert sentence_nuance(text) == [("hedged",), ("instructional",), ("absolute", "instructional"), ()]
    assert sentence_nuance("") == []


@pytest.mark.requirement("W-NUANCE-03")
def test_the_text_has_the_flags_of_its_sentences() -> None:
    texts = [text for _, text in RAISED + NOT_RAISED]
    for text in [*texts, "\n".join(texts)]:
        of_sentences = {flag for flags in sentence_nuance(text) for flag in flags}
        of_text = {flag for flag in nuance(text) if flag not in TONES}
        assert of_text in (of_sentences, of_sentences - {"instructional"})
