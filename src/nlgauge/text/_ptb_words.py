"""The words the tokeniser `ptb` knows: abbreviations and contractions, as parts of regular expressions.

The lists began as what the author knew Stanford's PTBTokenizer to treat specially. Abbreviations and sentence starters
were then compared with the output of version 3.4.1 for some 65,000 words in lower, title and upper case and corrected;
file extensions and words with an apostrophe are common ones only and were merely sampled.
"""

from __future__ import annotations

# Abbreviations that may end a sentence: a full stop is added before a capital and at the end of the text.
FINAL = (
    "jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|mon|tues?|wed|thu|thurs|fri"
    "|ala|ariz|calif|colo|conn|ct|dak|fla|ga|ind|kans?|ky|md|mich|minn|mo|mont|neb|nev|okla|penn|tenn|va|vt|wisc?|wyo"
    "|inc|cos?|corp|ltd|plc|rt|bancorp|bhd|assn|univ|intl|sys|tel|est|ext|sq"
    r"|jr|sr|bros|pt[ey]s?|(?:ed|ph)\.d|blvd|rd|esq|etc|al|seq|bldg"
)
# Of these only with a capital: `mass.` and `wash.` are words at the end of a sentence.
FINAL_CAPITALISED = "(?:A[zZ]|A(?i:rk)|D(?i:el)|I(?i:ll)|L[aA]|M(?i:ass)|M(?i:iss)|O(?i:re)|P[aA]|T(?i:ex)|W(?i:ash))"
# Titles and such, after which no sentence ends.
INNER = (
    "mr|mrs|ms|drs?|profs?|sens?|reps?|attys?|lt|col|gen|messrs|govs?|adm|rev|maj|sgt|cpl|pvt|mt|capt|ste?|ave|pres"
    r"|lieut|hon|brig|co?mdr|pfc|spc|supts?|det|mme|mlle|msgr|insp|ens|dept|invt|elec|natl|vs|alex|wm|jos|cie"
    r"|a\.k\.a|cf|treas|ft|adj|adv|ph|sfc|m[ft]g"
)
BEFORE_NUMBERS = "nos?|op|art|figs?|prop|pp?|ca"
# After `C.` or `p.m.` and white space these show that a sentence has ended.
STARTERS = (
    "(?=[A-Z])(?i:the|an?|in|it|he|she|they|we|this|that|these|but|however|at|if|when|while|as|you|there|her|their"
    "|our|what|some|many|after|since|so|one|then|now|here|such|about|according|other|more|yet|last|once"
    "|additionally|earlier)"
)
EXTENSIONS = "docx?|exe|gif|gz|html?|java|jpe?g|mp3|pdf|png|py|txt|xml|zip"
# Words with an apostrophe that are not split at it.
APOSTROPHE_WORDS = (
    "APOS(?i:n)APOS?|[lLdD]APOS|(?i:ol)APOS|APOS(?i:em|cause|til)|APOS[2-9]0s|(?i:c)APOS(?i:mon)"
    "|[A-Za-z]+[aeiouyAEIOUY]QUOTE[aeiouA-Z][A-Za-z]*|[A-HJ-XZn]QUOTE[A-Za-z]{2,}"
)
SPLIT_WORDS = frozenset(["cannot", "gonna", "wanna", "gotta", "lemme", "gimme"])
# Signs that are tokens of their own; the Java program deletes those not listed.
SYMBOLS = (
    "\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e\xa1-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf\xd7\xf7\u2013-\u2023\u2026"
    "\u2030-\u203b\u203e-\u2042\u2044\u207c-\u207e\u208c-\u208e\u2100-\u2101\u2103-\u2106\u2108-\u2109\u2114\u2116-"
    "\u2118\u211e-\u2123\u2125\u2127\u2129\u212e\u213a-\u213b\u2140-\u2144\u214a-\u214d\u214f\u2190-\u2bff\u3001-"
    "\u3002\u3012\u30fb\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\u037e\u0387\u0589\u05be\u05c0\u05c3"
    "\u05c6\u05f3-\u05f4\u0600-\u0603\u0606-\u060c\u061b\u061e-\u061f\u066a\u066d\u06d4\u0700-\u070d\u0964-\u0965"
)
