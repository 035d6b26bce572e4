#!/bin/sh
# Prints the first Python on the path that Clew runs on (3.11 or newer).
set -eu

for name in python3 python3.13 python3.12 python3.11 python; do
    if "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
    then
        command -v "$name"
        exit 0
    fi
done
echo "Clew needs Python 3.11 or newer with venv and pip, and none is on the path." >&2
echo "Install one, or name it: make PYTHON=/path/to/python3.11 demo" >&2
exit 1
