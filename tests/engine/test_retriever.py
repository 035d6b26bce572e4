"""The retriever and its reranker, made from settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from clew.core.errors import ModelError, QueryError, SettingsError
from clew.engine.clew import Clew
from clew.engine.retriever import make_reranker
from clew.models.cross_encoder import CrossEncoderReranker
from clew.models.http_reranker import HttpReranker
from clew.models.late_interaction import LateInteractionReranker
from clew.models.llm_reranker import LLMReranker
from clew.retrieve.expansion import ExpansionSettings
from clew.settings.model import RerankKind, RerankSettings, Settings
from clew.stores.memory import MemoryStore
from clew.testing.fakes import HashingEmbedder, ScriptedLLM
from tests.engine.stand_ins import PatternExtractor
from tests.models.test_cross_encoder import write_model, write_tokenizer
from tests.models.test_late_interaction import WordVectors

EMBEDDER = HashingEmbedder()
TEXTS = ("A long text on coal, grain and the weather of last year.", "On ship and coal.", "Coal.")


def settings(**rerank: object) -> Settings:
    return Settings(rerank=RerankSettings(**rerank))  # type: ignore[arg-type]


def opened(chosen: Settings) -> Clew:
    clew = Clew.open(
        "unused",
        settings=chosen,
        store=MemoryStore(),
        embedder=EMBEDDER,
        extractor=PatternExtractor(),
    )
    clew.add(*({"source": f"s{place}", "text": text} for place, text in enumerate(TEXTS)))
    return clew


class TestReranker:
    def test_off_by_default(self) -> None:
        assert Settings().rerank.kind is RerankKind.OFF
        assert make_reranker(RerankSettings(), EMBEDDER) is None

    def test_each_kind(self, tmp_path: Path) -> None:
        write_tokenizer(tmp_path)
        write_model(tmp_path / "model.onnx")
        late = make_reranker(
            RerankSettings(kind=RerankKind.LATE_INTERACTION),
            WordVectors(),  # type: ignore[arg-type]
        )
        assert isinstance(late, LateInteractionReranker)
        cross = make_reranker(
            RerankSettings(kind=RerankKind.CROSS_ENCODER, folder=tmp_path), EMBEDDER
        )
        assert isinstance(cross, CrossEncoderReranker)
        http = make_reranker(
            RerankSettings(kind=RerankKind.HTTP, url="http://localhost:1"), EMBEDDER
        )
        assert isinstance(http, HttpReranker)
        http.close()
        scripted = ScriptedLLM()
        llm = make_reranker(RerankSettings(kind=RerankKind.LLM), EMBEDDER, llm=lambda: scripted)
        assert isinstance(llm, LLMReranker)

    def test_what_cannot_be_is_said(self, tmp_path: Path) -> None:
        with pytest.raises(SettingsError, match="no token vectors"):
            make_reranker(RerankSettings(kind=RerankKind.LATE_INTERACTION), EMBEDDER)
        with pytest.raises(SettingsError, match="needs a language model"):
            make_reranker(RerankSettings(kind=RerankKind.LLM), EMBEDDER)
        with pytest.raises(ModelError, match="no ONNX model"):
            make_reranker(RerankSettings(kind=RerankKind.CROSS_ENCODER, folder=tmp_path), EMBEDDER)

    @pytest.mark.parametrize(
        ("wrong", "said"),
        [
            ({"kind": "cross_encoder"}, "needs folder"),
            ({"kind": "http"}, "needs url"),
            ({"kind": "magic"}, "kind"),
            ({"candidates": 0}, "candidates"),
            ({"weight": 1.5}, "weight"),
            ({"unknown": 1}, "unknown"),
        ],
    )
    def test_settings_are_checked(self, wrong: dict[str, object], said: str) -> None:
        with pytest.raises(ValidationError, match=said):
            RerankSettings(**wrong)  # type: ignore[arg-type]

    def test_a_key_is_never_shown(self) -> None:
        chosen = settings(kind="http", url="http://localhost:1", api_key="s3cret")
        assert "s3cret" not in str(chosen.redacted())
        assert "s3cret" not in repr(chosen)


class TestSearch:
    def test_a_folder_reorders_a_search(self, tmp_path: Path) -> None:
        write_tokenizer(tmp_path)
        write_model(tmp_path / "model.onnx")
        clew = opened(settings(kind="cross_encoder", folder=tmp_path))
        found = clew.search("coal", mode="vector_only", top_k=1)
        # The model knows "ship" (10) and "coal" (1) by these very words.
        assert [row.content for row in found.results] == ["On ship and coal."]
        plain = clew.search("coal", mode="vector_only", top_k=1, rerank=False)
        assert [row.content for row in plain.results] == ["Coal."]

    def test_without_one_it_cannot_be_asked_for(self) -> None:
        with pytest.raises(QueryError, match="no reranker is configured"):
            opened(Settings()).search("coal", mode="vector_only", rerank=True)

    def test_evidence_weights_and_bounds_come_from_settings(self) -> None:
        chosen = Settings(
            evidence={"similarity": 1, "recency": 0, "authority": 0, "confidence": 0},  # type: ignore[arg-type]
            retrieval={"max_tokens": 7, "fusion_strategy": "max_score"},  # type: ignore[arg-type]
        )
        clew = opened(chosen)
        found = clew.search("coal", mode="dual")
        assert found.query.fusion_strategy == "max_score"
        assert found.query.max_tokens == 7
        for row in found.results:
            assert row.score == pytest.approx(row.score_parts["evidence_similarity"])
        assert clew.search("coal", mode="hybrid").query.fusion_strategy == "reciprocal_rank"
        with pytest.raises(ValidationError, match="all 0"):
            Settings(
                evidence={"similarity": 0, "recency": 0, "authority": 0, "confidence": 0}  # type: ignore[arg-type]
            )

    def test_bounds_of_the_expansion_have_one_default(self) -> None:
        bounds, chosen = ExpansionSettings(), Settings().retrieval
        assert (chosen.fan_out, chosen.hub_edges) == (bounds.fan_out, bounds.hub_edges)
        assert chosen.edge_budget == bounds.edge_budget

    def test_projects_and_predicates_narrow_a_search(self) -> None:
        clew = opened(Settings())
        for project, year in (("north", 2020), ("south", 2024)):
            clew.add(
                {"source": project, "text": f"Coal of the {project}."},
                metadata={"project": project, "year": year},
            )

        def sources(**scope: object) -> set[str]:
            found = clew.search("coal", mode="hybrid", **scope)  # type: ignore[arg-type]
            documents = clew.documents(ids=[row.document for row in found.results])
            return {document.source for document in documents}

        assert sources(projects=["north"]) == {"north"}
        assert sources(where={"year": {"gt": 2020}}) == {"south"}
        assert sources(projects=["north"], where={"year": 2024}) == set()
        assert sources(where={"year": {"exists": False}}) == {"s0", "s1", "s2"}
