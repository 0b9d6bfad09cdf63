#!/usr/bin/env bash
# Builds the kernels with address and undefined-behaviour checks, in an environment of their own, and runs the tests
# that reach every kernel. Fails if a test fails or if anything is reported.
#
#     bash tools/sanitize.sh [more arguments for pytest]
#     bash tools/sanitize.sh --fuzz [--calls 1000000] [--seed 0]     every kernel with arguments of all sorts instead
set -euo pipefail
cd "$(dirname "$0")/.."

PYTHON=${PYTHON:-python3}
VENV=.venv-sanitize
REPORTS=$PWD/build/sanitize-reports

test -x "$VENV/bin/python" || "$PYTHON" -m venv "$VENV"
"$VENV/bin/python" -m pip install --quiet "scikit-build-core>=0.11" "nanobind>=2.4" "cmake>=3.18" ninja \
    pytest hypothesis mpmath psutil numpy scipy threadpoolctl narwhals pyarrow networkx typer rich jinja2 pandas
# Not editable and with a build folder of its own: the usual build stays as it is.
PATH="$PWD/$VENV/bin:$PATH" "$VENV/bin/python" -m pip install --quiet --force-reinstall --no-deps --no-build-isolation \
    --config-settings=build-dir=build/sanitize \
    --config-settings=cmake.define.GRAPHOID_SANITIZE=ON .

# A build that fails installs the package without kernels; then there would be nothing to check.
extension=$("$VENV/bin/python" - <<'PY'
import sysconfig
from pathlib import Path
found = list(Path(sysconfig.get_path("platlib"), "graphoid").glob("_native*.so"))
print(found[0] if found else "")
PY
)
if [ -z "$extension" ]; then
    echo "The kernels were not built; run this again with pip's -v to see why." >&2
    exit 1
fi
if ! ldd "$extension" | grep libasan >/dev/null; then  # not -q: it would end before ldd, which pipefail takes for a fault
    echo "The kernels were built without the checks." >&2
    exit 1
fi

rm -rf "$REPORTS"
mkdir -p "$REPORTS"
preload=$(g++ -print-file-name=libasan.so):$(g++ -print-file-name=libubsan.so):$(g++ -print-file-name=libstdc++.so)
# Leaks are not looked for: Python keeps what it likes until the end. pytest's own import mode finds the installed
# package, not the sources, because src/ is not on the path.
check=(-m pytest -q -p no:cacheprovider -m "not slow"
    tests/agreement tests/golden tests/conformance tests/independence/test_fuzz_tests.py tests/independence/test_inferring.py
    tests/models)
if [ "${1:-}" = --fuzz ]; then
    check=(-W ignore tests/faults/fuzz_kernels.py)
    shift
fi
status=0
LD_PRELOAD=$preload \
ASAN_OPTIONS=detect_leaks=0,abort_on_error=0,log_path="$REPORTS/asan" \
UBSAN_OPTIONS=halt_on_error=1,print_stacktrace=1,log_path="$REPORTS/ubsan" \
    "$VENV/bin/python" "${check[@]}" "$@" || status=$?

if [ -n "$(ls -A "$REPORTS")" ]; then
    cat "$REPORTS"/*
    echo "The sanitizers reported the above." >&2
    exit 1
fi
exit "$status"
