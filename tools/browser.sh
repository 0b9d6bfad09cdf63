#!/usr/bin/env bash
# Open the reports in Chromium and try all that can be clicked, asked and taken away.
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
if ! "$python" -c "import selenium" 2>/dev/null; then
    "$python" -m pip install --quiet --editable ".[browser]" >/dev/null 2>&1 \
        || skip "selenium could not be installed from the package index."
fi
"$python" -m pytest -m browser tests/browser
