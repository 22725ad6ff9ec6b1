"""A demonstration with known answers: two invented newspapers and four systems that transfer headlines between them."""

from __future__ import annotations

from nlgauge.style.demonstration.newspapers import NewspaperSettings as NewspaperSettings
from nlgauge.style.demonstration.newspapers import newspapers as newspapers
from nlgauge.style.demonstration.newspapers import write_newspapers as write_newspapers
from nlgauge.style.demonstration.systems import SYSTEMS as SYSTEMS
from nlgauge.style.demonstration.systems import outputs as outputs
