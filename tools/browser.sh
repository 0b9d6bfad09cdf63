#!/usr/bin/env bash
# Open reports, graphoid serve and notebooks in Chromium and try all that can be clicked, asked and taken away.
#
#     bash tools/browser.sh PYTHON
#
# Chromium and its driver come from the system's packages, the Python side from the extra "browser"; what is
# missing is installed where that is allowed. Where it is not, this says so in one line and counts as done.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1

skip() {
    echo "test-browser: skipped, $1"
    exit 0
}

if ! command -v chromedriver >/dev/null || ! command -v chromium >/dev/null; then
    command -v apt-get >/dev/null || skip "there is no Chromium here, and no apt-get to install one."
    [ "$(id -u)" = 0 ] || skip "there is no Chromium here; apt-get install chromium chromium-driver needs root."
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update && apt-get install --yes --no-install-recommends chromium chromium-driver; } \
        >/dev/null 2>&1 || skip "chromium and chromium-driver could not be installed from the system's packages."
fi
if ! "$python" -c "import selenium, anywidget, jupyterlab, notebook, marimo" 2>/dev/null; then
    # what the extra names, and not the package again with its kernels
    extra=$("$python" -c 'import tomllib
for name in tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["browser"]: print(name)' \
        | grep -v "^graphoid")
    # shellcheck disable=SC2086
    "$python" -m pip install --quiet $extra >/dev/null 2>&1 || "$python" -m pip install --quiet selenium >/dev/null 2>&1 \
        || skip "selenium could not be installed from the package index."
fi
"$python" -m pytest -m browser tests/browser
