"""Scene graphs of captions, read off a dependency parse; SPICE compares them.

`graph` has the rules, `tree` the dependency tree they ask, `words` their word lists.
"""

from __future__ import annotations

from nlgauge.models.scenes.graph import Scene, Tuple, scene

__all__ = ["Scene", "Tuple", "scene"]
