"""Small integers for enumerations in the truth; their order is part of the store format."""

from __future__ import annotations

from clew.core.documents import Stage
from clew.core.knowledge import MentionRole, NodeType, Standing

STAGES = (Stage.CHUNKED, Stage.EMBEDDED, Stage.EXTRACTED, Stage.LINKED)
STAGE_CODES = {stage: code for code, stage in enumerate(STAGES)}
LAST_STAGE_CODE = STAGE_CODES[Stage.LINKED]

ROLES = (MentionRole.TEXT, MentionRole.TITLE, MentionRole.LINK)
ROLE_CODES = {role: code for code, role in enumerate(ROLES)}
LINK_CODE = ROLE_CODES[MentionRole.LINK]

NODE_TYPES = (
    NodeType.ENTITY,
    NodeType.CONCEPT,
    NodeType.EVENT,
    NodeType.METRIC,
    NodeType.DOCUMENT,
    NodeType.FACT,
    NodeType.CHUNK,
    NodeType.COMMUNITY,
)
NODE_TYPE_CODES = {kind: code for code, kind in enumerate(NODE_TYPES)}

STANDINGS = (Standing.REPORTED, Standing.INFERRED, Standing.ASSUMED)
STANDING_CODES = {standing: code for code, standing in enumerate(STANDINGS)}
