"""Sentences with what they state, by kind, invented before the rules for them; some must state nothing.

A line is a turn, `Speaker: text`, or several joined by ` || `; behind ` => ` stands what the last of them states, as
`subject | verb | object`, several joined by ` ; `. What is indented goes on with the line above.
Nothing behind it means that the turn states nothing.
"""

from typing import Final

KINDS: Final = {
    # What almost happened did not happen; what somebody "basically" is, they are not.
    "nearly": """
Ann: I almost moved to Oslo. =>
Ann: I nearly bought a boat. =>
Ann: We've almost finished the kitchen. =>
Ann: My brother almost died. =>
Ann: I practically live in the library. =>
Ann: Zoe is basically my sister. =>
Ann: My cat is basically my landlord. =>
Ann: I'm practically a vegetarian. =>
Ann: I almost always bring sandwiches. => Ann | brings | sandwiches
Ann: I almost never drink coffee. => Ann | drinks | coffee
Ann: I moved to Oslo nearly a year ago. => Ann | lives in | Oslo
Ann: My sister is almost always in Rome. => Ann's sister | is in | Rome
""",
    # A verb with an object of its own leaves the words before its subject alone.
    "own objects": """
Ann: I must say, here in Porto we quite love our burgers. => Ann | loves | burgers
Ann: Every time I see a photo from Hawaii I still wear my old hat. => Ann | wears | old hat
Ann: I showed Tom the bike I bought last week. => Ann | shows | Tom the bike ; Ann | buys | bike
""",
    # A participle before its noun is no verb: the verb comes behind it.
    "participles": """
Ann: My morning iced latte really helps me get through the day. =>
Ann: My used car needs new tyres. => Ann's used car | needs | new tyres
Ann: My sister baked cookies. => Ann's sister | bakes | cookies
Ann: My brother painted houses in Leeds. => Ann's brother | paints | houses
Ann: My boss said sales are down. =>
""",
    # Whom a pronoun in an object means is not known.
    "whose": """
Ann: I'm a huge fan of her songs. =>
Ann: I'm a regular reader of his blog. =>
Ann: I'm a huge fan of Dua Lipa and her songs. => Ann | is | huge fan of Dua Lipa and her songs
Ann: I'm a big fan of Italian food. => Ann | is | big fan of Italian food
Ann: My favourite is her second album. =>
""",
    # Whoever is spoken to by name is no part of an object.
    "addressed": """
Ben: Hi! || Ann: I'm majoring in business finance Ben! => Ann | majors in | business finance
Ben: Hi! || Ann: I bought a kayak Ben. => Ann | buys | kayak
Ben: Hi! || Ann: I have a brother Ben. => Ann | has | brother Ben
Ben: Hi! || Ann: I bought a gift for Ben. => Ann | buys | gift for Ben
Rose: Hi! || Ann: I planted a red rose. => Ann | plants | red rose
Ben: Hi! || Ann: I met Ben. => Ann | meets | Ben
""",
    # What happens in a book or film happens to nobody.
    "fiction": """
Ann: In the novel I'm reading, the hero works at a lighthouse. =>
Ann: In the movie, Tom lives in Rome. =>
Ann: In this series the detective is a nurse. =>
Ann: In the film I saw last night my favourite actor dies. =>
Ann: In my novel I use short chapters. => Ann | uses | short chapters
Ann: In the film industry, my sister works as a producer. => Ann's sister | works as | producer
Ann: In Rome, Tom lives in a castle. => Tom | lives in | castle
Ann: In my novel, I live in Paris and work as a spy. =>
Ann: In my dream I was married to a pilot and we had moved to Iceland. =>
Ann: In the scenario I own a bakery. =>
Ann: Write a story in which I live on Mars and own a dragon. =>
Ann: Write a poem for my wife, I live in Rome. => Ann | lives in | Rome
Ann: In my dream job I work with animals. => Ann | works with | animals
""",
    # Words behind a colon or dash that somebody else said or wrote, or that are to be worked on; parts in a play.
    "announced": """
Ann: The customer wrote: I want a refund for the kettle. =>
Ann: My boss told me yesterday: I am leaving the company in March. =>
Ann: Here's the review we got - I ordered the lamp in May. =>
Ann: This is her message: I moved to Leeds. =>
Ann: Translate into French: I have two children and live in Oslo. =>
Ann: Please correct this text: I live in Berlin. =>
Ann: Customer: I want a refund. =>
Ann: Let's role-play: you are a barista. I would like a flat white. =>
Ann: I told him: I live in Rome. => Ann | lives in | Rome
Ann: As I said: I live in Rome. => Ann | lives in | Rome
Ann: Good news: I moved to Rome. => Ann | lives in | Rome
Ann: Improve my CV: I am a nurse. => Ann | works as | nurse
Ann: I live in Rome - my sister lives in Oslo. => Ann | lives in | Rome ; Ann's sister | lives in | Oslo
Ann: Thanks for the reply - I live in Rome now. => Ann | lives in | Rome
Ann: Just saw the message — I'm allergic to nuts. => Ann | is allergic to | nuts
Ann: About the ticket: I live in Rome. => Ann | lives in | Rome
Ann: You asked for my city: I live in Rome. => Ann | lives in | Rome
Ann: Fix this bug: I live in Rome. => Ann | lives in | Rome
Ann: Edit this: I live in Rome. =>
Ann: Check the grammar: I live in Rome. =>
Ann: Bob: I live in Rome. =>
Ann: ann: I live in Rome. => Ann | lives in | Rome
Ann: I love role-playing games and I live in Rome. => Ann | loves | role-playing games ; Ann | lives in | Rome
Ann: We sold the house; we live in Rome now => Ann | sells | house ; Ann | lives in | Rome
""",
    # A setting that is named with its number belongs to the thing, whatever the verb: a later number replaces it.
    "numbered settings": """
Ann: The API listens on port 8080. => API port | is set to | 8080
Ann: the api runs on port 8080 by default => api port | is set to | 8080
Ann: We moved the API to port 9090. => API port | is set to | 9090
Ann: The gateway is on port 6380 now. => gateway port | is set to | 6380
Ann: The dev server uses port 3000. => dev server port | is set to | 3000
Ann: The API runs on port 8080 on staging. => API port | is set to | 8080
Ann: The dev server uses two ports. => dev server | uses | two ports
Ann: I moved the sofa to room 12. => Ann | moves | sofa to room 12
""",
    # What a company does to somebody begins or ends a job, as where it is told of the person.
    "staffed": """
Ann: They promoted me to head of support today. => Ann | works as | head of support
Ann: Yesterday Contoso hired me as a nurse. => Ann | works at | Contoso ; Ann | works as | nurse
Ann: My boss fired me. => Ann | works at |
Ann: They never hired me. =>
Ann: Got the job at the museum! => Ann | works at | museum
Ann: I took a job at the top. => Ann | takes | job at the top
""",
    # Subjects behind a lead without a comma, and verbs behind a comma that share the subject of "I".
    "loose clauses": """
Ann: After a long discussion the team settled on Redis. => we | decides on | Redis
Ann: I don't drink coffee anymore, switched to matcha. => Ann | drinks | coffee ; Ann | uses | matcha
Ann: I sold the car, bought a bike. => Ann | sells | car ; Ann | buys | bike
Ann: I love pasta, made with eggs. => Ann | loves | pasta
Ann: I'm on the Pro plan and want to downgrade to Basic. => Ann | is on | Pro plan ; Ann | wants | to downgrade to Basic
Ann: I used to paint, these days I teach chemistry. => Ann | paints | ; Ann | teaches | chemistry
Ann: Can't stand coriander, tastes like soap to me. => Ann | dislikes | coriander
Ann: Can't stand up. =>
Ann: I have make ravioli for the potluck. =>
Ann: I have work tomorrow. => Ann | has | work
""",
    # A name with a number is a version of a product, in which nobody lives; some places have numbers, too.
    "versions": """
Ann: We moved to Node 20. => we | uses | Node 20
Ann: We moved to Postgres 15 for billing. => we | uses | Postgres 15
Ann: I moved to Suite 12. => Ann | lives in | Suite 12
Ann: I moved to Berlin. => Ann | lives in | Berlin
Ann: We moved to Zone 3. => Ann | lives in | Zone 3
""",
    # Somebody's death; what "died" of a thing, or of laughter, is a figure of speech.
    "deaths": """
Ann: My grandmother passed away last Tuesday. => Ann's grandmother | dies |
Ann: My dad died in 2015. => Ann's dad | dies |
Ann: My uncle Leo died of cancer. => Leo | dies of | cancer ; Leo | is uncle of | Ann
Ann: My hamster died. => Ann's hamster | dies | ; Ann | has | hamster
Ann: My sister died laughing. =>
Ann: I died of laughter. =>
Ann: I died when I saw the bill. =>
Ann: My phone died. =>
Ann: My mum almost died. =>
Ann: We named him Theo, after my father. =>
Ann: We named our son Theo. => Ann | names | son Theo ; Theo | is son of | Ann
""",
    # "I better call Tom" says what would be wise, not what happens.
    "advice": """
Ann: I better call Tom. =>
Ann: I better not sell the house. =>
Ann: We better book a table at Luigi's. =>
Ann: I best call Tom now. =>
Ann: I had better see a dentist. =>
Ann: I'd best sell the car. =>
Ann: You better move to Porto. =>
Ann: They better repair the boiler. =>
Ann: I guess I better buy a heater. =>
Ann: I better just cancel the trip to Oslo. =>
Ann: We best leave the cat with Tom. =>
Ann: I better be going. =>
Ann: I really better study chemistry. =>
Ann: I ought to call Tom. =>
Ann: I dare say Tom lives in Rome. =>
Ann: So we better hire a gardener. =>
Ann: I like better tea now. => Ann | likes | better tea
Ann: I play the oboe, better than ever. => Ann | plays | oboe
Ann: I bought a better laptop. => Ann | buys | better laptop
Ann: I live in Porto now, which is better for my lungs. => Ann | lives in | Porto
Ann: I better call Tom, he moved to Lisbon. => Tom | lives in | Lisbon
Ann: My best friend Tom lives in Lisbon. => Tom | lives in | Lisbon ; Tom | is friend of | Ann
Ann: I got better and moved to Porto. => Ann | lives in | Porto
Ann: I sold the better of my two bikes. => Ann | sells | better of their two bikes
Ann: I work at Best Motors. => Ann | works at | Best Motors
Ann: I know Tom best, he is a nurse. => Tom | works as | nurse
Ann: I have a better idea of tax law now, I study law. => Ann | has | better idea of tax law ; Ann | studies | law
Ann: I moved to Porto for a better job. => Ann | lives in | Porto
Ann: Better late than never, I quit smoking. => Ann | smokes |
Ann: I feel better since I sold the car. => Ann | sells | car
Ann: I chose the better school, Oakwood. => Ann | decides on | better school
""",
    # A joke in the middle or at the end of a sentence is taken back; what follows it counts.
    "jests": """
Ann: My car is green, just kidding, it's blue. =>
Ann: I'm moving to Mars, just kidding! =>
Ann: I married Tom (just kidding). =>
Ann: I sold the house - kidding, I still live there. =>
Ann: I live in Rome lol jk. =>
Ann: I bought a castle, only joking. =>
Ann: I work at the circus... just kidding! =>
Ann: I have nine cats, haha, just kidding. =>
Ann: I quit my job – just kidding. =>
Ann: I'm allergic to Mondays, j/k. =>
Ann: We adopted a tiger, I'm just kidding of course. =>
Ann: I sold my bike, no, just kidding. =>
Ann: I'm 107, just joking. =>
Ann: I hate cake, obviously kidding. =>
Ann: I moved to Rome, totally kidding, and nothing changed. =>
Ann: I live in Rome, just kidding, I live in Paris. => Ann | lives in | Paris
Ann: I have nine cats, just kidding, I have two dogs. => Ann | has | two dogs
Ann: I'm a spy, kidding, I'm a nurse. => Ann | works as | nurse
Ann: I work at NASA (just kidding), I work at Vela. => Ann | works at | Vela
Ann: I'm not kidding, I live in Rome. => Ann | lives in | Rome
Ann: No kidding, I live in Rome. => Ann | lives in | Rome
Ann: I live in Rome, no joke. => Ann | lives in | Rome
Ann: I moved to Rome, no kidding! => Ann | lives in | Rome
Ann: I live in Rome and I'm not joking. => Ann | lives in | Rome
Ann: I live in Rome with a man who is always joking. => Ann | lives in | Rome
Ann: Tom likes joking, he lives in Rome. => Tom | likes | joking ; Tom | lives in | Rome
Ann: I live in Rome, kidding myself about the rent. => Ann | lives in | Rome
Ann: I bought a joke book. => Ann | buys | joke book
Ann: My brother was kidding about the tiger, he has a cat.
    => Ann's brother | kids about | tiger ; Ann's brother | has | cat
Ann: I write jokes for Radio Nine. => Ann | writes | jokes for Radio Nine
Ann: I wasn't joking, I sold the car. => Ann | sells | car
""",
    # What is down, off or away until a day is not scheduled for it.
    "states": """
Ann: The CI runner is down until tomorrow. =>
Ann: Our server is down until Friday. =>
Ann: The boss is away until Friday. =>
Ann: The gym is back on Monday. =>
Ann: The network was down yesterday. =>
Ann: The heating is off until Monday. =>
Ann: The sale is until Friday. =>
Ann: The staging database is up again since yesterday. =>
Ann: The lift is out until next week. =>
Ann: The strike is over on Friday. =>
Ann: Our printer is off on Sundays. =>
Ann: The website was offline on Friday. =>
Ann: The bridge is down since Tuesday. =>
Ann: The manager is out tomorrow. =>
Ann: The mail server is up until midnight on Friday. =>
Ann: The deploy queue is behind until tomorrow. =>
Ann: The launch is on Friday. => launch | is scheduled for | Friday
Ann: My flight is tomorrow. => Ann's flight | is scheduled for | tomorrow
Ann: The meeting is now on Friday. => meeting | is scheduled for | Friday
Ann: The exam is next week. => exam | is scheduled for | next week
Ann: Our wedding is in May. => wedding | is scheduled for | May
Ann: The concert is on May 5. => concert | is scheduled for | May 5
Ann: My appointment is at 3 pm on Friday. => Ann's appointment | is scheduled for | 3 pm on Friday
Ann: The demo was yesterday. => demo | is scheduled for | yesterday
Ann: The deadline is tomorrow. => deadline | is scheduled for | tomorrow
Ann: The party is already on Saturday. => party | is scheduled for | Saturday
Ann: The fair is just next week. => fair | is scheduled for | next week
Ann: My interview is by Friday. => Ann's interview | is scheduled for | Friday
Ann: The workshop will be on Friday. => workshop | is scheduled for | Friday
Ann: The final is this weekend. => final | is scheduled for | this weekend
Ann: Their next race is on April 3. =>
Ann: The audit is still on Monday. => audit | is scheduled for | Monday
""",
    # A name that no list knows: somebody, if it does what only people do; a company, if it pays and hires.
    "names": """
Ann: Femi works at Vela. => Femi | works at | Vela
Ann: Femi lives in Porto. => Femi | lives in | Porto
Ann: Jorin works as a welder at Vela. => Jorin | works as | welder
Ann: Oluchi moved to Lisbon. => Oluchi | lives in | Lisbon
Ann: Femi works at Vela. He bought a car. => Femi | works at | Vela ; Femi | buys | car
Ann: Femi works at Vela. Vela pays him well and he bought a car. => Femi | works at | Vela ; Femi | buys | car
Ann: Tom works at Vela. Vela pays him well and he bought a car. => Tom | works at | Vela ; Tom | buys | car
Ann: My brother works at Quor. Quor pays him well and he bought a car.
    => Ann's brother | works at | Quor ; Ann's brother | buys | car
Ann: My sister joined Quor. Quor promoted her and she moved to Oslo.
    => Ann's sister | joins | Quor ; Ann's sister | lives in | Oslo
Bo: My uncle found a job. || Ann: Quor hired him and he moved to Oslo. => Bo's uncle | lives in | Oslo
Ann: Dragica lives in Zadar and she has two goats. => Dragica | lives in | Zadar ; Dragica | has | two goats
Ann: Oluchi studies law at Leeds. She plays chess. => Oluchi | studies | law ; Oluchi | plays | chess
Ann: Femi married Tove. => Femi | is married to | Tove
Ann: Femi retired in May. => Femi | retires | ; Femi | works at | ; Femi | works as |
Ann: Tom works at Vela. Vela sacked him. He sold his car. => Tom | works at | Vela ; Tom | sells | his car
Ann: Bob called. Femi works at Vela and he bought a car. => Femi | works at | Vela
Ann: Tom works at Vela. Femi called. He bought a car. => Tom | works at | Vela
Bo: Tom works here. || Ann: Femi called. He bought a car. =>
Bo: Tom works here. || Ann: Jorin met us at noon. He bought a car. =>
Bo: My brother is ill. || Ann: Brixo wrote to us. He bought a car. =>
Bo: Tom works here. || Ann: Femi called. Vela pays him well and he bought a car. =>
Bo: Tom is tired. || Ann: Femi hired a cook. He bought a car. =>
Ann: Aspirin works in minutes. =>
Ann: Rent went up. =>
Ann: Packaging works for me. =>
Ann: Lunch works for Tom. =>
Ann: Wednesday works for Tom. =>
Ann: Dinner moved to Friday. =>
Ann: Mould lives in walls. =>
Ann: Nothing lives in Porto. =>
Ann: Coffee works at night. =>
Ann: Whoever works at Vela is rich. =>
""",
    # Transcripts of speech: sounds, marks, words said twice, and sentences that break off.
    "speech": """
Grad A: Um , I 'm j {disfmarker} I mean , I 'm from Oslo . => Grad A | is from | Oslo
Grad A: I have a {disfmarker} uh , I bought a laptop . => Grad A | buys | laptop
Grad A: Yeah , uh , we have phone - level backtraces for the corpus .
    => Grad A | has | phone-level backtraces for the corpus
Grad A: I um live in Rome , and I uh I work at Vela . => Grad A | lives in | Rome ; Grad A | works at | Vela
Grad A: We bought the {vocalsound} the house of my aunt . => Grad A | buys | house of their aunt
Grad A: I bought a [laughter] a new car . => Grad A | buys | new car
Grad A: I live in uh Lisbon . => Grad A | lives in | Lisbon
Grad A: Well , my {disfmarker} my sister Anna lives in Oslo . => Anna | lives in | Oslo ; Anna | is sister of | Grad A
Grad A: I moved to {vocalsound} Rome in May . => Grad A | lives in | Rome
Grad A: So uh I 've got two cats at home . => Grad A | has | two cats at home
Grad A: The launch is uh on Friday . => launch | is scheduled for | Friday
Grad A: I quit um smoking . => Grad A | smokes |
Grad A: I I I like uh walks in the wood . => Grad A | likes | walks in the wood
Grad A: My name 's uh Ivo . => Grad A | is named | Ivo
Grad A: I work {gap} at Vela . => Grad A | works at | Vela
Grad A: I 'm a nurse , uh , at Vela . => Grad A | works as | nurse
Grad A: {vocalsound} Yeah well we have uh six hives => Grad A | has | six hives
Grad A: I have several {disfmarker} =>
Grad A: I need the sc {disfmarker} =>
Grad A: I work at V {disfmarker} well , never mind . =>
Grad A: I live in the {disfmarker} the uh {disfmarker} =>
Grad A: We have this S - {disfmarker} uh , what is it called ? =>
Grad A: We went n {disfmarker} not there . =>
Grad A: I 'm a g {disfmarker} sorry ? =>
Grad A: I have c {disfmarker} I mean , who has ? =>
Grad A: We use the {disfmarker} uh you know . =>
Grad A: Uh , we should {disfmarker} we could use a lexicon . =>
Grad A: I 'd like to second the motion , uh . =>
Grad A: I 'll {vocalsound} go back to Mr. Kim . =>
Grad A: I give the floor to uh Ms. Diaz . =>
Grad A: Uh I like a b {disfmarker} nothing . =>
Grad A: We got l {disfmarker} um . =>
""",
    # What somebody or something is wanted to do is not what is wanted.
    "wishes": """
Ann: I want my kids to learn that too. =>
Ann: I need the flight to arrive before noon. => Ann | needs | flight to arrive
Ann: I need Tom to do it. =>
Ann: I want the others to see this. =>
Ann: I need my sister to tell him. =>
Ann: I want my boss to know it. =>
Ann: We need the council to hear us. =>
Ann: I need the dog to obey it. =>
Ann: I want my parents to like him. =>
Ann: We want the client to approve it. =>
Ann: I'd love my sister to meet you. =>
Ann: I want our team to win this. =>
Ann: I need the landlord to fix it. =>
Ann: I want the neighbours to hear that. =>
Ann: I need a friend to help them. =>
Ann: We'd like the city to hear us. =>
Ann: I want my kids to learn piano. => Ann | wants | kids to learn piano
Ann: I want Tom to sell the house. => Ann | wants | Tom to sell the house
Ann: I need my laptop to edit videos. => Ann | needs | laptop to edit videos
Ann: I need a car to get to work. => Ann | needs | car to get to work
Ann: I want a dog. => Ann | wants | dog
Ann: I need a flight to Rome. => Ann | needs | flight to Rome
Ann: I want to learn Greek. => Ann | wants | to learn Greek
Ann: I need two tickets for Friday. => Ann | needs | two tickets
Ann: I want a house with a garden. => Ann | wants | house with a garden
Ann: I need my sister to pick up the kids. => Ann | needs | sister to pick up the kids
Ann: I am interested in areas such as botany and law. => Ann | is interested in | areas such as botany and law
Ann: I like dogs such as beagles. => Ann | likes | dogs such as beagles
Ann: I collect instruments such as the oboe. => Ann | collects | instruments such as the oboe
Ann: I grow herbs such as thyme and sage. => Ann | grows | herbs such as thyme and sage
Ann: I read plays such as Hamlet. => Ann | reads | plays such as Hamlet
""",
    # What is said by saying that one wants to say it, is there, or is 100 % sure; objects that were cut.
    "saying": """
Ann: I want to remind everyone to bring a lamp. =>
Ann: I'd like to thank the volunteers. =>
Ann: I want to assure the members. =>
Ann: I would like to congratulate the winners. =>
Ann: We want to stress the risk of fire. =>
Ann: I want to reiterate the second point. =>
Ann: I'd like to emphasize the cost of delay. =>
Ann: I want to apologize to the neighbours. =>
Ann: I just want to acknowledge the work of the night shift. =>
Ann: I'd like to echo the last speaker. =>
Ann: I'm 100% behind the plan. =>
Ann: I'm not a hundred per cent sure. =>
Ann: I took the plunge. =>
Ann: We had a good laugh. =>
Ann: I'll give it a try someday. =>
Ann: We made awesome memories. =>
Ann: In New York there is a rich art scene. =>
Ann: In Porto there are many bridges. =>
Ann: In Lisbon there was a strike. =>
Ann: I want to sell the house. => Ann | wants | to sell the house
Ann: I'd like to point out the cost of delay. =>
Ann: I want to learn the oboe. => Ann | wants | to learn the oboe
Ann: I reminded Tom of the dentist. => Ann | reminds | Tom of the dentist
Ann: I own 40% of the bakery. => Ann | owns | 40% of the bakery
Ann: I wrote a parser that does the dates. => Ann | writes | parser that does the dates
Ann: I bought a boat that is too long. => Ann | buys | boat
Ann: I took the train to Porto. => Ann | takes | train to Porto
Ann: We had a good dinner at Luigi's. => Ann | has | good dinner at Luigi's
Ann: I made a lava cake. => Ann | makes | lava cake
Ann: New York is my favourite city. => Ann | has favourite | New York
Ann: I live in New York, there is a rich art scene. => Ann | lives in | New York
Ann: I need to repair the roof. => Ann | needs | to repair the roof
Ann: I'm a member of the choir. => Ann | is | member of the choir
Ann: I'd like to visit Oslo. => Ann | wants | to visit Oslo
Ann: We want to adopt a dog. => Ann | wants | to adopt a dog
Ann: I want to paint the fence. => Ann | wants | to paint the fence
""",
    # An object that is cut where its sense begins states nothing, or is told up to where it makes sense.
    "cut": """
Ann: I prefer simple, cheap recipes. => Ann | prefers | simple, cheap recipes
Ann: I'm trying to declutter my attic before winter. => Ann | tries | to declutter their attic before winter
Ann: I want to refactor my parser. => Ann | wants | to refactor their parser
Ann: I've tried using a script to minify my styles. => Ann | tries | using a script to minify their styles
Ann: I have trouble wrapping my head around it. =>
Ann: I have trouble wrapping my head around recursion. => Ann | has | trouble wrapping their head around recursion
Ann: I'm having trouble applying it to my garden. =>
Ann: I'm on the same page here. =>
Ann: I'm on the right path. =>
Ann: I'm on the same page about the budget. => Ann | is on | same page about the budget
Ann: I'm in the choir. => Ann | is in | choir
Ann: I graduated last week! => Ann | graduates |
Ann: I volunteered two weeks ago. => Ann | volunteers |
Ann: I want to help people go through it. =>
Ann: We support the groups fighting against it. =>
Ann: I don't want children to go through that. =>
Ann: I'll write a list of the ones that suit what I need. =>
Ann: I have a machine that makes it possible to bake bread. =>
Ann: I bought a chair to sit on. => Ann | buys | chair to sit on
Ann: I have four exams to study for. => Ann | has | four exams to study for
Ann: I received a 200 OK response from Vela. => Ann | receives | 200 OK response from Vela
Ann: I'm familiar with that. =>
Ann: I'm familiar with Rust. => Ann | is | familiar with Rust
Ann: I was introduced to it briefly. =>
Bo: I help at the shelter. || Ann: I'm inspired by your work. => Ann | is | inspired by Bo's work
Ann: I'm inspired by your work. =>
Ann: I'm trying to fix this "KeyError: name" crash. => Ann | tries | to fix this KeyError
Ann: I've tried changing the path to "./run.js" and more. =>
Ann: I have a function that looks something like this. =>
Ann: I need to repair the roof however I can. => Ann | needs | to repair the roof
Ann: We work with farmers to make sure that nobody is hungry. => Ann | works with | farmers
Ann: I visited the bakery to find out when they open. => Ann | visits | bakery
Ann: I bought a fence to avoid losing it. => Ann | buys | fence
Ann: I wrote a page about decision making which I forgot. => Ann | writes | page about decision making
Ann: I prefer proofs with diagrams to fully grasp the logical reasoning behind it.
    => Ann | prefers | proofs with diagrams to fully grasp the logical reasoning
Ann: We baked cakes and sold them. => Ann | bakes | cakes
""",
}

DATED: Final = """
Ann: From July I work at Vela. => Ann | works at | Vela | planned | 2026-07-01 |
Ann: From July on I live in Porto. => Ann | lives in | Porto | planned | 2026-07-01 |
Ann: I work at Vela from July. => Ann | works at | Vela | planned | 2026-07-01 |
Ann: Since July I work at Vela. => Ann | works at | Vela | active | 2025-07-01 |
Ann: From July to September I work at Vela. => Ann | works at | Vela | planned | 2026-07-01 | 2026-10-01
Ann: I live in Rome from May to June. => Ann | lives in | Rome | planned | 2026-05-01 | 2026-07-01
Ann: From January I teach at Oakwood. => Ann | teaches at | Oakwood | recurring | 2026-01-01 |
Ann: I'm a nurse, and in August I move to Oslo.
    => Ann | works as | nurse | active | | ; Ann | lives in | Oslo | planned | 2026-08-01 | 2026-09-01
Ann: I'm a nurse, and next week I fly to Oslo.
    => Ann | works as | nurse | active | | ; Ann | flies to | Oslo | planned | 2026-03-16 | 2026-03-23
Bo: When do you start at Vela? || Ann: From July. => Ann | starts at | Vela | planned | 2026-07-01 |
Bo: When did you move to Rome? || Ann: In May. => Ann | lives in | Rome | active | 2025-05-01 |
Bo: When did you move to Rome? || Ann: Oh, in 2019, I think. => Ann | lives in | Rome | active | 2019-01-01 |
Bo: Nice! When are you flying to Oslo? || Ann: Next Friday! => Ann | flies to | Oslo | planned | 2026-03-13 | 2026-03-14
Bo: Since when have you lived in Porto? || Ann: Since March. => Ann | lives in | Porto | active | 2026-03-01 |
Bo: When did you get married? || Ann: Last week. => Ann | gets | married | completed | 2026-03-02 | 2026-03-09
Ann: I have a letter from July. => Ann | has | letter from July | active | |
Ann: I got a letter from April. => Ann | gets | letter from April | completed | |
Ann: I got a call from June. => Ann | gets | call from June | completed | |
Ann: I love photos from March. => Ann | loves | photos from March | active | |
Ann: I bought the report from October. => Ann | buys | report from October | completed | |
Ann: I recovered from March madness. => Ann | recovers from | March madness | completed | |
Ann: I bought a map from May's shop. => Ann | buys | map | completed | |
Ann: I sold the car on Monday and Tom left on Friday. => Ann | sells | car | completed | 2026-03-09 | 2026-03-10
Bo: How are you? || Ann: Next Friday. =>
Bo: When did Tom move to Rome? || Ann: In May. =>
Bo: When do you start at Vela? || Ann: From July, if all goes well. =>
Bo: When is the launch? || Ann: Whenever July comes. =>
Bo: You moved to Rome? || Ann: In May. =>
Bo: When you moved to Rome I was ill. || Ann: In May. =>
Ann: When did I move to Rome? || Ann: In May. =>
"""
"""The same, with status, first day and first day after it behind the object, said on 10 March 2026."""
