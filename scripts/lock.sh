#!/usr/bin/env bash
# Regenerates the lock files: names, versions and hashes for every platform, no index address.
# What runs Clew, what tests it besides, and what builds its wheel are three files; pip installs
# them with --require-hashes.
set -euo pipefail
cd "$(dirname "$0")/.."

uv=${UV:-.venv/bin/uv}

compile() {
    "$uv" pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest \
        --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links "$@"
}

compile pyproject.toml --output-file requirements.lock
compile pyproject.toml --extra dev --constraints requirements.lock \
    --output-file requirements-dev.lock
sed -n 's/^requires = \[\(.*\)\]$/\1/p' pyproject.toml | tr -d '",' | tr ' ' '\n' |
    compile - --constraints requirements-dev.lock --output-file requirements-build.lock
