"""Small English word lists behind the English-only perturbations: verbs and their forms, synonyms, function words.

The synonyms are everyday words and words of the usual test beds (restaurants, weather, news, captions), paired
only where one can stand for the other in most sentences. No list can promise that of every sentence: "the
meaning is preserved" holds for most texts, not for each.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple


def words(text: str) -> frozenset[str]:
    """A set of words, written with blanks between them."""
    return frozenset(text.split())


def _series(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# base, past, participle
_IRREGULAR = """
bear bore borne; beat beat beaten; become became become; begin began begun; bind bound bound;
bite bit bitten; blow blew blown; break broke broken; bring brought brought; build built built;
buy bought bought; catch caught caught; choose chose chosen; come came come; cost cost cost; cut cut cut;
deal dealt dealt; do did done; draw drew drawn; drive drove driven; eat ate eaten; fall fell fallen;
feed fed fed; feel felt felt; fight fought fought; find found found; fly flew flown;
forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven; get got got; give gave given;
go went gone; grow grew grown; have had had; hear heard heard; hide hid hidden; hit hit hit; hold held held;
keep kept kept; know knew known; lay laid laid; lead led led; leave left left; lend lent lent; let let let;
lose lost lost; make made made; mean meant meant; meet met met; pay paid paid; put put put; read read read;
ride rode ridden; ring rang rung; rise rose risen; run ran run; say said said; see saw seen;
seek sought sought; sell sold sold; send sent sent; set set set; shake shook shaken; shoot shot shot;
show showed shown; shut shut shut; sing sang sung; sit sat sat; sleep slept slept; speak spoke spoken;
spend spent spent; stand stood stood; steal stole stolen; strike struck struck; sweep swept swept;
swim swam swum; take took taken; teach taught taught; tear tore torn; tell told told; think thought thought;
throw threw thrown; understand understood understood; wake woke woken; wear wore worn; win won won;
write wrote written
"""
# '+' doubles the last letter
_REGULAR = """
accept accuse achieve acquire adopt advise allow announce answer approach approve arrange arrest ask assist
attack attend award back bake ban+ block book borrow brush call capture carry cause celebrate change chase
check clean climb close collect command compare complete compose conclude conduct confirm connect consider
consume contain continue control cook copy cover create cross damage decide decline decorate decrease defeat
defend deliver demand depart describe design destroy develop direct discover discuss divide drop+ ease edit
employ end enjoy enter establish examine exhibit expand explain explore extend face fill finish fire fix
follow force form found freshen gain gather generate guard guide halt hand help hire host identify ignore
illustrate improve include increase inform injure inspect inspire install introduce invent investigate
invite join judge jump kick kill kiss launch lift like list load locate lock love lower maintain manage mark
marry measure moderate move murder name need notice obtain occupy offer open operate oppose order organise
organize own paint park pass perform photograph place plan+ plant play possess predict prepare present
prevent print produce promise promote protect prove provide publish pull punish purchase push raise reach
receive recommend record reduce refuse reject release remain remove rent repair replace report request
require rescue research reside resemble retain return reveal review reward rob+ rule save score select serve
settle share sign sponsor start stop+ strengthen study support surround surprise terminate test thank touch
train transform translate transport treat trust turn use utilise utilize veer vary visit walk want warn wash
watch weaken welcome wish witness wonder worry wrap+
"""
_NOT_PASSIVE = """
become come cost fall feel get go have let mean remain rise sit sleep stand swim like need want own resemble
contain wish depart reside locate jump vary veer worry wonder
"""

# Words and what can stand for them: `a b` one way only (b is wider or has other senses), `a = b` both ways.
# n: nouns, v: verbs, in all their forms; w: any other word, unchanged in form; `_` is a blank.
_SYNONYMS = """
n: film = movie; n: automobile = car; n: physician = doctor; n: attorney = lawyer; n: sofa = couch;
n: shop store; n: error = mistake; n: pupil student; n: illness = disease; n: residence home;
n: photo = photograph; n: snapshot photo; n: job occupation; n: profession occupation; n: kid = child;
n: bike = bicycle; n: motorbike = motorcycle; n: airplane aircraft; n: plane aircraft;
n: aeroplane aircraft; n: TV television; n: phone telephone; n: writer = author; n: novelist author;
n: restaurant = eatery; n: pub tavern; n: customer = patron; n: client customer; n: rating score;
n: cuisine food; n: location place; n: neighbourhood district; n: neighborhood district; n: region area;
n: town municipality; n: country = nation; n: leader head; n: aim goal; n: objective goal; n: problem issue;
n: concept idea; n: outcome result; n: consequence result; n: component part; n: category type;
n: amount = quantity; n: portion part; n: method approach; n: technique method; n: purpose aim;
n: opportunity chance; n: advantage benefit; n: drawback = disadvantage; n: ocean sea; n: woodland forest;
n: boat vessel; n: ship vessel; n: street = road; n: garbage rubbish; n: trash rubbish; n: autumn fall;
n: holiday = vacation; n: trip = journey; n: voyage journey; n: apartment flat; n: elevator lift;
n: lorry truck; n: gasoline petrol; n: soccer football; n: competition contest; n: champion winner;
n: coworker = colleague; n: boss manager; n: company firm; n: corporation company; n: enterprise business;
n: salary wage; n: assistance help; n: proposal = suggestion; n: quarrel argument; n: conflict dispute;
n: gentleman man; n: lady woman; n: youngster child; n: toddler child; n: infant = baby;
n: instructor = teacher; n: lecturer teacher; n: scientist = researcher; n: examination = exam;
n: sickness illness; n: injury wound; n: supper dinner; n: beverage drink; n: bunny rabbit; n: hound dog;
n: insect bug; n: serpent snake; n: jacket coat; n: pavement sidewalk; n: path trail; n: gust squall;
n: breeze wind; n: downpour shower; n: midday = noon; n: dusk = nightfall; n: dawn = daybreak;
n: conclusion end; n: synopsis summary; n: headline title; n: declaration statement; n: statute law;
n: accord agreement; n: pact treaty; n: throng crowd; n: blaze fire; n: collision crash; n: theft robbery;
n: jail prison; n: frontier border; n: cash money; n: reply = answer; n: friend pal; n: buddy friend;
n: stomach belly; n: physique body; n: suitcase bag; n: meadow field; n: pasture field; n: stream brook;
n: creek stream; n: summit peak; n: storm tempest; n: village hamlet; n: mansion house; n: cottage house;
n: tale story; n: anecdote story; n: novel book; n: melody tune; n: tune song; n: performer artist;
n: vocalist = singer; n: footballer player; n: goalkeeper = goalie; n: coach trainer; n: stadium arena;
n: victory win; n: triumph victory; n: loss defeat; n: budget funds; n: revenue income; n: tax levy;
n: politician lawmaker; n: vote ballot; n: inhabitant = resident; n: citizen resident;
n: bystander onlooker; n: passenger traveller; v: begin start; v: commence start; v: conclude end;
v: buy purchase; v: obtain get; v: acquire obtain; v: assist help; v: require need; v: select = choose;
v: pick choose; v: reside live; v: receive get; v: provide supply; v: allow = permit; v: demonstrate show;
v: exhibit show; v: utilise use; v: utilize use; v: construct build; v: erect build; v: create make;
v: produce make; v: destroy wreck; v: repair fix; v: mend fix; v: inform = notify; v: attempt try;
v: cease stop; v: halt stop; v: depart leave; v: reduce lower; v: decrease drop; v: ease moderate;
v: freshen = strengthen; v: gather = collect; v: assemble gather; v: examine = inspect; v: explain clarify;
v: announce = declare; v: reveal = disclose; v: observe watch; v: recall = remember; v: adore love;
v: enjoy like; v: hate = detest; v: dread fear; v: desire want; v: own = possess; v: include contain;
v: retain keep; v: remove eliminate; v: alter change; v: modify change; v: transform = convert;
v: fasten attach; v: connect link; v: publish release; v: establish found; v: discover find; v: locate find;
v: invite ask; v: consume eat; v: devour eat; v: leap jump; v: stroll walk; v: drag pull; v: shove push;
v: hurl throw; v: toss throw; v: seize grab; v: capture seize; v: murder kill; v: slay kill; v: injure hurt;
v: rescue save; v: protect guard; v: defend protect; v: beat defeat; v: employ hire; v: answer = reply;
v: perish die; v: vanish = disappear; v: emerge appear; v: weep cry; v: yell = shout; v: scream shout;
v: giggle laugh; v: chuckle laugh; v: stumble trip; v: collapse fall; v: wander roam; v: rush hurry;
v: ponder consider; v: predict forecast; v: reject refuse; v: accuse charge; v: arrest detain;
v: purchase buy; v: complete finish; v: maintain keep; v: anticipate expect; w: big = large;
w: huge = enormous; w: gigantic = enormous; w: tiny = minuscule; w: little small; w: fast quick;
w: rapid = quick; w: rapidly = quickly; w: slowly = gradually; w: cheap = inexpensive;
w: low-priced = inexpensive; w: costly = expensive; w: pricey = expensive; w: beautiful = lovely;
w: handsome good-looking; w: glad happy; w: joyful happy; w: sad = unhappy; w: sorrowful sad;
w: furious angry; w: scared = afraid; w: frightened afraid; w: clever = smart; w: intelligent smart;
w: stupid = foolish; w: silly foolish; w: easy simple; w: tough difficult; w: significant important;
w: crucial = vital; w: famous = well-known; w: renowned famous; w: weird = strange; w: peculiar strange;
w: incorrect wrong; w: inaccurate wrong; w: entire whole; w: sufficient enough; w: adequate enough;
w: ill sick; w: unwell sick; w: wealthy rich; w: affluent rich; w: ancient old; w: elderly old;
w: contemporary modern; w: tasty = delicious; w: great excellent; w: superb = excellent;
w: wonderful marvellous; w: amazing astonishing; w: awful = terrible; w: dreadful terrible; w: bad poor;
w: near close_to; w: kid-friendly = child-friendly; w: family-friendly = child-friendly; w: windy breezy;
w: rainy wet; w: damp = moist; w: chilly cold; w: freezing icy; w: cloudy = overcast; w: silent = quiet;
w: calm peaceful; w: loud noisy; w: brave = courageous; w: powerful strong; w: feeble = weak;
w: often = frequently; w: usually = generally; w: normally usually; w: rarely = seldom;
w: occasionally sometimes; w: maybe = perhaps; w: almost = nearly; w: approximately = roughly;
w: immediately = instantly; w: suddenly = abruptly; w: finally eventually; w: ultimately eventually;
w: initially = originally; w: currently = presently; w: now currently; w: soon = shortly;
w: afterwards later; w: also additionally; w: moreover = furthermore; w: however = nevertheless;
w: therefore = consequently; w: thus therefore; w: although though; w: because since; w: whilst while;
w: until till; w: towards = toward; w: amid among; w: beneath under; w: underneath under;
w: alongside beside; w: upon on; w: notwithstanding despite; w: very extremely; w: highly extremely;
w: really = truly; w: fairly quite; w: especially = particularly; w: mainly = mostly; w: chiefly mainly;
w: totally = completely; w: entirely completely; w: wholly completely; w: partly = partially;
w: jointly together; w: several some; w: numerous many; w: various different; w: every each;
w: anyone = anybody; w: everyone = everybody; w: someone = somebody; w: hello = hi; w: certainly = surely;
w: definitely certainly; w: obviously = clearly; w: probably likely; w: pants = trousers;
w: crossroads intersection; w: barely hardly; w: scarcely hardly; w: swiftly quickly; w: gladly happily;
w: sleepy drowsy; w: exhausted tired; w: filthy dirty; w: spotless clean; w: vacant empty;
w: hazardous = dangerous; w: risky dangerous; w: harmless safe; w: rude impolite; w: polite courteous;
w: shy timid; w: lazy idle
"""

DETERMINERS = words(
    "the a an this that these those my your his her its our their some any each every no all both several"
)
SUBJECTS = {
    "i": "me",
    "he": "him",
    "she": "her",
    "we": "us",
    "they": "them",
    "you": "you",
    "it": "it",
}
OBJECTS = {objective: subject for subject, objective in SUBJECTS.items()}
PLURAL_SUBJECTS = words("we they you these those both all several")
PREPOSITIONS = words(
    "in on at by for with from into onto over under near during before after since until within without through "
    "between among against about towards across behind beside around"
)
STOPS = PREPOSITIONS | words(
    "to and or but so because although while when where who whom whose which that if as than then today yesterday "
    "tomorrow again later soon there here also too not"
)
BE = {"is": "is", "are": "is", "was": "was", "were": "was"}
AUXILIARIES = words(
    "is are was were am has have had can could will would shall should may might must do does did"
)
PLAIN = DETERMINERS | STOPS | AUXILIARIES | frozenset(SUBJECTS)  # words that are no name, capital or not
OPPOSITES = {
    "no": "some",
    "never": "always",
    "always": "never",
    "nobody": "everybody",
    "everybody": "nobody",
    "nothing": "everything",
    "everything": "nothing",
    "without": "with",
    "none": "all",
    "neither": "both",
    "both": "neither",
}
SHORT_NOT = {
    "isn't": "is",
    "aren't": "are",
    "wasn't": "was",
    "weren't": "were",
    "hasn't": "has",
    "haven't": "have",
    "hadn't": "had",
    "can't": "can",
    "couldn't": "could",
    "won't": "will",
    "wouldn't": "would",
    "shouldn't": "should",
    "mustn't": "must",
    "don't": "do",
    "doesn't": "does",
    "didn't": "did",
}
# Two words and their contraction, other than those with "not".
CONTRACTIONS = {
    ("it", "is"): "it's",
    ("that", "is"): "that's",
    ("there", "is"): "there's",
    ("he", "is"): "he's",
    ("she", "is"): "she's",
    ("i", "am"): "i'm",
    ("you", "are"): "you're",
    ("we", "are"): "we're",
    ("they", "are"): "they're",
    ("i", "have"): "i've",
    ("you", "have"): "you've",
    ("we", "have"): "we've",
    ("they", "have"): "they've",
    ("i", "will"): "i'll",
    ("you", "will"): "you'll",
    ("he", "will"): "he'll",
    ("she", "will"): "she'll",
    ("we", "will"): "we'll",
    ("they", "will"): "they'll",
}
NUMBER_WORDS = (
    _series("two three four five six seven eight nine ten eleven twelve"),
    _series("second third fourth fifth sixth seventh eighth ninth tenth"),
    _series("twenty thirty forty fifty sixty seventy eighty ninety"),
)
CALENDAR = (
    _series("Monday Tuesday Wednesday Thursday Friday Saturday Sunday"),
    _series("January February March April May June July August September October November December"),
)


class Verb(NamedTuple):
    """A verb's forms."""

    base: str
    third: str  # he ...s
    past: str
    participle: str
    gerund: str


def _regular(base: str, *, doubled: bool) -> Verb:
    stem = base + base[-1] if doubled else base
    if base.endswith("e"):
        return Verb(base, f"{base}s", f"{base}d", f"{base}d", f"{base[:-1]}ing")
    if base.endswith("y") and base[-2] not in "aeiou":
        return Verb(base, f"{base[:-1]}ies", f"{base[:-1]}ied", f"{base[:-1]}ied", f"{base}ing")
    return Verb(base, _plural(base), f"{stem}ed", f"{stem}ed", f"{stem}ing")


_NOUNS = words("building meeting painting drawing feeling hearing beginning ending opening setting including")
_DOUBLED = words("begin cut forbid forget get hit let put run set shut sit swim win net stop drop wed")


def _gerund(base: str) -> str:
    if base in _DOUBLED:
        return f"{base}{base[-1]}ing"
    return f"{base[:-1]}ing" if base.endswith("e") and not base.endswith("ee") else f"{base}ing"


def _plural(noun: str) -> str:
    irregular = {"child": "children", "man": "men", "woman": "women", "have": "has"}
    if noun in irregular:
        return irregular[noun]
    if noun.endswith(("s", "x", "z", "ch", "sh", "o")) and noun not in ("photo", "kangaroo"):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}s"


@cache
def verbs() -> dict[str, Verb]:
    """The verbs by their base."""
    found = {}
    for line in _IRREGULAR.replace("\n", " ").split(";"):
        base, past, participle = line.split()
        found[base] = Verb(base, _plural(base), past, participle, _gerund(base))
    for word in _REGULAR.split():
        base = word.removesuffix("+")
        found[base] = _regular(base, doubled=word.endswith("+"))
    return found


@cache
def finite() -> dict[str, tuple[Verb, str]]:
    """Forms that can be a clause's verb: form -> (verb, "third" or "past")."""
    found: dict[str, tuple[Verb, str]] = {}
    for verb in verbs().values():
        found.setdefault(verb.third, (verb, "third"))
        if verb.past != verb.base:
            found.setdefault(verb.past, (verb, "past"))
    return found


@cache
def passive_verbs() -> frozenset[str]:
    """The bases of the verbs that have a passive."""
    return frozenset(verbs()) - words(_NOT_PASSIVE)


@cache
def participles() -> dict[str, Verb]:
    """Participle -> verb, for the verbs that have a passive."""
    found: dict[str, Verb] = {}
    for verb in verbs().values():
        if verb.base in passive_verbs():
            found.setdefault(verb.participle, verb)
    return found


@cache
def gerunds() -> frozenset[str]:
    """The -ing forms of the verbs, but for those that are mostly nouns."""
    return frozenset(verb.gerund for verb in verbs().values()) - _NOUNS


@cache
def follow_have() -> frozenset[str]:
    """Words after which "have" is an auxiliary: participles."""
    return frozenset(verb.participle for verb in verbs().values()) | {"been", "not", "n't", "never", "always"}


def _forms(kind: str, written: str) -> tuple[str, ...]:
    word = written.replace("_", " ")
    if kind == "n":
        return (word, _plural(word))
    if kind == "v":
        return tuple(verbs().get(word) or _regular(word, doubled=word in _DOUBLED))
    return (word,)


@cache
def synonyms() -> dict[str, tuple[str, ...]]:
    """Word form -> the forms that can stand for it."""
    found: dict[str, list[str]] = {}
    for entry in _SYNONYMS.replace("\n", " ").split(";"):
        kind, _, listed = entry.strip().partition(": ")
        both = " = " in listed
        first, second = listed.replace(" = ", " ").split()
        for one, other in zip(_forms(kind, first), _forms(kind, second), strict=True):
            for word, stand_in in ((one, other), (other, one)) if both else ((one, other),):
                known = found.setdefault(word.lower(), [])
                if stand_in.lower() != word.lower() and stand_in not in known:
                    known.append(stand_in)
    return {word: tuple(others) for word, others in found.items() if others and word not in _NOUNS}


def article(word: str) -> str:
    """`a` or `an`, by the spelling of the word that follows."""
    return (
        "an"
        if word[:1].lower() in "aeiou" and not word.lower().startswith(("one", "eu", "uni", "use"))
        else "a"
    )
