"""Word lists of the extraction rules, English."""

from __future__ import annotations

VALUE_LABELS = frozenset("DATE TIME PERCENT MONEY QUANTITY ORDINAL CARDINAL".split())
"""Entity labels whose spans are values, not things: they never become nodes."""

PLACE_LABELS = frozenset("GPE LOC FAC".split())

EMPTY_NOUNS = frozenset(
    """
    one thing something anything nothing everything way lot number kind sort type part time year
    day month week century decade example fact case name amount variety series set pair couple
    majority rest range result reason order addition end beginning start front back side top
    bottom basis instance term use form aspect area place point level degree matter course item
    piece bit rate hour minute second today tomorrow yesterday moment period era age date while
    some any many few most all both each other others half third quarter dozen hundred thousand
    million billion total mi mile km kilometre kilometer metre meter foot inch lb lbs pound kg
    jr sr inc ltd corp co no st vs etc hd turn tandem member north south east west kilogram ton tonne acre hectare percent "" 's
    """.split()
)
"""Nouns that name nothing by themselves; alone they never become nodes."""

VAGUE_ADJECTIVES = frozenset(
    """
    small large big little new old first second third last next many several other such own same
    various recent early late former current famous notable best main major great good bad
    different similar certain specific particular important popular well-known known possible
    available entire whole full long short high low young only few more most least numerous
    single multiple additional further common general overall previous following subsequent
    original true real present modern ancient contemporary upcoming prominent renowned
    """.split()
)
"""Adjectives that do not help to name a concept: a "small village" is a village."""

PLACE_NOUNS = frozenset(
    """
    city town village state country county island river province district municipality region
    kingdom republic borough suburb parish township port hamlet commune prefecture territory
    """.split()
)
"""Heads of "the city of Keren": the place after "of" is what is meant."""

ROLE_MODIFIERS = frozenset(
    "lead vice former deputy chief executive managing prime general founding assistant associate "
    "senior junior co honorary acting".split()
)
"""Adjectives that belong to a role: a vice president is no president."""

ROLE_TITLES = frozenset(
    """
    president governor minister premier mayor chairman chairwoman chair director leader senator
    king queen prince princess duke duchess earl lord lady sir dame captain general colonel major
    lieutenant sergeant admiral professor doctor dr mr mrs ms miss bishop archbishop pope cardinal
    secretary chancellor ambassador judge justice chief officer ceo coach manager commissioner
    hon honorable rev reverend saint emperor empress baron count countess representative
    """.split()
)
"""Capitalised words that name an office, not a person."""

OFFICE_VERBS = frozenset("serve work act become elect appoint name play star".split())
"""Verbs after which a role is what is said: "served as mayor of Rome"."""

MEASURED_NOUNS = frozenset(
    """
    revenue turnover profit income price cost temperature pressure population inflation
    unemployment growth emission concentration speed velocity density volume mass weight salary
    wage share demand supply output productivity mortality prevalence incidence efficiency yield
    accuracy precision recall latency throughput rainfall precipitation humidity
    """.split()
)
"""Heads of noun phrases that name something measured."""

HEDGES = frozenset("may might could".split())
HEDGING_ADVERBS = frozenset(
    "possibly probably perhaps allegedly reportedly supposedly presumably apparently maybe".split()
)
NEGATIONS = frozenset("not n't never no neither nor hardly".split())
REPORTING_VERBS = frozenset(
    """
    say state report claim argue announce suggest believe think write note tell assert contend
    allege estimate conclude mention add explain declare insist maintain propose predict
    """.split()
)

FEMALE_OR_MALE = frozenset("he him his himself she her hers herself".split())
NEUTER = frozenset("it its itself".split())
PLURAL = frozenset("they them their theirs themselves".split())
RELATIVE_PRONOUNS = frozenset("who which that whom whose".split())
DEFINITE = frozenset("the this that".split())
