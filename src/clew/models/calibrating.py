"""Background cosines of an embedder, measured on a small set of unrelated pairs.

Thresholds of retrieval and resolution are stated on a calibrated scale (`core.calibration`): an
embedder that has not been measured has no sensible ones. Models that ship with Clew were measured
on public training sets (`benchmarks.calibration`); others are measured here, by what they make of
fourteen topics that have nothing to do with each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from clew.core.arrays import Matrix
from clew.core.calibration import Calibration

Embed = Callable[[Sequence[str]], Matrix]
_HIGHEST = 0.98
"""A model whose unrelated texts are nearer than that tells nothing apart."""


class Topic(NamedTuple):
    """A name, a passage about it and a question that the passage answers."""

    name: str
    passage: str
    question: str


TOPICS = (
    Topic(
        "Lake Vättern",
        "Lake Vättern is a long and deep lake in southern Sweden that is fed by cold springs.",
        "Which lake in southern Sweden is fed by springs?",
    ),
    Topic(
        "Orla Brennan",
        "Orla Brennan won the national chess title three times before she turned to teaching.",
        "How many times did Orla Brennan win the chess title?",
    ),
    Topic(
        "Kestrel Airways",
        "Kestrel Airways cancelled its night flights after the price of fuel had doubled.",
        "Why did Kestrel Airways cancel its night flights?",
    ),
    Topic(
        "Treaty of Valmora",
        "The Treaty of Valmora ended the war in 1742 and moved the border to the river.",
        "When did the Treaty of Valmora end the war?",
    ),
    Topic(
        "insulin",
        "Insulin lowers the level of sugar in the blood by letting cells take up glucose.",
        "What does insulin do to the sugar in the blood?",
    ),
    Topic(
        "The Glass Orchard",
        "The Glass Orchard is a film about two sisters who run a hotel in the Alps.",
        "Who runs the hotel in The Glass Orchard?",
    ),
    Topic(
        "basalt",
        "Basalt is a dark rock that forms when lava from a volcano cools quickly.",
        "How does basalt form?",
    ),
    Topic(
        "Port Authority of Leixa",
        "The Port Authority of Leixa bought four electric cranes for its container terminal.",
        "What did the Port Authority of Leixa buy?",
    ),
    Topic(
        "quicksort",
        "Quicksort divides a list around a pivot and sorts both parts in the same way.",
        "Around what does quicksort divide a list?",
    ),
    Topic(
        "Marta Okafor",
        "Marta Okafor joined the bank's board in spring and heads its audit committee.",
        "Which committee does Marta Okafor head?",
    ),
    Topic(
        "saffron",
        "Saffron is picked by hand in October, which makes it the dearest of all spices.",
        "In which month is saffron picked?",
    ),
    Topic(
        "Norden Cup",
        "The Norden Cup is played every second year between eight handball teams.",
        "How many teams play in the Norden Cup?",
    ),
    Topic(
        "monsoon",
        "The monsoon brings most of the year's rain to the coast between June and September.",
        "Between which months does the monsoon bring rain?",
    ),
    Topic(
        "Helix 40 printer",
        "The Helix 40 printer stops with error 12 when its paper tray is not closed.",
        "What does error 12 of the Helix 40 mean?",
    ),
)


def measured(embed_questions: Embed, embed_passages: Embed) -> Calibration:
    """Return the mean cosine of unrelated pairs, by kind of pair, clipped to 0 ... .98.

    Nodes are embedded as the engine does it: unit(name + passage), names as questions.
    """
    names = embed_questions([topic.name for topic in TOPICS])
    questions = embed_questions([topic.question for topic in TOPICS])
    passages = embed_passages([topic.passage for topic in TOPICS])
    nodes = names + passages
    nodes = nodes / np.linalg.norm(nodes, axis=1, keepdims=True)
    return Calibration(
        question_passage=_background(questions, passages),
        question_node=_background(questions, nodes),
        name_name=_background(names, names),
    )


def _background(first: Matrix, second: Matrix) -> float:
    """Return the mean cosine over all pairs of different topics."""
    cosines = first @ second.T
    unrelated = cosines[~np.eye(len(cosines), dtype=np.bool_)]
    return float(np.clip(unrelated.mean(), 0.0, _HIGHEST))
