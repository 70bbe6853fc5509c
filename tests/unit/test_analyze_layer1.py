"""Layer 1: what hangs together scores high, what is merely repeated does not."""

import itertools
import json
import math
import random
from pathlib import Path

import pytest

from clew.analyze.coherence import coherence
from clew.analyze.layer1 import SHORT_SCORE, relational_weight, relational_weight_joint, word_weights
from clew.evaluate.hsca.adversarial import honest_texts

CACHE = (
    "The cache keeps hot keys in memory. When memory fills, the cache evicts the oldest keys. Eviction raises latency, "
    "because the server must fetch those keys from the database. A larger memory lowers eviction, so the server "
    "answers with less latency. The database is spared when the cache holds the hot keys."
)
RACE = (
    "The tortoise challenged the hare to a race. The hare laughed at the tortoise and ran far ahead. Sure of winning "
    "the race, the hare slept under a tree. The tortoise walked past the sleeping hare and won the race."
)
STUFFED = {
    "bare": "Redis cache latency. Cache redis memory. Latency redis server cache. Memory cache redis latency.",
    "commas": "Redis, cache, latency, memory. Cache, server, redis, latency. Memory, redis, cache, server.",
    "and": "Redis, cache and latency. Memory, redis and server. Cache, latency and redis. Server and cache and redis.",
    "lines": "- redis cache\n- cache latency\n- latency redis\n- memory cache\n- redis server",
    "words": "Redis. Cache. Latency. Redis. Memory. Cache. Redis.",
    "frame": "This page covers redis. This page covers cache. This page covers latency. This page covers memory.",
    "is": "Redis is cache. Cache is latency. Latency is redis. Memory is cache. Redis is memory. Cache is redis.",
    "of": "The redis of the cache. The latency of the redis. The cache of the memory. The memory of the latency.",
    "advert": (
        "Looking for redis cache latency? Our redis cache latency guide covers redis cache latency and more. Get redis "
        "cache latency tips from redis cache latency experts. The redis cache latency you need is here."
    ),
    "tags": "Topic: redis. Keywords: cache, latency, memory. See also: redis cache. Tags: latency, memory, redis.",
}

MESHES = {
    "sched": (
        "The scheduler takes the lock before it reads the queue. When a worker holds the lock, the scheduler "
        "waits for the worker. The worker releases the lock only after the queue is empty. If the queue never "
        "empties, the worker keeps the lock and the scheduler starves. The scheduler should take the lock with a "
        "timeout, so that a worker with a long queue cannot starve it."
    ),
    "bug": (
        "The scheduler deadlocks because the worker takes the lock while the scheduler waits for the queue. The "
        "queue is guarded by the same lock. When the worker finishes, it releases the lock, but the scheduler has"
        " already left the queue. The fix is to release the lock before the worker touches the queue."
    ),
    "dns": (
        "The resolver asks the name server for the address. If the name server does not know the address, the "
        "resolver asks the root server. The root server sends the resolver to another name server. That name "
        "server knows the address and tells the resolver. The resolver keeps the address, so that it need not ask"
        " the name server again."
    ),
    "hens": (
        "The fox watched the hens from the wood. The hens never left the yard while the dog slept by the gate. "
        "One night the dog left the gate, and the fox crept into the yard. The hens woke the dog, and the dog "
        "chased the fox back to the wood."
    ),
    "tok": (
        "The client sends the token to the server. The server checks the token against the session. If the "
        "session has expired, the server refuses the token and the client asks for a new session. The new session"
        " gives the client a new token."
    ),
    "pay": (
        "The buyer pays the agent when the seller signs the contract. The agent keeps the money until the buyer "
        "has the keys. If the seller breaks the contract, the agent returns the money to the buyer. If the buyer "
        "breaks the contract, the seller keeps the money."
    ),
    "tree": (
        "The parser builds the tree from the tokens. Each node of the tree holds the tokens that the parser read "
        "for it. When a token is wrong, the parser marks the node, and the printer skips that node of the tree. "
        "The printer needs the tree alone, never the tokens."
    ),
    "mom": (
        "My mother taught my sister to sew. My sister taught me, and I taught my daughter. Now my daughter sews "
        "with my mother while my sister and I cook for them. My mother says that my daughter sews better than my "
        "sister did."
    ),
    "names": (
        "Anna sold Ben a boat. Ben lent Carla the boat. When Carla sank the boat, Ben asked Anna for another. "
        "Anna told Ben that Carla should pay. Carla paid Anna, and Anna built Ben a new boat."
    ),
    "tcp": (
        "TCP waits for an acknowledgement before it sends more data. When the acknowledgement is late, TCP sends "
        "the data again. Routers drop data when queues are full, and TCP slows down because acknowledgements "
        "stop. As queues drain, acknowledgements return, and TCP sends data faster."
    ),
    # In these the words of the mesh come together in nearly every sentence.
    "lock": (
        "The scheduler takes the lock before it picks a task. A task that holds the lock blocks the scheduler. We saw "
        "the scheduler wait for the lock while the task waited for the scheduler. Releasing the lock in the task fixed "
        "the scheduler."
    ),
    "goods": (
        "The seller ships the goods to the buyer. The buyer inspects the goods and pays the seller. If the goods are "
        "damaged, the buyer returns the goods and the seller refunds the buyer."
    ),
    "votes": (
        "Each node sends a vote to the leader. The leader counts the votes of the nodes. When the leader has votes "
        "from most nodes, the leader commits the entry and tells the nodes."
    ),
    "expiry": (
        "If a client holds the token, the server accepts the client. When the token expires, the server asks the "
        "client for a new token. The client sends the old token, and the server replaces the token."
    ),
}
# Sentences of one frame whose words change places in it.
PLAIN_MESHES = {
    "pump": (
        "The engine drives the pump. The pump feeds the engine. The engine cools the pump. The pump drives the engine."
    ),
    "class": (
        "The teacher taught the student. The student asked the teacher. The teacher answered the student. The student "
        "thanked the teacher."
    ),
    "yard": "The dog chased the cat. The cat ran from the dog. The dog barked at the cat.",
    "flow": (
        "The sender wakes the mail agent. The mail agent pings the spool file. The sender pings the spool file. The "
        "spool file wakes the sender. The agent pings the sender."
    ),
    "realm": (
        "The king ruled the land. The land fed the people. The people loved the king. The king fed the people of the "
        "land."
    ),
}
# Plain clauses whose nouns may be verbs elsewhere, and whose verbs are in no list.
VERB_LIKE_NOUNS = {
    "watch": "The watch times the lock. The lock jams the plug. The plug shields the watch.",
    "filter": "The filter screens the feed. The feed clogs the pump. The pump fouls the filter.",
    "paint": "The paint coats the frame. The frame seals the pump. The pump spills the paint.",
    "probe": "The probe warps the plate. The plate cools the coil. The coil shields the probe.",
}
# What plurals do without a single article, and the same words as a list.
BARE_CLAUSES = {
    "wolves": (
        "Wolves hunt deer. Deer eat shoots. Shoots need light. When wolves leave, deer strip shoots.",
        "Wolves deer shoots hunt. Light wolves deer. Shoots light ground. Deer wolves strip. Ground shoots wolves.",
    ),
    "locks": (
        "Workers hold locks. Locks keep files shut. Workers drop locks when files close. Files open when locks drop.",
        "Locks files workers. Guard locks workers files. Files locks wait. Workers locks drop files.",
    ),
    "pumps": (
        "Pumps feed tanks. Valves guard pumps. When tanks fill, valves stop pumps. Pumps start again when tanks drain.",
        "Pumps tanks valves. Valves pumps tanks. Tanks stop pumps. Pumps tanks drain valves.",
    ),
}
# Sentences of one frame in which the keyword keeps its place.
TEMPLATES = {
    "firm": "Our firm offers advice. Our firm offers support. Our firm offers talent. Our firm offers growth.",
    "engine": (
        "The engine drives the pump. The engine drives the fan. The engine drives the mill. The engine drives the saw."
    ),
    "buy": "Buy the engine. Buy the pump. Buy the valve. Buy the hose.",
}
UNRELATED = "It rained in Lisbon on Tuesday."


SCALE = ((0.0, 0.0), (0.25, 0.22), (0.5, 0.55), (0.74, 0.92), (1.0, 1.0))


def scaled(mean: float) -> float:
    """The calibrated scale of docs/weighing.md, linear between its points."""
    below, above = next((low, high) for low, high in itertools.pairwise(SCALE) if mean <= high[0])
    return below[1] + (mean - below[0]) * (above[1] - below[1]) / (above[0] - below[0])


def unscaled(score: float) -> float:
    below, above = next((low, high) for low, high in itertools.pairwise(SCALE) if score <= high[1])
    return below[0] + (score - below[1]) * (above[0] - below[0]) / (above[1] - below[1])


@pytest.mark.requirement("F-ANALYZE-02")
def test_the_formula_by_hand() -> None:
    text = "Anna keeps bees. Her bees make honey in June. We sell the honey to Anna."
    weighed = relational_weight(text)
    # Anna is in sentences 1 and 3, bees in 1 and 2, honey in 2 and 3; every tie to them is log2(2) * (1 - overlap).
    expected = {
        "anna": 2 / 3 + 2 / 3,  # bees and honey, each sharing one of three sentences
        "keeps": 1 / 2 + 1 / 2,  # Anna and bees
        "bees": 2 / 3 + 2 / 3,
        "make": 1 / 2 + 1 / 2,
        "honey": 2 / 3 + 2 / 3,
        "june": 1 / 2 + 1 / 2,
        "sell": 1 / 2 + 1 / 2,
    }
    scores = {word: 1 - math.exp(-tie / 0.5) for word, tie in expected.items()}
    assert dict(word_weights(text)) == pytest.approx(scores)
    # The first sentence has no function word and counts nothing; the third has three content words: two thirds.
    second = sum(scores[word] for word in ("bees", "make", "honey", "june")) / 4
    third = sum(scores[word] for word in ("sell", "honey", "anna")) / 3 * 2 / 3
    assert weighed.sentences == pytest.approx([0.0, scaled(second), scaled(third)])
    assert weighed.score == pytest.approx(scaled((second + third) / 3))
    assert weighed.paragraphs == (weighed.score,)


@pytest.mark.requirement("F-ANALYZE-02")
@pytest.mark.parametrize("mesh", [CACHE, RACE])
def test_a_tight_mesh_scores_high(mesh: str) -> None:
    assert relational_weight(mesh).score > 0.6


@pytest.mark.requirement("F-ANALYZE-15")
@pytest.mark.parametrize("kind", MESHES)
def test_a_mesh_of_few_words_scores_high_and_unrelated_text_does_not_raise_it(kind: str) -> None:
    score = relational_weight(MESHES[kind]).score
    assert score > 0.6
    assert relational_weight(f"{MESHES[kind]} {UNRELATED}").score <= score
    assert relational_weight(f"{UNRELATED} {MESHES[kind]}").score <= score


@pytest.mark.requirement("F-ANALYZE-15")
@pytest.mark.parametrize("kind", PLAIN_MESHES)
def test_plain_clauses_whose_words_change_places_are_a_mesh(kind: str) -> None:
    score = relational_weight(PLAIN_MESHES[kind]).score
    assert score > 0.3
    assert score > max(relational_weight(template).score for template in TEMPLATES.values()) + 0.2
    assert relational_weight(f"{PLAIN_MESHES[kind]} {UNRELATED}").score <= score
    assert relational_weight(f"{UNRELATED} {PLAIN_MESHES[kind]}").score <= score


@pytest.mark.requirement("F-ANALYZE-15")
def test_an_english_noun_counts_though_other_languages_use_it_for_grammar() -> None:
    tale = "The baron has a son. The son breeds geese. An era of geese began when the son fed the geese of the baron."
    assert {"son", "era"} <= {word for word, _ in word_weights(tale)}


@pytest.mark.requirement("F-ANALYZE-15")
@pytest.mark.parametrize("kind", VERB_LIKE_NOUNS)
def test_plain_clauses_are_a_mesh_though_their_nouns_may_be_verbs(kind: str) -> None:
    assert relational_weight(VERB_LIKE_NOUNS[kind]).score > 0.4
    assert coherence(VERB_LIKE_NOUNS[kind]) > 0.5


@pytest.mark.requirement("F-ANALYZE-15")
@pytest.mark.parametrize("kind", BARE_CLAUSES)
def test_plurals_and_their_verbs_make_a_sentence_without_articles(kind: str) -> None:
    clauses, words = BARE_CLAUSES[kind]
    first, *_ = relational_weight(clauses).sentences
    assert first > 0.1
    assert relational_weight(words).score <= 0.1


@pytest.mark.requirement("F-ANALYZE-03")
@pytest.mark.parametrize("kind", TEMPLATES)
def test_a_template_filled_with_keywords_stays_low(kind: str) -> None:
    assert relational_weight(TEMPLATES[kind]).score <= SHORT_SCORE


@pytest.mark.requirement("F-ANALYZE-15")
@pytest.mark.parametrize("kind", STUFFED)
def test_unrelated_text_does_not_raise_a_stuffed_list_beyond_its_bound(kind: str) -> None:
    assert relational_weight(f"{STUFFED[kind]} {UNRELATED}").score <= 0.35


@pytest.mark.requirement("F-ANALYZE-03")
@pytest.mark.parametrize("kind", STUFFED)
def test_a_stuffed_list_stays_low(kind: str) -> None:
    assert relational_weight(STUFFED[kind]).score <= 0.35


@pytest.mark.requirement("F-ANALYZE-03")
@pytest.mark.parametrize("kind", STUFFED)
def test_a_stuffed_list_stays_low_in_company(kind: str) -> None:
    mesh, stuffed = relational_weight_joint([CACHE, STUFFED[kind]])
    assert stuffed.score <= 0.35
    assert mesh.score > 0.6


@pytest.mark.requirement("F-ANALYZE-03")
@pytest.mark.parametrize("mesh", [CACHE, RACE])
def test_the_same_words_in_any_order_score_lower(mesh: str) -> None:
    words = mesh.replace(".", "").replace(",", "").split()
    for seed in range(20):
        random.Random(seed).shuffle(words)  # noqa: S311 - no secret
        shuffled = " ".join(" ".join(words[at : at + 9]) + "." for at in range(0, len(words), 9))
        assert relational_weight(shuffled).score < relational_weight(mesh).score


@pytest.mark.requirement("F-ANALYZE-03")
def test_saying_it_again_adds_nothing() -> None:
    assert dict(word_weights(f"{CACHE} {CACHE}")) == pytest.approx(dict(word_weights(CACHE)))


@pytest.mark.requirement("F-ANALYZE-02")
def test_buzzwords_that_never_meet_score_low() -> None:
    text = "Synergy drives growth in the market. A blockchain transforms the clinic. The cloud is agile for a startup."
    assert relational_weight(text).score == 0.0


@pytest.mark.requirement("F-ANALYZE-02")
def test_a_paragraph_is_the_mean_of_its_sentences() -> None:
    weighed = relational_weight(f"{CACHE}\n\nIt rained. The cache was cold in the memory of the server.")
    assert len(weighed.sentences) == 7
    means = [unscaled(score) for score in weighed.sentences]
    assert weighed.paragraphs[0] == pytest.approx(scaled(sum(means[:5]) / 5))
    assert weighed.paragraphs[1] == pytest.approx(scaled(sum(means[5:]) / 2))
    assert weighed.score == pytest.approx(scaled(sum(means) / 7))


@pytest.mark.requirement("F-ANALYZE-02")
def test_the_window_bounds_what_is_tied() -> None:
    text = "Anna keeps bees. Her bees make honey in June. We sell the honey to Anna."
    assert dict(word_weights(text, window=5))["june"] > 0
    assert dict(word_weights(text, window=2))["june"] == 0
    assert relational_weight(text, window=1).score == 0


@pytest.mark.requirement("F-ANALYZE-04")
@pytest.mark.parametrize("text", ["", "Ok", "The cache is full. It evicts keys.", "redis cache " * 50])
def test_short_text_gets_a_flat_low_score(text: str) -> None:
    weighed = relational_weight(text)
    assert weighed.short
    assert weighed.score == SHORT_SCORE
    assert set(weighed.sentences) <= {SHORT_SCORE}
    assert word_weights(text) == ()


@pytest.mark.requirement("F-ANALYZE-04")
def test_short_pieces_are_scored_together() -> None:
    pieces = CACHE.replace(". ", ".\n").split("\n")
    together = relational_weight_joint(pieces)
    assert not any(piece.short for piece in together)
    assert [piece.score for piece in together] == pytest.approx(relational_weight(CACHE).sentences)


@pytest.mark.requirement("F-ANALYZE-04")
def test_two_sentences_in_all_stay_short() -> None:
    assert [piece.short for piece in relational_weight_joint(["The cache is full.", "", "It evicts keys."])] == [
        True
    ] * 3


@pytest.mark.requirement("F-ANALYZE-04")
@pytest.mark.parametrize("wordless", ["", "!!!", "(,)", "😀"])
def test_a_piece_without_words_stays_short_in_company(wordless: str) -> None:
    mesh, empty = relational_weight_joint([CACHE, wordless])
    assert (mesh.short, empty.short) == (False, True)


@pytest.mark.requirement("F-ANALYZE-04")
def test_a_central_thread_of_short_pieces_outweighs_a_long_aside() -> None:
    thread = [
        "Our bees came through the winter with plenty of honey.",
        "I lost half of my bees, though the honey was still in the hive.",
        "I treated the hive for mites in autumn, but the bees were weak already.",
        "Weak bees cannot keep the hive warm, so they die beside the honey.",
    ]
    aside = (
        "By the way, the annual report of the company was published on Tuesday. It lists revenue of forty million and "
        "a new office in Leeds. The board thanked the staff. Parking was free. Lunch came from a local restaurant."
    )
    *central, peripheral = relational_weight_joint([*thread, aside])
    assert min(piece.score for piece in central) > 2 * peripheral.score


THREADS = (
    (
        "We have to settle the guest list for the wedding.",
        "My mother wants sixty guests at the wedding, which the barn cannot hold.",
        "How many guests fit into the barn?",
        "The barn holds forty guests if we eat outside.",
        "Then the wedding is in the barn, and we eat outside.",
        "I'll tell my mother that the barn holds forty.",
    ),
    (
        "The kitchen ceiling is wet again.",
        "Did the plumber not fix the pipe above the kitchen?",
        "He fixed the pipe, but the ceiling got wet when it rained.",
        "So the rain comes through the roof, and the pipe was fine.",
        "Right, call a roofer about the ceiling.",
        "The roofer comes on Friday if there is no rain.",
    ),
    (
        "I failed the chemistry exam.",
        "How much did you study for the exam?",
        "Two evenings, and the exam had nothing of what I had studied.",
        "Ask the teacher whether you can take the exam again.",
        "She said that chemistry can be taken again in June.",
        "Then study chemistry every week until June.",
    ),
)


@pytest.mark.requirement("W-WEIGH-03")
def test_a_thread_outweighs_a_long_and_tight_text_about_something_else() -> None:
    outweighed = 0
    for thread in THREADS:
        for aside in honest_texts():
            for place in (1, len(thread) - 1):
                weighed = relational_weight_joint([*thread[:place], aside, *thread[place:]])
                scores = [piece.score for piece in weighed]
                long = scores.pop(place)
                outweighed += sum(scores) / len(scores) > long
    assert outweighed >= 0.9 * 2 * len(THREADS) * len(honest_texts())


@pytest.mark.requirement("F-ANALYZE-05")
@pytest.mark.parametrize(
    "text",
    [
        "缓存把热键放在内存里。内存满了，缓存就淘汰旧键。淘汰会让延迟变高，因为服务器要从数据库读旧键。数据库很慢。",
        (
            "Der Cache hält die Schlüssel im Speicher. Wenn der Speicher voll ist, verliert der Cache alte Schlüssel. "
            "Dann liest der Server die alten Schlüssel aus dem Speicher der Datenbank."
        ),
        (
            "Кэш хранит ключи в памяти. Когда память полна, кэш теряет старые ключи. Тогда сервер читает старые ключи "
            "из базы, и память сервера растет."
        ),
        "キャッシュは鍵をメモリに置く。メモリが一杯になると、キャッシュは古い鍵を捨てる。古い鍵はサーバーがメモリに戻す。",
        "캐시는 키를 메모리에 둔다. 메모리가 차면 캐시는 오래된 키를 버린다. 오래된 키는 서버가 메모리에 다시 읽는다.",
    ],
)
def test_a_mesh_is_seen_in_any_script(text: str) -> None:
    assert 0.2 < relational_weight(text).score <= 1.0


@pytest.mark.requirement("F-ANALYZE-02")
def test_real_conversation_spreads_over_the_range() -> None:
    sample = Path(__file__).parents[2] / "src" / "clew" / "cli" / "sample" / "conversation.jsonl"
    turns = [json.loads(line)["content"] for line in sample.read_text(encoding="utf-8").splitlines()]
    beats = [relational_weight_joint(turns[at : at + 6]) for at in range(0, len(turns), 6)]
    scores = sorted(weighed.score for beat in beats for weighed in beat)
    tenth, median, ninetieth = (scores[int(share * len(scores))] for share in (0.1, 0.5, 0.9))
    assert tenth < 0.1 < median < 0.4 < ninetieth < 0.9
