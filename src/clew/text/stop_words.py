"""Function words of English and Portuguese, folded; they carry no topic of their own."""

from __future__ import annotations

_ENGLISH = """
a about above after again against all also am an and any are aren't as at be because been before
being below between both but by can could couldn't did didn't do does doesn't doing don't down
during each either else few for from further had hadn't has hasn't have haven't having he her here
hers herself him himself his how i if in into is isn't it its itself just let me more most must
my myself no nor not now of off on once only or other our ours ourselves out over own same shall
she should so some such than that the their theirs them themselves then there these they this
those through to too under until up upon us very was wasn't we were weren't what when where
whether which while who whom whose why will with without won't would wouldn't you your yours
yourself yourselves i'm i've i'll i'd you're you've you'll you'd he'll he'd she'll she'd we're we've
we'll we'd they're they've they'll they'd
"""

_PORTUGUESE = """
a ao aos aquela aquelas aquele aqueles aquilo as ate com como da das de dela delas dele deles
depois do dos e ela elas ele eles em entre era eram essa essas esse esses esta estas este estes
foi foram ha isso isto ja lhe lhes mais mas mesmo meu minha muito na nas nao nem no nos nossa nosso
num numa o os ou para pela pelas pelo pelos por qual quais quando quem que se sem ser seu seus sua
suas sao tambem te tem tinha um uma voce onde porque
"""

STOP_WORDS: frozenset[str] = frozenset(_ENGLISH.split()) | frozenset(_PORTUGUESE.split())
