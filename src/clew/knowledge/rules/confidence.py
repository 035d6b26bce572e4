"""How sure a rule is of what it read: a base by construction times factors.

| construction (base)                              |      | factor                              |     |
|--------------------------------------------------|------|-------------------------------------|-----|
| subject, verb, object; passive with agent        | .90  | pronoun resolved                    | .80 |
| copula ("X is a Y")                              | .90  | "the film" taken for the page       | .75 |
| apposition ("X, a Y")                            | .85  | hedged (may, might, reportedly)     | .60 |
| relative clause, participle, possessive          | .80  | reported ("said that")              | .85 |
| object of a preposition                          | .80  | subject taken over from a governor  | .85 |
| the same, beside a direct object                 | .65  | conjunct                            | .95 |
| role ("director of Z") and noun + preposition    | .75  | more than 15 tokens apart           | .85 |
"""

from __future__ import annotations

DIRECT = 0.90
COPULA = 0.90
APPOSITION = 0.85
RELATIVE = 0.80
POSSESSIVE = 0.80
PREPOSITION = 0.80
PREPOSITION_BESIDE_OBJECT = 0.65
ROLE = 0.75

PRONOUN = 0.80
DEFINITE_NOUN = 0.75
HEDGED = 0.60
REPORTED = 0.85
INHERITED = 0.85
CONJUNCT = 0.95
FAR = 0.85
FAR_TOKENS = 15


def combine(base: float, *factors: float, distance: int = 0) -> float:
    """Return base times factors, lowered for arguments further apart than `FAR_TOKENS` tokens."""
    value = base
    for factor in factors:
        value *= factor
    return round(value * FAR if distance > FAR_TOKENS else value, 4)
