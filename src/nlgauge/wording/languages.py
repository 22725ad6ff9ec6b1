"""Codes of languages (two or three letters, with a region: pt-BR, or in a pair: en-de), and directions of words."""

from __future__ import annotations

import re

_TAG = re.compile(r"(?P<code>[a-z]{2,3})(?:[-_](?P<second>[A-Za-z]{2,3})|(?:[-_][A-Za-z0-9]{2,8})+)?")
_CODES = """
afr:af amh:am ara:ar aze:az bel:be ben:bn bos:bs bul:bg cat:ca ces:cs cze:cs cym:cy wel:cy dan:da deu:de ger:de ell:el
gre:el eng:en est:et eus:eu baq:eu fas:fa per:fa fin:fi fra:fr fre:fr gle:ga glg:gl guj:gu hau:ha heb:he hin:hi hrv:hr
hun:hu hye:hy arm:hy ibo:ig ind:id isl:is ice:is ita:it jpn:ja kan:kn kat:ka geo:ka kaz:kk khm:km kor:ko lao:lo lav:lv
lit:lt mal:ml mar:mr mkd:mk mac:mk mlt:mt mon:mn msa:ms may:ms mya:my bur:my nep:ne nld:nl dut:nl nno:nn nob:nb nor:no
pan:pa pol:pl por:pt pus:ps ron:ro rum:ro rus:ru sin:si slk:sk slo:sk slv:sl som:so spa:es sqi:sq alb:sq srp:sr swa:sw
swe:sv tam:ta tel:te tha:th tur:tr ukr:uk urd:ur uzb:uz vie:vi xho:xh yor:yo zho:zh chi:zh cmn:zh zul:zu
"""
_SHORT = dict(pair.split(":") for pair in _CODES.split())
_LANGUAGES = frozenset(_SHORT.values())
# Locales whose region, in small letters, is a language too.
_REGIONS = "de-be en-ca es-ar es-pa es-sv fr-be fr-ca hy-am ms-my nl-be sl-si zh-my"
_LOCALES = frozenset(_REGIONS.split())


def language_code(text: str) -> str:
    """The code of the language that a code, a locale (de-DE) or a language pair (en-de) stands for; empty: none.

    Codes of three letters become those of two. The second part is a target where it is a language, not a region.
    """
    plain = text.strip()
    found = _TAG.fullmatch(plain.lower() if plain.isupper() else plain)
    if not found:
        return ""
    code, second = found["code"], found["second"] or ""
    target = _SHORT.get(second, second)
    if target in _LANGUAGES and f"{code}-{second}" not in _LOCALES:
        code = target
    return _SHORT.get(code, code)


# right-to-left scripts, and the signs that change direction
_TURNING = re.compile("[\u0590-\u08ff\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff]")


def apart(words: str, *, always: bool = False) -> str:
    """The words between Unicode's isolates, where they hold something that turns (or always).

    >>> apart("Ann"), apart("Ann", always=True) == "\\u2068Ann\\u2069"
    ('Ann', True)
    """
    return f"\u2068{words}\u2069" if always or _TURNING.search(words) else words
