import numpy as np
import pytest

from clew.models.calibrating import TOPICS, measured
from clew.models.e5 import CALIBRATION, E5Embedder


def test_backgrounds_are_means_over_pairs_of_different_topics():
    """Each kind of text has a direction of its own and each topic another, all orthogonal."""
    size = 3 + 3 * len(TOPICS)

    def vectors(kind, shared):
        matrix = np.zeros((len(TOPICS), size), np.float32)
        matrix[:, kind] = shared
        for row in range(len(TOPICS)):
            matrix[row, 3 + kind * len(TOPICS) + row] = np.sqrt(1 - shared**2)
        return matrix

    kinds = {
        **{topic.name: 0 for topic in TOPICS},
        **{topic.question: 1 for topic in TOPICS},
    }
    names = vectors(0, 0.6)
    questions, passages = vectors(1, 0.8), vectors(1, 0.5)

    def embed_questions(texts):
        return names if kinds[texts[0]] == 0 else questions

    found = measured(embed_questions, lambda texts: passages)
    # Names share .6 x .6; questions and passages .8 x .5. A node is (name + passage) / sqrt(2),
    # since the two are orthogonal, so that half of a question's cosine with the passage is lost.
    assert found.name_name == pytest.approx(0.36, abs=1e-6)
    assert found.question_passage == pytest.approx(0.40, abs=1e-6)
    assert found.question_node == pytest.approx(0.40 / np.sqrt(2), abs=1e-6)


def test_a_background_lies_below_one_and_not_below_zero():
    same = np.ones((len(TOPICS), 1), np.float32)
    found = measured(lambda _: same, lambda _: same)
    backgrounds = (found.question_passage, found.question_node, found.name_name)
    assert backgrounds == pytest.approx((0.98, 0.98, 0.98))
    opposed = measured(lambda _: same, lambda _: -2 * same)
    assert opposed.question_passage == 0.0


def test_topics_are_different():
    for column in zip(*TOPICS, strict=True):
        assert len(set(column)) == len(TOPICS)


def test_the_bundled_model_is_measured_nearly_as_on_the_large_sets():
    """The small set and the training sets of the benchmark agree to .03."""
    model = E5Embedder()
    found = measured(model.embed_questions, model.embed_passages)
    for kind in ("question_passage", "question_node", "name_name"):
        assert getattr(found, kind) == pytest.approx(getattr(CALIBRATION, kind), abs=0.03), kind
