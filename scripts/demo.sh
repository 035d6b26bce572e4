#!/usr/bin/env bash
# Indexes the sample documents in a fresh store and asks three questions; needs no network.
set -euo pipefail
cd "$(dirname "$0")/.."

clew=${CLEW:-.venv/bin/clew}
export CLEW_STORE=build/demo.clew

mkdir -p build
rm -rf "$CLEW_STORE"
started=$SECONDS

echo "\$ clew add examples/documents"
"$clew" add examples/documents

while IFS= read -r question; do
    [ -n "$question" ] || continue
    printf '\n$ clew ask "%s"\n' "$question"
    "$clew" ask "$question"
done < examples/questions.txt

printf '\nDone in %s s. The index is %s; ask more with\n' "$((SECONDS - started))" "$CLEW_STORE"
printf '  CLEW_STORE=%s %s ask "..."\n' "$CLEW_STORE" "$clew"
