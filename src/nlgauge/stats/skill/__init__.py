"""Skill ratings from games with ties: Bradley–Terry and its relatives, Glicko-2, TrueSkill, Elo; ranks and
schedules."""

from nlgauge.stats.skill.bradley_terry import BradleyTerry as BradleyTerry
from nlgauge.stats.skill.bradley_terry import fit as fit
from nlgauge.stats.skill.games import Games as Games
from nlgauge.stats.skill.glicko2 import Glicko2 as Glicko2
from nlgauge.stats.skill.glicko2 import game_by_game as game_by_game
from nlgauge.stats.skill.glicko2 import zhou as zhou
from nlgauge.stats.skill.graph import dominance as dominance
from nlgauge.stats.skill.graph import parts as parts
from nlgauge.stats.skill.plackett_luce import plackett_luce as plackett_luce
from nlgauge.stats.skill.ranks import WhoBeatsWhom as WhoBeatsWhom
from nlgauge.stats.skill.rating import rate_bradley_terry as rate_bradley_terry
from nlgauge.stats.skill.rating import rate_sequential as rate_sequential
from nlgauge.stats.skill.rating import rate_zhou as rate_zhou
from nlgauge.stats.skill.results import Rating as Rating
from nlgauge.stats.skill.results import Ratings as Ratings
from nlgauge.stats.skill.samples import SampleScores as SampleScores
from nlgauge.stats.skill.samples import rate_samples as rate_samples
from nlgauge.stats.skill.samples import score_against_references as score_against_references
from nlgauge.stats.skill.samples import score_by_comparisons as score_by_comparisons
from nlgauge.stats.skill.schedule import Tournament as Tournament
from nlgauge.stats.skill.schedule import draw_games as draw_games
from nlgauge.stats.skill.schedule import tournament as tournament
from nlgauge.stats.skill.sequential import Elo as Elo
from nlgauge.stats.skill.trueskill import TrueSkill as TrueSkill
