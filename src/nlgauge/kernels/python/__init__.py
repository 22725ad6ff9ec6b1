"""The plain-Python kernels: readable, slow, and the oracle of the compiled ones.

Names and signatures are those of the compiled ones too (`nlgauge.kernels.backends.Kernels`). Rows are float64, one per
segment; `jobs` is the number of threads. `hypotheses` is a list of n strings and `references` a list of n lists of
strings (at least one each). The multi-reference rules (`multi`) are `best`, `average`, `pooled`, `coco` and `recall`;
see the metrics that use them.
"""

from nlgauge.kernels.python.alignment import gtm_rows as gtm_rows
from nlgauge.kernels.python.alignment import lepor_rows as lepor_rows
from nlgauge.kernels.python.alignment import ribes_rows as ribes_rows
from nlgauge.kernels.python.cider import cider_rows as cider_rows
from nlgauge.kernels.python.cider import document_frequencies as document_frequencies
from nlgauge.kernels.python.edit import cder_rows as cder_rows
from nlgauge.kernels.python.edit import character_rows as character_rows
from nlgauge.kernels.python.edit import distance_rows as distance_rows
from nlgauge.kernels.python.edit import edit_rows as edit_rows
from nlgauge.kernels.python.edit import eed_rows as eed_rows
from nlgauge.kernels.python.edit import per_rows as per_rows
from nlgauge.kernels.python.iter import iter_rows as iter_rows
from nlgauge.kernels.python.meteor import meteor_beam_rows as meteor_beam_rows
from nlgauge.kernels.python.meteor import meteor_rows as meteor_rows
from nlgauge.kernels.python.ngram import bleu_rows as bleu_rows
from nlgauge.kernels.python.ngram import chrf_rows as chrf_rows
from nlgauge.kernels.python.ngram import deltableu_rows as deltableu_rows
from nlgauge.kernels.python.ngram import gleu_gec_rows as gleu_gec_rows
from nlgauge.kernels.python.ngram import gleu_rows as gleu_rows
from nlgauge.kernels.python.ngram import ngram_counts as ngram_counts
from nlgauge.kernels.python.ngram import nist_rows as nist_rows
from nlgauge.kernels.python.ngram import sari_counts as sari_counts
from nlgauge.kernels.python.ngram import sari_rows as sari_rows
from nlgauge.kernels.python.parent import parent_rows as parent_rows
from nlgauge.kernels.python.resample import count_draws as count_draws
from nlgauge.kernels.python.resample import lane_counts as lane_counts
from nlgauge.kernels.python.resample import sum_chosen as sum_chosen
from nlgauge.kernels.python.rouge import rouge_l_rows as rouge_l_rows
from nlgauge.kernels.python.rouge import rouge_lsum_rows as rouge_lsum_rows
from nlgauge.kernels.python.rouge import rouge_n_rows as rouge_n_rows
from nlgauge.kernels.python.rouge import rouge_s_rows as rouge_s_rows
from nlgauge.kernels.python.rouge import rouge_w_rows as rouge_w_rows
from nlgauge.kernels.python.skill import elo_games as elo_games
from nlgauge.kernels.python.skill import glicko2_games as glicko2_games
from nlgauge.kernels.python.skill import glicko2_periods as glicko2_periods
from nlgauge.kernels.python.skill import trueskill_games as trueskill_games
from nlgauge.kernels.python.ter import ter_rows as ter_rows
from nlgauge.kernels.python.tokens import number_words as number_words
from nlgauge.kernels.python.tokens import tokenize as tokenize
from nlgauge.kernels.python.tokens import tokens as tokens
from nlgauge.kernels.python.tokens import tokens_from_lists as tokens_from_lists
from nlgauge.kernels.python.transport import mover_distances as mover_distances
from nlgauge.kernels.python.transport import transport as transport
from nlgauge.kernels.python.yisi import yisi0_rows as yisi0_rows
