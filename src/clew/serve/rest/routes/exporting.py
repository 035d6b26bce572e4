"""A collection as files, as the caller may see it."""

from __future__ import annotations

import shutil
from enum import StrEnum
from pathlib import Path as FilePath
from tempfile import mkdtemp
from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from clew.serve.access.api_key import Right
from clew.serve.rest.caller import caller_at

router = APIRouter(prefix="/v1/{collection}", tags=["documents"])
Collection = Annotated[str, Path(min_length=1, max_length=200)]


class Format(StrEnum):
    """`graphml` is one file, the others a folder in a ZIP archive."""

    GRAPHML = "graphml"
    JSONL = "jsonl"
    PARQUET = "parquet"


@router.get(
    "/export",
    summary="Export a collection",
    response_class=FileResponse,
    responses={200: {"content": {"application/zip": {}, "application/graphml+xml": {}}}},
)
def export(
    request: Request,
    collection: Collection,
    format: Format = Format.JSONL,
    text: bool = True,  # noqa: FBT001 - a query field
    vectors: bool = False,  # noqa: FBT001
) -> FileResponse:
    """Write the collection as the key sees it; `clew import` reads the first and last format."""
    caller = caller_at(request, collection, Right.READ)
    folder = FilePath(mkdtemp(prefix="clew-export-"))
    gone = BackgroundTask(shutil.rmtree, folder)
    try:
        place = folder / ("graph.graphml" if format is Format.GRAPHML else "export")
        caller.clew.export(
            place, format=format.value, text=text, vectors=vectors, principal=caller.principal
        )
        if format is Format.GRAPHML:
            return FileResponse(
                place,
                media_type="application/graphml+xml",
                filename="graph.graphml",
                background=gone,
            )
        archive = shutil.make_archive(str(place), "zip", place)
    except BaseException:
        shutil.rmtree(folder)
        raise
    return FileResponse(
        archive, media_type="application/zip", filename="export.zip", background=gone
    )
