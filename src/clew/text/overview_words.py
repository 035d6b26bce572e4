"""Words of questions that ask about a collection as a whole rather than about things in it."""

from __future__ import annotations

from clew.text.tokens import terms

_OVERVIEW = frozenset(
    """
    main major key central important principal overall general whole entire common recurring
    theme themes topic topics subject subjects idea ideas point points finding findings pattern
    patterns trend trends issue issues content contents overview summary summarise summarize
    summarised summarized describe discuss discussed cover covered covers mention mentioned talk
    tell document documents text texts corpus collection file files article articles paper papers
    report reports data dataset knowledge base say says
    principais principal tema temas assunto assuntos topico topicos ideia ideias ponto pontos
    resumo resuma resumir visao geral documento documentos texto textos colecao artigo artigos
    trata tratam fala falam padrao padroes questao questoes conteudo
    """.split()
)


def asks_for_overview(question: str) -> bool:
    """Return whether nothing in `question` narrows it down: "What are the main themes?"."""
    return all(term in _OVERVIEW for term in terms(question))
