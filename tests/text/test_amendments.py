"""Titles of amendments."""

import pytest

from clew.text.amendments import amended_title


@pytest.mark.parametrize(
    ("title", "amended"),
    [
        ("Amendment to the Lease Agreement", "the Lease Agreement"),
        ("Second Amendment to Lease Agreement", "Lease Agreement"),
        ("Amendment No. 2 to the Lease", "the Lease"),
        ("Corrigendum to: Tides", None),
        ("Erratum for Tides of the North", "Tides of the North"),
        ("Termo Aditivo ao Contrato de Locação", "Contrato de Locação"),
        ("Errata da Portaria 12", "Portaria 12"),
        ("The Second Amendment", None),
        ("Amendments and their history", None),
        ("Lease Agreement", None),
    ],
)
def test_the_title_that_is_amended(title, amended):
    assert amended_title(title) == amended
