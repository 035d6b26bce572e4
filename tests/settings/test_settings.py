"""Settings: defaults, sources and their order, refusals that name the key and the place."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from clew.core.errors import SettingsError
from clew.core.query import FusionMode, Query
from clew.settings.load import find_file, load_settings
from clew.settings.model import Settings


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name in ("CLEW_RETRIEVAL__TOP_K", "CLEW_STORE"):
        monkeypatch.delenv(name, raising=False)


def write(folder: Path, text: str) -> Path:
    file = folder / "clew.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_retrieval_defaults_are_those_of_a_plain_query():
    retrieval = load_settings().retrieval
    query = Query("any")
    shared = set(type(retrieval).model_fields) & set(Query.__dataclass_fields__)
    assert shared == set(type(retrieval).model_fields) - {
        "strong_relations",
        "fan_out",
        "hub_edges",
        "edge_budget",
    }
    for name in shared:
        assert getattr(retrieval, name) == getattr(query, name), name


def test_documented_defaults():
    settings = load_settings()
    assert settings.resolution.threshold == 0.90
    assert settings.retrieval.strong_relations == ("OWNS", "CONTROLS", "FOUNDED", "INVESTED_BY")
    assert settings.chunking.limits == (1350, 100)
    assert settings.embedding.variant == "original"
    assert settings.extraction.enabled


def test_preset_gives_sizes_and_explicit_ones_win():
    assert load_settings({"chunking": {"preset": "paper_v1"}}).chunking.limits == (1000, 100)
    chosen = load_settings({"chunking": {"preset": "paper_v1", "size": 700}})
    assert chosen.chunking.limits == (700, 100)


def test_arguments_win_over_environment_over_file_over_defaults(tmp_path, monkeypatch):
    write(tmp_path, "[retrieval]\ntop_k = 11\nseed_k = 12\nmax_hops = 3\n")
    monkeypatch.setenv("CLEW_RETRIEVAL__TOP_K", "21")
    monkeypatch.setenv("CLEW_RETRIEVAL__SEED_K", "13")
    retrieval = load_settings({"retrieval": {"top_k": 31}}).retrieval
    assert (retrieval.top_k, retrieval.seed_k, retrieval.max_hops, retrieval.max_nodes) == (
        31,
        13,
        3,
        50,
    )


def test_environment_reads_lists_enums_and_switches(monkeypatch):
    monkeypatch.setenv("CLEW_RETRIEVAL__STRONG_RELATIONS", '["BUILT_BY"]')
    monkeypatch.setenv("CLEW_RETRIEVAL__FUSION_MODE", "graph_first")
    monkeypatch.setenv("CLEW_EXTRACTION__ENABLED", "false")
    settings = load_settings()
    assert settings.retrieval.strong_relations == ("BUILT_BY",)
    assert settings.retrieval.fusion_mode is FusionMode.GRAPH_FIRST
    assert not settings.extraction.enabled


def test_other_variables_are_no_settings(monkeypatch):
    monkeypatch.setenv("CLEW_STORE", "notes.clew")
    assert load_settings() == Settings()


def test_file_is_found_from_a_folder_below(tmp_path):
    file = write(tmp_path, "[answer]\nmax_sentences = 2\n")
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert find_file(below) == file
    assert load_settings(folder=below).answer.max_sentences == 2


def test_the_nearest_file_is_taken(tmp_path):
    write(tmp_path, "[answer]\nmax_sentences = 2\n")
    below = tmp_path / "a"
    below.mkdir()
    write(below, "[answer]\nmax_sentences = 3\n")
    assert load_settings(folder=below).answer.max_sentences == 3


def test_named_file_is_read_instead_of_the_one_found(tmp_path):
    write(tmp_path, "[answer]\nmax_sentences = 2\n")
    other = tmp_path / "other.toml"
    other.write_text("[answer]\nmax_sentences = 5\n", encoding="utf-8")
    assert load_settings(path=other).answer.max_sentences == 5


def test_unknown_key_names_key_file_and_near_match(tmp_path):
    file = write(tmp_path, "[retrieval]\ntopk = 3\n")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert str(caught.value) == (
        f"unknown setting 'retrieval.topk' in {file}; did you mean 'retrieval.top_k'"
    )


def test_unknown_section_without_near_match_lists_what_is_known(tmp_path):
    write(tmp_path, "[zzz]\nx = 3\n")
    with pytest.raises(SettingsError, match=r"unknown setting 'zzz' .*known here: embedding, ch"):
        load_settings()


def test_every_problem_is_reported_with_its_own_place(tmp_path, monkeypatch):
    write(tmp_path, "[retrieval]\nmax_hops = 9\n")
    monkeypatch.setenv("CLEW_ANSWER__MAX_SENTENCE", "1")
    with pytest.raises(SettingsError) as caught:
        load_settings({"resolution": {"threshold": 2}})
    lines = str(caught.value).splitlines()
    assert len(lines) == 3
    assert "'resolution.threshold' in the arguments" in lines[0]
    assert "'retrieval.max_hops' in" in lines[1]
    assert "clew.toml" in lines[1]
    assert "less than or equal to 5" in lines[1]
    assert lines[2].startswith("unknown setting 'answer.max_sentence' in the environment")
    assert lines[2].endswith("did you mean 'answer.max_sentences'")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("CLEW_RETRIEVAL_TOP_K", "CLEW_RETRIEVAL__TOP_K"),
        ("CLEW_RETRIEVAL", "CLEW_RETRIEVAL__KEY"),
        ("CLEW_RETRIVAL__TOP_K", "did you mean 'retrieval'"),
    ],
)
def test_misspelt_variable_is_refused(monkeypatch, name, message):
    monkeypatch.setenv(name, "3")
    with pytest.raises(SettingsError, match=message) as caught:
        load_settings()
    assert name in str(caught.value)


def test_malformed_list_in_the_environment(monkeypatch):
    monkeypatch.setenv("CLEW_RETRIEVAL__STRONG_RELATIONS", "OWNS,")
    with pytest.raises(SettingsError, match=r"not valid JSON.*CLEW_RETRIEVAL__STRONG_RELATIONS"):
        load_settings()


def test_overlap_must_fit_size():
    with pytest.raises(SettingsError, match="overlap 100 must be smaller than size 80"):
        load_settings({"chunking": {"size": 80}})


def test_broken_and_missing_files(tmp_path):
    file = write(tmp_path, "[retrieval\n")
    with pytest.raises(SettingsError, match="not valid TOML"):
        load_settings()
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="cannot read the settings file"):
        load_settings()
    with pytest.raises(SettingsError, match=r"cannot read the settings file .*absent\.toml"):
        load_settings(path=tmp_path / "absent.toml")


def test_section_must_be_a_table(tmp_path):
    write(tmp_path, "retrieval = 3\n")
    with pytest.raises(SettingsError, match=r"invalid setting 'retrieval' in .*clew\.toml"):
        load_settings()


def test_home_is_expanded(monkeypatch):
    monkeypatch.setenv("HOME", "/home/ana")
    folder = load_settings({"embedding": {"cache_folder": "~/models"}}).embedding.cache_folder
    assert folder == Path("/home/ana/models")


def test_redacted_dump_hides_secrets_and_keeps_the_rest():
    class WithSecret(Settings):
        token: SecretStr = SecretStr("")

    dump = WithSecret(token=SecretStr("open sesame")).redacted()
    assert dump["token"] == "**********"
    assert "sesame" not in str(dump)
    assert dump["retrieval"]["fusion_mode"] == "balanced"
    assert dump["retrieval"]["top_k"] == 10


def test_the_password_of_a_proxy_is_not_shown():
    settings = load_settings({"web": {"proxy": "http://ana:open-sesame@proxy:3128"}})
    assert settings.web.proxy is not None
    assert settings.web.proxy.get_secret_value().endswith("@proxy:3128")
    assert "sesame" not in f"{settings.redacted()} {settings!r}"


def test_settings_are_frozen():
    settings = Settings()
    with pytest.raises(ValueError, match="frozen"):
        settings.retrieval.top_k = 3


def test_other_embedding_models_are_configured():
    given = load_settings(
        {
            "embedding": {
                "provider": "openai",
                "model": "tiny",
                "base_url": "http://localhost:11434/v1",
                "api_key": "sk-secret",
                "calibration": {"question_passage": 0.1, "question_node": 0.2, "name_name": 0.3},
            }
        }
    )
    assert given.embedding.api_key is not None
    assert given.embedding.api_key.get_secret_value() == "sk-secret"
    assert "sk-secret" not in repr(given)
    assert given.redacted()["embedding"]["api_key"] == "**********"


def test_the_key_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("CLEW_EMBEDDING__API_KEY", "sk-secret")
    key = load_settings().embedding.api_key
    assert key is not None
    assert key.get_secret_value() == "sk-secret"


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"provider": "openai"}, "needs the name of a model"),
        ({"provider": "sentence_transformers"}, "needs the name of a model"),
        ({"base_url": "localhost:11434"}, "http://HOST:PORT/v1"),
        ({"base_url": "ftp://host/v1"}, "http://HOST:PORT/v1"),
        ({"base_url": "http://me:sk-secret@host/v1"}, "does not belong in the address"),
        ({"calibration": {"question_passage": 0.1}}, "Field required"),
        (
            {"calibration": {"question_passage": 1, "question_node": 0, "name_name": 0}},
            "less than 1",
        ),
        ({"dimensions": 0}, "greater than or equal to 1"),
        ({"timeout": 0}, "greater than 0"),
    ],
)
def test_wrong_embedding_settings_are_explained(values, problem):
    with pytest.raises(SettingsError, match=problem) as caught:
        load_settings({"embedding": values})
    assert "sk-secret" not in str(caught.value)


def test_a_language_model_is_configured_by_its_file_name_or_address():
    assert not load_settings().llm.is_configured
    for values in ({"path": "m.gguf"}, {"model": "tiny"}, {"base_url": "http://localhost:1/v1"}):
        assert load_settings({"llm": values}).llm.is_configured
    given = load_settings({"llm": {"model": "tiny", "api_key": "sk-secret"}})
    assert "sk-secret" not in repr(given)
    assert given.redacted()["llm"]["api_key"] == "**********"


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"path": "m.gguf", "base_url": "http://localhost:1/v1"}, "path is a model's file"),
        ({"path": "m.gguf", "model": "tiny"}, "path is a model's file"),
        ({"base_url": "http://me:sk-secret@host/v1"}, "does not belong in the address"),
        ({"context_window": 10}, "greater than or equal to 256"),
        ({"requests_per_minute": 0}, "greater than 0"),
    ],
)
def test_wrong_settings_of_a_language_model_are_explained(values, problem):
    with pytest.raises(SettingsError, match=problem) as caught:
        load_settings({"llm": values})
    assert "sk-secret" not in str(caught.value)
