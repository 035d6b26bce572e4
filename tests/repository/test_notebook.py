"""The example notebook runs from top to bottom in a real kernel and answers rightly."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.slow
# The kernel's client leaves its own sockets to the garbage collector.
@pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
def test_the_notebook_runs_and_finds_the_place_of_birth():
    notebook = nbformat.read(EXAMPLES / "clew.ipynb", as_version=4)
    assert all(not cell.outputs for cell in notebook.cells if cell.cell_type == "code")
    NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": EXAMPLES}}
    ).execute()
    printed = [
        "".join(output.get("text", "") for output in cell.outputs)
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]
    added, answered, searched, path, traced, retrieved, _ = printed
    # Ten files and the five lines of people.jsonl.
    assert added.startswith("15 sources")
    assert "born in Bergen" in answered
    assert "[1]" in answered
    assert "Dorrance Shipyard" in searched
    assert path.startswith("Kestrel Observatory")
    assert "Hollis Institute" in path
    assert traced == "True\n"
    assert retrieved.startswith("aurelia |")
