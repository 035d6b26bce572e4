"""JSON and XML: keys stay with their values, records get headings, entities are never expanded."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.errors import ParseError
from clew.ingest.parsers.registry import parse_bytes


def read_json(value: object) -> str:
    return parse_bytes(json.dumps(value).encode(), name="a.json").text


def test_an_object_keeps_its_keys():
    value = {
        "company": "Acme",
        "founded": 1984,
        "address": {"street": "Main", "city": "Oslo"},
        "tags": ["a", "b"],
        "public": True,
        "parent": None,
        "employees": [
            {"name": "Ann Lee", "age": 40, "jobs": [{"title": "CEO", "since": 2001}]},
            {"age": 41, "note": "first\n\nsecond"},
        ],
        "sales": [["year", "sum"], ["2019", 3]],
    }
    assert read_json(value) == (
        "company: Acme\nfounded: 1984\naddress.street: Main\naddress.city: Oslo\ntags: a, b\n"
        "public: true\n\n"
        "## employees: Ann Lee\n\nname: Ann Lee\nage: 40\n\n"
        "### employees: Ann Lee / jobs: CEO\n\ntitle: CEO\nsince: 2001\n\n"
        "## employees 2\n\nage: 41\n\nnote:\n\nfirst\n\nsecond\n\n"
        "sales:\n\n| year | sum |\n| --- | --- |\n| 2019 | 3 |"
    )


def test_records_at_the_top_and_one_to_a_line():
    records = [{"id": "a7", "text": "one"}, {"text": "two"}]
    expected = "## record: a7\n\nid: a7\ntext: one\n\n## record 2\n\ntext: two"
    assert read_json(records) == expected
    lines = "\n".join(json.dumps(record) for record in records)
    assert parse_bytes(lines.encode(), name="a.json").text == expected


def test_objects_under_many_keys_are_records():
    value = {key: {"label": label} for key, label in zip("wxyz", "WXYZ", strict=True)}
    assert read_json(value).startswith("## w: W\n\nlabel: W\n\n## x: X")


def test_numbers_stay_as_they_are_written():
    text = b'{"a": 1.10, "b": 1e5, "c": ' + b"7" * 5000 + b"}"
    assert parse_bytes(text, name="a.json").text == f"a: 1.10\nb: 1e5\n\nc: {'7' * 5000}"


def test_what_an_object_says_of_itself():
    value = {"Title": "T", "author": [{"name": "Ann"}, "Bo"], "date": "2020-01-02", "text": "x"}
    parsed = parse_bytes(json.dumps(value).encode("utf-16"), name="a.json")
    assert (parsed.title, parsed.authors) == ("T", ("Ann", "Bo"))
    assert parsed.published_at == datetime(2020, 1, 2, tzinfo=UTC)


def test_deep_nesting_is_kept_as_json_or_refused():
    value: object = "bottom"
    for _ in range(200):
        value = {"k": value}
    assert "bottom" in read_json(value)
    with pytest.raises(ParseError) as caught:
        parse_bytes(b"[" * 200_000 + b"]" * 200_000, name="a.json")
    assert caught.value.reason == "too-large"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"{}", "empty"),
        (b'{"a": [null, ""]}', "empty"),
        (b'{"a": 1', "damaged"),
        (b"not json", "damaged"),
        (b"\0\0\0\0\1", "binary"),
    ],
)
def test_json_without_values_fails_with_a_reason(data, reason):
    with pytest.raises(ParseError) as caught:
        parse_bytes(data, name="a.json")
    assert caught.value.reason == reason


scalars = st.text(alphabet="abcdefgh", min_size=3, max_size=8)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=4)
        | st.dictionaries(scalars, inner, min_size=1, max_size=4)
    ),
    max_leaves=12,
)


def leaves(value: object) -> list[str]:
    if isinstance(value, dict):
        return [leaf for each in value.values() for leaf in leaves(each)]
    if isinstance(value, list):
        return [leaf for each in value for leaf in leaves(each)]
    return [str(value)]


@given(values)
@settings(deadline=None)
def test_every_value_is_in_the_text(value):
    text = read_json(value)
    assert [leaf for leaf in leaves(value) if leaf not in text] == []


CATALOG = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE catalog [<!ENTITY secret "EXPANDED"><!ENTITY more "&secret;&secret;">]>
<!-- a comment --><catalog><title>Café &more; &nbsp;A&amp;B C&D</title>
<book id="bk101"><author>Lee, Ann</author><title>Tides</title><price currency="EUR">44.95</price>
<publisher><name>Acme</name><city>Oslo</city></publisher></book>
<book id="bk102"><description>An <i>odd</i> tale.</description><code><![CDATA[a & b]]></code></book>
</catalog>"""


def test_elements_of_values_become_records():
    parsed = parse_bytes(CATALOG.encode("latin-1"), name="a.xml")
    title = "Café &more; A&B C&D"
    assert parsed.text == (
        f"# {title}\n\ntitle: {title}\n\n"
        "## book: Tides\n\nid: bk101\nauthor: Lee, Ann\ntitle: Tides\nprice (currency EUR): 44.95\n"
        "publisher.name: Acme\npublisher.city: Oslo\n\n"
        "## book: bk102\n\nid: bk102\ndescription: An odd tale.\ncode: a & b"
    )
    assert parsed.title == title
    assert parsed.warnings == ("entities were not expanded: &more;, &secret;",)


ARTICLE = """<article xml:lang="en-GB"><front><article-meta><title-group>
<article-title>Big study</article-title></title-group><author>Ann Lee</author>
<pub-date>2020-01-02</pub-date></article-meta></front>
<body><sec><title>Intro</title><p>Hello <b>big </b>world.</p><p>Second.</p>
<list><item>one</item><item>two</item></list>
<sec><title>Figures</title><table><tr><th>Year</th><th>Sum</th></tr><tr><td>2019</td><td>3</td></tr>
</table></sec></sec></body></article>"""


def test_running_text_keeps_its_structure():
    parsed = parse_bytes(ARTICLE.encode(), name="a.xml")
    assert parsed.text.endswith(
        "### Intro\n\nHello big world.\n\nSecond.\n\n- one\n- two\n\n#### Intro / Figures\n\n"
        "| Year | Sum |\n| --- | --- |\n| 2019 | 3 |"
    )
    assert (parsed.title, parsed.authors, parsed.language) == ("Big study", ("Ann Lee",), "en")
    assert parsed.published_at == datetime(2020, 1, 2, tzinfo=UTC)


def test_xhtml_is_read_as_a_page():
    page = '<?xml version="1.0"?><html><body><h1>Head</h1><p>Text</p></body></html>'
    assert parse_bytes(page.encode(), name="a.xml").text == "# Head\n\nText"


def test_no_file_is_fetched(tmp_path):
    (tmp_path / "secret.txt").write_text("SECRET", encoding="utf-8")
    uri = (tmp_path / "secret.txt").as_uri()
    for declaration in (f'<!ENTITY x SYSTEM "{uri}">', f'<!ENTITY % p SYSTEM "{uri}"> %p;'):
        xml = f"<!DOCTYPE a [{declaration}]><a><b>text &x;</b></a>"
        parsed = parse_bytes(xml.encode(), name="a.xml")
        assert "SECRET" not in parsed.text
        assert "text &x;" in parsed.text


def test_a_billion_laughs_stay_one_reference():
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    xml = f'<!DOCTYPE a [<!ENTITY l0 "ha">{entities}]><a k="&l11;"><b>&l11;</b></a>'
    text = parse_bytes(xml.encode(), name="a.xml").text
    assert len(text) < 100
    assert "b: &l11;" in text


def test_xml_nested_too_deeply_is_refused():
    with pytest.raises(ParseError) as caught:
        parse_bytes(b"<a>" * 10_000 + b"x" + b"</a>" * 10_000, name="a.xml")
    assert caught.value.reason == "too-large"


def test_xml_that_is_not_well_formed_is_mended_and_said_so():
    parsed = parse_bytes(b"<a><b>one</b><c>two</a>", name="a.xml")
    assert "b: one" in parsed.text
    assert "two" in parsed.text
    assert "not well-formed" in parsed.warnings[0]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "cp1251"])
def test_xml_in_any_encoding(encoding):
    declared = ' encoding="windows-1251"' if encoding == "cp1251" else ""
    xml = f'<?xml version="1.0"{declared}?><a><b>Привет, мир</b></a>'
    assert parse_bytes(xml.encode(encoding), name="a.xml").text == "# a\n\nb: Привет, мир"


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"", "empty"), (b" ", "empty"), (b"<a><b/></a>", "empty"), (b"no markup", "damaged")],
)
def test_xml_without_text_fails_with_a_reason(data, reason):
    with pytest.raises(ParseError) as caught:
        parse_bytes(data, name="a.xml")
    assert caught.value.reason == reason
