"""Meta-evaluation: which metric to believe. Data (`observations`, `measures`, `table`), correlations (`evaluate`),
the report of Belz and Reiter (`belz_reiter`), references as a system and the stability of rankings."""
