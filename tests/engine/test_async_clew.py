import inspect

import pytest

from clew.engine.async_clew import AsyncClew
from clew.engine.clew import Clew
from clew.stores.memory import MemoryStore
from tests.engine.stand_ins import open_clew

_SPECIAL = {"__enter__": "__aenter__", "__exit__": "__aexit__"}


def _methods(kind):
    return {
        name: getattr(kind, name)
        for name in vars(kind)
        if not name.startswith("_") and callable(getattr(kind, name))
    }


def test_both_facades_have_the_same_methods_with_the_same_signatures():
    plain, awaited = _methods(Clew), _methods(AsyncClew)
    assert plain.keys() == awaited.keys()
    assert len(plain) >= 10
    for name in plain:
        first, second = (inspect.signature(getattr(kind, name)) for kind in (Clew, AsyncClew))
        if name == "chat":
            # What it gives is to be awaited as well.
            second = second.replace(return_annotation=first.return_annotation)
        assert first == second, name
    for plain_name, awaited_name in _SPECIAL.items():
        assert plain_name in vars(Clew)
        assert awaited_name in vars(AsyncClew)


def test_all_but_open_are_awaited():
    for name, method in _methods(AsyncClew).items():
        assert inspect.iscoroutinefunction(method) is (name != "open"), name


@pytest.mark.asyncio
async def test_it_does_what_the_plain_one_does():
    plain = open_clew(MemoryStore())
    async with AsyncClew(plain) as clew:
        report = await clew.add({"source": "a", "text": "Acme Corp sued Beta Labs."})
        assert report.chunks == 1
        assert await clew.status() == plain.status()
        assert await clew.documents() == plain.documents()
        assert await clew.node("Acme Corp") == plain.node("Acme Corp")
        assert await clew.path("Acme Corp", "Beta Labs") == plain.path("Acme Corp", "Beta Labs")
        assert await clew.collections() == ("default",)
        assert (await clew.remove("a")).removed["documents"] == 1
        assert await clew.documents() == ()
