"""The plain-Python kernels: readable, slow, and the oracle of the compiled ones.

The functions have the names and signatures of `nlgauge.kernels.interface.Kernels`.
"""

from nlgauge.kernels.python.chrf import chrf_rows as chrf_rows
from nlgauge.kernels.python.edit import distance_rows as distance_rows
from nlgauge.kernels.python.edit import edit_rows as edit_rows
from nlgauge.kernels.python.meteor import meteor_leftover as meteor_leftover
from nlgauge.kernels.python.meteor import meteor_rows as meteor_rows
from nlgauge.kernels.python.meteor_beam import meteor_beam_rows as meteor_beam_rows
from nlgauge.kernels.python.ngram import bleu_rows as bleu_rows
from nlgauge.kernels.python.ngram import ngram_counts as ngram_counts
from nlgauge.kernels.python.ngram import nist_rows as nist_rows
from nlgauge.kernels.python.resample import count_draws as count_draws
from nlgauge.kernels.python.resample import sum_chosen as sum_chosen
from nlgauge.kernels.python.rouge import rouge_l_rows as rouge_l_rows
from nlgauge.kernels.python.rouge import rouge_lsum_rows as rouge_lsum_rows
from nlgauge.kernels.python.rouge import rouge_n_rows as rouge_n_rows
from nlgauge.kernels.python.skill import elo_games as elo_games
from nlgauge.kernels.python.skill import glicko2_games as glicko2_games
from nlgauge.kernels.python.skill import glicko2_periods as glicko2_periods
from nlgauge.kernels.python.skill import trueskill_games as trueskill_games
from nlgauge.kernels.python.ter import ter_rows as ter_rows
from nlgauge.kernels.python.tokens import tokenize as tokenize
from nlgauge.kernels.python.tokens import tokens as tokens
from nlgauge.kernels.python.tokens import tokens_from_lists as tokens_from_lists
