"""The kernels as type checkers see them: names, arguments and results of both backends are those of the plain ones."""

from __future__ import annotations

from nlgauge.kernels import python


class Kernels:
    """The functions of `nlgauge._native` and of `nlgauge.kernels.python`."""

    tokenize = staticmethod(python.tokenize)
    number_words = staticmethod(python.number_words)
    tokens = staticmethod(python.tokens)
    tokens_from_lists = staticmethod(python.tokens_from_lists)
    bleu_rows = staticmethod(python.bleu_rows)
    ngram_counts = staticmethod(python.ngram_counts)
    nist_rows = staticmethod(python.nist_rows)
    rouge_n_rows = staticmethod(python.rouge_n_rows)
    rouge_l_rows = staticmethod(python.rouge_l_rows)
    rouge_lsum_rows = staticmethod(python.rouge_lsum_rows)
    rouge_w_rows = staticmethod(python.rouge_w_rows)
    rouge_s_rows = staticmethod(python.rouge_s_rows)
    document_frequencies = staticmethod(python.document_frequencies)
    cider_rows = staticmethod(python.cider_rows)
    chrf_rows = staticmethod(python.chrf_rows)
    edit_rows = staticmethod(python.edit_rows)
    distance_rows = staticmethod(python.distance_rows)
    ter_rows = staticmethod(python.ter_rows)
    meteor_rows = staticmethod(python.meteor_rows)
    meteor_beam_rows = staticmethod(python.meteor_beam_rows)
    cder_rows = staticmethod(python.cder_rows)
    per_rows = staticmethod(python.per_rows)
    iter_rows = staticmethod(python.iter_rows)
    yisi0_rows = staticmethod(python.yisi0_rows)
    mover_distances = staticmethod(python.mover_distances)
    transport = staticmethod(python.transport)
    character_rows = staticmethod(python.character_rows)
    eed_rows = staticmethod(python.eed_rows)
    deltableu_rows = staticmethod(python.deltableu_rows)
    gleu_rows = staticmethod(python.gleu_rows)
    gleu_gec_rows = staticmethod(python.gleu_gec_rows)
    sari_rows = staticmethod(python.sari_rows)
    sari_counts = staticmethod(python.sari_counts)
    ribes_rows = staticmethod(python.ribes_rows)
    lepor_rows = staticmethod(python.lepor_rows)
    gtm_rows = staticmethod(python.gtm_rows)
    parent_rows = staticmethod(python.parent_rows)
    count_draws = staticmethod(python.count_draws)
    sum_chosen = staticmethod(python.sum_chosen)
    lane_counts = staticmethod(python.lane_counts)
    glicko2_games = staticmethod(python.glicko2_games)
    glicko2_periods = staticmethod(python.glicko2_periods)
    trueskill_games = staticmethod(python.trueskill_games)
    elo_games = staticmethod(python.elo_games)
