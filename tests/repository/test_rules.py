"""Rules of the repository that no linter knows."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from clew.engine.version import VERSION

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "clew"
MODULES = sorted(PACKAGE.rglob("*.py"))
TEXT_SUFFIXES = {".py", ".md", ".toml", ".sh", ".lock", ".txt", ".yml", ".html", ".jsonl", ""}
OWN_FOLDERS = ("src", "tests", "benchmarks", "examples", "scripts", "docs", ".ci")


# Modules that a fast command must not pay for, because of the library behind them.
SLOW_MODULES = {"clew.models.spacy_pipeline", "clew.stores.embedded.inverted_lists"}


def violations(check, modules=MODULES) -> list[str]:
    """Return file and line of every statement that `check` refuses."""
    return [
        f"{module.relative_to(ROOT)}:{node.lineno}"
        for module in modules
        for node in check(ast.parse(module.read_text(encoding="utf-8")))
    ]


def imports(tree: ast.AST) -> list[ast.Import | ast.ImportFrom]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]


def root_imports(tree: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    """Return imports of the package root, and relative ones, which may hide such."""
    return [
        node
        for node in imports(tree)
        if (isinstance(node, ast.ImportFrom) and (node.module == "clew" or node.level))
        or (isinstance(node, ast.Import) and any(alias.name == "clew" for alias in node.names))
    ]


def function_imports(tree: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    functions = (
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return [
        node
        for function in functions
        for node in imports(function)
        if not (isinstance(node, ast.ImportFrom) and node.module in SLOW_MODULES)
    ]


def test_inner_packages_are_empty():
    inner = [path for path in MODULES if path.name == "__init__.py" and path.parent != PACKAGE]
    assert len(inner) > 10
    assert [path for path in inner if path.read_bytes()] == []


def test_nothing_imports_from_the_root():
    inner = [path for path in MODULES if path.parent != PACKAGE]
    assert violations(root_imports, inner) == []


def test_imports_stand_at_the_top():
    """What is loaded late goes through a helper that imports by name, with one error text."""
    assert violations(function_imports) == []


@pytest.mark.parametrize(
    ("check", "code", "count"),
    [
        (root_imports, "from clew import Clew\nimport clew\nfrom . import x", 3),
        (root_imports, "from clew.core import ids\nimport clew.core.ids", 0),
        (function_imports, "def f():\n    import json\n    from a import b", 2),
        (function_imports, "import json\ntry:\n    import x\nexcept ImportError:\n    pass", 0),
    ],
)
def test_the_checks_see_what_they_should(check, code, count):
    assert len(check(ast.parse(code))) == count


def own_files():
    top = [path for path in ROOT.iterdir() if path.is_file()]
    inner = [path for folder in OWN_FOLDERS for path in (ROOT / folder).rglob("*")]
    return [
        path
        for path in [*top, *inner]
        if path.is_file()
        and path.suffix in TEXT_SUFFIXES
        and not path.name.startswith((".cov", ".git"))
    ]


def test_no_path_of_one_machine():
    pattern = re.compile(r"(?<![\w.])/(?:work|farm|root|opt|tmp/\w+)/")
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()[:100]}"
        for path in own_files()
        if path != Path(__file__)
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        if pattern.search(line)
    ]
    assert found == []


def requirement_name(requirement: str) -> str:
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert name, requirement
    return re.sub(r"[-_.]+", "-", name.group()).lower()


def locked(file: str) -> dict[str, str]:
    """Return name and version of each requirement of a lock file."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    found = [re.match(r"([a-z0-9][a-z0-9.-]*)==([^\s;\\]+)", line) for line in lines]
    return {match.group(1): match.group(2) for match in found if match}


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("file", "wanted"),
    [
        ("requirements.lock", PROJECT["project"]["dependencies"]),
        ("requirements-dev.lock", PROJECT["project"]["dependencies"]),
        ("requirements-dev.lock", PROJECT["project"]["optional-dependencies"]["dev"]),
        ("requirements-build.lock", PROJECT["build-system"]["requires"]),
    ],
)
def test_lock_holds_every_requirement(file, wanted):
    missing = {requirement_name(requirement) for requirement in wanted} - set(locked(file))
    assert missing == set(), "run: make lock"


@pytest.mark.parametrize(
    "file", ["requirements.lock", "requirements-dev.lock", "requirements-build.lock"]
)
def test_lock_has_hashes_and_no_address_and_no_torch(file):
    text = (ROOT / file).read_text(encoding="utf-8")
    blocks = re.split(r"\n(?=\S)", text.strip())
    assert len(blocks) == len(locked(file))
    assert all("--hash=sha256:" in block for block in blocks)
    assert not re.search(r"://|--index|--find-links|\s/", text)
    assert "torch" not in locked(file)


def test_lock_files_agree_with_each_other():
    default, dev, build = (locked(f"requirements{part}.lock") for part in ("", "-dev", "-build"))
    assert default.items() <= dev.items()
    assert all(dev.get(name, version) == version for name, version in build.items())


def test_every_extra_exists_and_all_is_their_sum():
    extras = PROJECT["project"]["optional-dependencies"]
    models = {"llm", "local", "sentence-transformers"}
    documents = {"ocr", "parquet", "pdf"}
    servers = {"postgres", "neo4j", "serve", "ray"}
    frameworks = {"langchain", "llama-index"}
    features = models | documents | servers | frameworks | {"causal", "eval"}
    assert set(extras) == features | {"all", "dev"}
    (everything,) = extras["all"]
    assert set(everything.removeprefix("clew[").removesuffix("]").split(",")) == (
        # It brings torch, which none is to get unasked.
        features - {"sentence-transformers"}
    )


def test_version_is_stated_once_in_two_places():
    assert PROJECT["project"]["version"] == VERSION
