"""The words of the invented newspapers: kinds of events, people, places, and what is seen beside the event."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from itertools import product


@dataclass(frozen=True)
class Kind:
    """A kind of event: what it is about, the verbs of each newspaper's headlines, and the number that belongs to it."""

    objects: tuple[str, ...]
    gazette: tuple[str, ...]
    courier: tuple[str, ...]
    past: str
    counted: str
    many: bool

    @property
    def pronoun(self) -> str:
        """What stands for the object."""
        return "them" if self.many else "it"


def _kind(objects: str, gazette: str, courier: str, past: str, counted: str, *, many: bool = False) -> Kind:
    return Kind(tuple(objects.split()), tuple(gazette.split("|")), tuple(courier.split("|")), past, counted, many)


KINDS = (
    _kind(
        "footbridge viaduct tunnel pier lighthouse windmill",
        "opens|inaugurates|dedicates",
        "unveils|shows off|throws open",
        "opened",
        "after {} weeks",
    ),
    _kind(
        "sawmill tannery brewery foundry smelter ropeworks",
        "closes|discontinues|liquidates",
        "axes|shuts down|ditches",
        "closed",
        "despite {} orders",
    ),
    _kind(
        "vineyard orchard dairy greenhouse hatchery apiary",
        "purchases|acquires|obtains",
        "snaps up|grabs|bags",
        "bought",
        "for {} crowns",
    ),
    _kind(
        "necklace tiara medallion amulet goblet sceptre",
        "recovers|retrieves|locates",
        "tracks down|digs up|nabs",
        "found",
        "after {} nights",
    ),
    _kind(
        "comet asteroid fossil meteorite skeleton shipwreck",
        "identifies|describes|documents",
        "stumbles on|spots|hits on",
        "discovered",
        "after {} attempts",
    ),
    _kind(
        "fireworks scooters drones skateboards loudspeakers bonfires",
        "prohibits|restricts|suspends",
        "bans|outlaws|kicks out",
        "forbade",
        "within {} days",
        many=True,
    ),
    _kind(
        "fresco mosaic tapestry sculpture portrait triptych",
        "restores|repairs|preserves",
        "rescues|saves|brings back",
        "restored",
        "with {} volunteers",
    ),
    _kind(
        "regatta marathon triathlon tournament derby relay",
        "wins|secures|concludes",
        "storms|smashes|romps home in",
        "won",
        "by {} points",
    ),
    _kind(
        "oratorio symphony operetta cantata concerto ballad",
        "conducts|performs|presents",
        "rocks|belts out|blasts",
        "performed",
        "before {} guests",
    ),
    _kind(
        "clinic infirmary pharmacy hospice dispensary sanatorium",
        "enlarges|extends|expands",
        "beefs up|pumps up|supersizes",
        "extended",
        "by {} beds",
    ),
    _kind(
        "kindergarten academy gymnasium college seminary library",
        "finances|funds|supports",
        "bankrolls|splashes out on|showers cash on",
        "paid for",
        "with {} shares",
    ),
    _kind(
        "tramline railway monorail funicular cableway ferry",
        "postpones|defers|delays",
        "stalls|holds up|puts brakes on",
        "delayed",
        "by {} months",
    ),
    _kind(
        "statute bylaw ordinance decree treaty charter",
        "signs|ratifies|approves",
        "rams through|rubber-stamps|okays",
        "signed",
        "with {} votes",
    ),
    _kind(
        "barley wheat rye hops flax rapeseed",
        "harvests|gathers|reaps",
        "hauls in|rakes in|brings home",
        "harvested",
        "from {} fields",
    ),
    _kind(
        "climbers sailors hikers divers miners skiers",
        "assists|evacuates|shelters",
        "plucks|whisks away|hauls out",
        "rescued",
        "after {} hours",
        many=True,
    ),
    _kind(
        "warehouse barn granary stable boathouse depot",
        "inspects|examines|surveys",
        "pounces on|raids|swoops on",
        "inspected",
        "with {} inspectors",
    ),
    _kind(
        "memoir almanac atlas dictionary anthology encyclopaedia",
        "publishes|issues|releases",
        "drops|rolls out|churns out",
        "published",
        "in {} copies",
    ),
    _kind(
        "otters lynxes beavers storks wolves falcons",
        "reintroduces|resettles|protects",
        "sets loose|frees|unleashes",
        "brought back",
        "on {} hectares",
        many=True,
    ),
    _kind(
        "surcharge levy toll tariff excise stipend",
        "reduces|lowers|adjusts",
        "slashes|chops|guts",
        "lowered",
        "by {} percent",
    ),
    _kind(
        "carnival pageant jamboree masquerade fair banquet",
        "hosts|organises|arranges",
        "kicks off|lets rip with|goes wild at",
        "organised",
        "with {} dancers",
    ),
    _kind(
        "comedy tragedy farce melodrama pantomime musical",
        "directs|stages|produces",
        "nails|pulls off|steals show in",
        "staged",
        "in {} scenes",
    ),
    _kind(
        "turbine reactor generator dynamo boiler compressor",
        "tests|calibrates|commissions",
        "cranks up|fires up|revs up",
        "tested",
        "for {} minutes",
    ),
    _kind(
        "dockers bakers weavers plumbers printers porters",
        "represents|advises|consults",
        "stirs up|rallies|whips up",
        "advised",
        "over {} shifts",
        many=True,
    ),
    _kind(
        "tenement cottage townhouse bungalow villa manor",
        "renovates|refurbishes|modernises",
        "spruces up|jazzes up|does up",
        "renovated",
        "within {} summers",
    ),
)


def _lists() -> dict[str, tuple[str, ...]]:
    text = files("nlgauge").joinpath("style/demonstration/words.toml").read_text(encoding="utf-8")
    return {name: tuple(words.split()) for name, words in tomllib.loads(text).items()}


def _joined(*parts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map("".join, product(*parts)))


_WORDS = _lists()
SURNAMES = _joined(_WORDS["surname_starts"], _WORDS["surname_ends"])
PLACES = _joined(_WORDS["place_starts"], _WORDS["place_ends"])
TAIL = _joined(_WORDS["tail_starts"], _WORDS["tail_middles"], _WORDS["tail_ends"])
"""Names of people in longer articles: a long tail, as real newspapers have."""
STREETS = tuple(f"{name} {way}" for way, name in product(_WORDS["ways"], _WORDS["streets"]))
GIVEN, ROLES, BODIES = (_WORDS[name] for name in ("given", "roles", "bodies"))
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
ADJECTIVES, NOUNS, BESIDE = (_WORDS[name] for name in ("adjectives", "nouns", "beside"))
THINGS_DID, PEOPLE_DID, TOWNS_DID = (_WORDS[name] for name in ("things_did", "people_did", "towns_did"))
