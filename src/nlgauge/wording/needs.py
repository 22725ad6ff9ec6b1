"""What a metric needs and the data lack, in a sentence."""

from __future__ import annotations

from nlgauge.errors import option


def lacks(origin: str, system: str, item: str, need: str, count: int) -> str:
    """Which output lacks it, and what to do."""
    others = f" (and {count - 1:,} more segments of this system)" if count > 1 else ""
    if need == "post_edits":
        return (
            f"{origin}: item {item!r} of system {system!r}{others} has no post-edit, which a metric asked for needs; "
            "give the key post_edit (a text) or post_edits (a list) in every row, or choose metrics that do not need it"
        )
    if need == "reference_weights":
        return (
            f"{origin}: item {item!r} of system {system!r}{others} has no weights of its references, which a metric "
            "asked for needs; give the key reference_weights (a number from -1 to 1 for each reference) beside "
            "references, or choose metrics that do not need it"
        )
    thing, key, name, flag = (
        ("no references", need, "refs", "ref") if need == "references" else ("no source", "source", "src", "")
    )
    return (
        f"{origin}: item {item!r} of system {system!r}{others} has {thing}, which a metric asked for needs; "
        f"give the key {key} in at least one row of the item (with line files: {option(name, 'FILE', flag=flag)}), "
        "or choose metrics that do not need it"
    )
