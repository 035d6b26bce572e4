"""How likely a model says yes: from the log probabilities of its first token."""

from __future__ import annotations

import math
from collections.abc import Sequence

TOP_TOKENS = 20
"""How many likely tokens are asked for; more than this OpenAI refuses."""
_YES = frozenset(("yes", "sim"))
_NO = frozenset(("no", "não", "nao"))


def yes_share(likely: Sequence[tuple[str, float]]) -> float | None:
    """Return P(yes) / (P(yes) + P(no)), None where neither is among the likely tokens.

    `likely` holds tokens with their natural log probability; case and blanks aside, tokens that say
    yes are added up, and those that say no. Nogueira et al., Document Ranking with a Pretrained
    Sequence-to-Sequence Model (Findings of EMNLP 2020), score passages so.
    """
    weights = {True: 0.0, False: 0.0}
    for token, log_probability in likely:
        word = token.strip(" \t\n▁Ġ.,\"'*").casefold()
        if word in _YES or word in _NO:
            weights[word in _YES] += math.exp(log_probability)
    total = weights[True] + weights[False]
    return weights[True] / total if total > 0.0 else None
