"""The style sheet of the report: one column on a phone, panels side by side on a desk, light and dark.

The palette is Okabe and Ito's blue and vermilion, which remain apart for colour-blind readers.
"""

from string import Template

LIGHT = {
    "paper": "#fcfcfa",
    "card": "#fff",
    "ink": "#1c2126",
    "soft": "#58616b",
    "line": "#dcdfe3",
    "grid": "#e8eaec",
    "tint": "#eaf3fa",
    "blue": "#0072b2",
    "vermilion": "#c04a00",
    "bar": "#bcd5e6",
}
"""The colours by day, by the names that style sheets use."""

DRAWING = """
svg text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;fill:var(--ink)}
svg .label{paint-order:stroke;stroke:var(--card);stroke-width:3px}
svg .ground{fill:var(--card)}
svg .tick,svg .value{fill:var(--soft);font-variant-numeric:tabular-nums}
svg .strong{font-weight:700;fill:var(--ink)}
svg .grid{stroke:var(--grid)}
svg .zero{stroke:var(--soft);stroke-width:1.5;stroke-dasharray:4 3}
svg .range{stroke:var(--soft);stroke-width:1.6;fill:none}
svg .range.best,svg .range.better{stroke:var(--blue)}
svg .range.worse{stroke:var(--vermilion)}
svg .dot{fill:var(--soft)}
svg .open{fill:var(--card);stroke:var(--soft);stroke-width:1.8}
svg path.best,svg .better:not(.range){fill:var(--blue)}
svg .range.best{fill:none}
svg .worse:not(.range){fill:var(--vermilion)}
svg .hist{fill:var(--bar)}
svg .median{stroke:var(--ink);stroke-width:2;fill:none}
svg .axis{fill:var(--soft)}
svg .point{fill:var(--blue);fill-opacity:.28}
svg .named{fill:var(--blue)}
svg .fit{stroke:var(--vermilion);stroke-width:1.6;stroke-dasharray:7 3;fill:none}
svg .band{fill:var(--soft);fill-opacity:.16}
svg .curve{fill:none;stroke-width:2;stroke:var(--blue)}
svg .curve1{stroke:var(--vermilion);stroke-dasharray:7 3}
svg .curve2{stroke:var(--soft);stroke-dasharray:2 3}
svg .curve3{stroke:var(--ink);stroke-dasharray:9 3 2 3}
svg .small{font-size:10.5px}
svg .lead{stroke:var(--soft);stroke-width:.8}
svg .cell{fill:var(--blue)}
svg .cell.none{fill:none;stroke:var(--line)}
svg text.on{text-anchor:middle;font-variant-numeric:tabular-nums}
svg .mark{stroke:var(--vermilion);stroke-width:1.5;stroke-dasharray:5 3}
svg .marklabel{fill:var(--vermilion);font-size:10.5px}
svg .outer{stroke:var(--soft);stroke-width:1;stroke-dasharray:2 2;fill:none}
svg .part{fill:var(--blue);stroke:var(--card);stroke-width:1}
svg .bar{fill:var(--blue);stroke:var(--blue);stroke-width:.8}
"""
"""What drawings need, on a page or in a file of their own."""

CSS = Template("""
:root{$light;color-scheme:light dark}
@media(prefers-color-scheme:dark){:root{--paper:#14171a;--card:#1b1f23;--ink:#e7e9eb;--soft:#a3abb3;--line:#343a40;
--grid:#2a2f34;--tint:#1c2f3d;--blue:#56b4e9;--vermilion:#f09050;--bar:#34556a}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,
-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;-webkit-text-size-adjust:100%}
main{max-width:1140px;margin:0 auto;padding:28px 16px 56px;overflow-wrap:anywhere}
h1{font-size:1.7rem;line-height:1.2;margin:0 0 .3rem;letter-spacing:-.01em}
h2{font-size:1.2rem;margin:2.6rem 0 .4rem}
h3{font-size:.95rem;margin:0 0 .35rem;font-weight:650}
p{margin:.4rem 0;max-width:72ch}
.soft,figcaption,.legend{color:var(--soft);font-size:.9rem}
.finding{border-left:4px solid var(--blue);background:var(--tint);padding:.8rem 1rem;
margin:1.2rem 0;border-radius:0 6px 6px 0}
.finding .head{font-size:1.15rem;line-height:1.45;font-weight:600;margin:0}
.finding p+p{margin-top:.6rem}
.finding details{margin:.4rem 0 0}
.scroll{position:relative;overflow-x:auto;border:1px solid var(--line);border-radius:6px;margin:.6rem 0;
background:linear-gradient(to left,var(--card) 40%,transparent) right/48px 100% no-repeat local,
linear-gradient(to left,var(--line),transparent) right/18px 100% no-repeat scroll,var(--card)}
.tools{display:flex;gap:.8rem;justify-content:flex-end;align-items:baseline;margin:-.3rem 0 .4rem;max-width:none;
font-size:.8rem;color:var(--soft)}
.tool{font:inherit;color:var(--blue);background:none;border:0;padding:.2rem;cursor:pointer}
.sort{cursor:pointer}
.sort[aria-sort=ascending]::after{content:" ▴"}
.sort[aria-sort=descending]::after{content:" ▾"}
.scroll:focus-visible{outline:2px solid var(--blue)}
table{border-collapse:collapse;width:100%;overflow-wrap:break-word;font-variant-numeric:tabular-nums}
th,td{padding:.45rem .7rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
tr:last-child>th,tr:last-child>td{border-bottom:0}
tr.line>td,tr.line>th{border-top:2px solid var(--soft)}
thead th{font-size:.85rem;color:var(--soft);font-weight:600;vertical-align:bottom;white-space:nowrap}
.wrap{white-space:normal;min-width:7rem;max-width:14rem}
.num{text-align:right;white-space:nowrap}
.scores tbody th,.scores thead th:first-child{position:sticky;left:0;background:var(--card);z-index:1}
.scores tbody th{font-weight:600}
.name{width:max-content;max-width:20rem}
.scores td.best{background:var(--tint);font-weight:700}
.ci{display:block;font-size:.78rem;font-weight:400;color:var(--soft)}
.panels{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,340px),1fr));gap:14px;
margin:.8rem 0}
figure{margin:0;padding:.8rem .7rem .5rem;
border:1px solid var(--line);border-radius:6px;background:var(--card);min-width:0;break-inside:avoid}
figure h3{padding:0 .1rem}
figure h3 span{font-weight:400;color:var(--soft);font-size:.85rem}
svg{display:block;max-width:100%;height:auto;margin:0 auto}
$drawing
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;margin:.5rem 0;padding:0;list-style:none}
.legend li{display:flex;align-items:center;gap:.35rem}
svg.key{flex:none;margin:0}
details{margin:.7rem 0}
summary{cursor:pointer;color:var(--blue);padding:.3rem 0}
.sig{white-space:nowrap}
.item{border:1px solid var(--line);border-radius:6px;background:var(--card);padding:1rem;margin:.8rem 0}
.sides{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1.5fr);gap:.6rem 1.6rem}
.item h4{font-size:.8rem;font-weight:600;color:var(--soft);margin:.5rem 0 .2rem}
.item table{font-size:.9rem;overflow-wrap:anywhere}
.item .wrap{min-width:0}
.item th,.item td{padding:.28rem .7rem .28rem 0}
.item ul{margin:0;padding-left:1.1rem;font-size:.95rem}
.item tbody th{font-weight:600;width:6.5rem}
.text{white-space:pre-wrap}
.marks{display:block;color:var(--soft);font-size:.82rem}
.none{color:var(--soft);font-style:italic}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font:.8rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,
"DejaVu Sans Mono",monospace;background:var(--card);
border:1px solid var(--line);border-radius:6px;padding:.8rem 1rem;margin:.6rem 0}
footer{margin-top:3rem;color:var(--soft);font-size:.85rem}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media(max-width:640px){main{padding:20px 14px 40px}.sides{grid-template-columns:minmax(0,1fr)}
.item tbody th{width:5rem}.name{max-width:9rem}
th,td{padding:.4rem .55rem}}
@media print{.tools{display:none}body{background:#fff}.scroll{overflow:visible}details>*{display:block}}
""").substitute(light=";".join(f"--{name}:{colour}" for name, colour in LIGHT.items()), drawing=DRAWING.strip())

STUDY_CSS = (
    CSS
    + """
.paste{border:1px solid var(--line);border-radius:6px;background:var(--card);padding:.4rem 1rem .8rem}
.paste h3{margin:.8rem 0 .1rem}.paste p{margin:.1rem 0}
.finding .also{margin:.25rem 0 0;font-size:1rem;font-weight:500}
.contents{margin:.6rem 0 0;padding:0;list-style:none;display:flex;flex-wrap:wrap;gap:.15rem 1.1rem;font-size:.95rem}
.contents a{color:var(--blue);display:inline-block;padding:.25rem 0}
.group>h3{margin:1.4rem 0 .1rem}.beside h3{margin:1rem 0 .1rem}
@media(max-width:640px){.stacked thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.stacked,.stacked tbody,.stacked tr,.stacked tbody th,.stacked td{display:block;width:auto}
.stacked tr{border-bottom:1px solid var(--line);padding:.35rem 0}.stacked tr:last-child{border-bottom:0}
.stacked tbody th,.stacked td{border-bottom:0;padding:.15rem .55rem}
.stacked td{display:flex;justify-content:space-between;gap:.8rem}
.stacked td::before{content:attr(data-head);color:var(--soft);text-align:left;white-space:normal}}
.notes{margin:.4rem 0 0;padding-left:1.2rem}.notes li{margin:.2rem 0;max-width:72ch}
"""
)
"""What the pages of studies add: paragraphs to paste, contents, notes, and tables that stand on end on a phone."""

HEAT = """
.heat{width:auto;border-collapse:separate;border-spacing:1px;font-size:.8rem}
.heat th,.heat td{border:0;padding:.16rem .2rem;line-height:1.3}
.heat thead th{vertical-align:bottom;text-align:center;color:var(--ink);padding:.3rem 0}
.heat thead th span{writing-mode:vertical-rl;transform:rotate(180deg);max-height:9rem;overflow:hidden;
text-overflow:ellipsis;white-space:nowrap}
.heat tbody th{position:sticky;left:0;background:var(--card);z-index:1;text-align:right;font-weight:600;
max-width:8rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;padding-right:.4rem}
.heat td{text-align:right;white-space:nowrap;min-width:2.1rem;border-radius:3px;
background:color-mix(in srgb,var(--blue) var(--h,0%),var(--card))}
.heat td.counts-pair{outline:2px solid var(--ink);outline-offset:-2px;font-weight:700;color:inherit}
.heat td i{display:inline-block;width:.6rem;font-style:normal;text-align:left}
.costs{line-height:2.2;margin:.5rem 0;max-width:none}
.costs span{padding:.1em .2em;border-radius:3px;
background:color-mix(in srgb,var(--vermilion) var(--h,0%),transparent);border-bottom:2px solid transparent}
.costs .dear{border-bottom-color:var(--vermilion)}
.costs small{font-size:.68em;color:inherit;padding-left:.15em;font-variant-numeric:tabular-nums}
"""
"""What heat maps need, and words marked by what they cost."""

DEEPEST = 45  # per cent of colour behind the highest number: ink on it stays readable

# Controls have no meaning in a page, and some may not stand in one at all; line breaks and tabs are white space.
_CONTROLS = dict.fromkeys([*range(9), 11, *range(13, 32), *range(127, 160)])


def printable(page: str) -> str:
    """The page without control characters, which names and texts may hold."""
    return page.translate(_CONTROLS)
