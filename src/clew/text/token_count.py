"""How many tokens a text is for a language model, without its tokenizer."""

from __future__ import annotations

_BYTES_A_TOKEN = 3


def estimated_tokens(text: str) -> int:
    """Return an estimate on the safe side: one token for three bytes of UTF-8.

    Byte-pair vocabularies need about four bytes of English, three to four of Portuguese, and three
    of Chinese or Japanese (a character) for a token.
    """
    return -(-len(text.encode()) // _BYTES_A_TOKEN)
