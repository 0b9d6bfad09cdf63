#!/usr/bin/env bash
# The tests against real servers: PostgreSQL on loopback with a data folder of its own under build/, and Spark with two
# workers. What is missing is installed where that is possible; where it is not, one line says so and nothing fails.
#
#     bash tools/test_engines.sh .venv/bin/python
set -uo pipefail
cd "$(dirname "$0")/.."
python="${1:-.venv/bin/python}"

skip() {
    echo "test-engines: skipped, $1"
    exit 0
}

postgres() {
    compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null || command -v initdb >/dev/null
}

package() {
    command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || return 1
    { apt-get install -y --no-install-recommends "$@" || { apt-get update && apt-get install -y --no-install-recommends "$@"; }; } >/dev/null 2>&1
}

postgres || package postgresql || skip "PostgreSQL is not installed and cannot be"
command -v java >/dev/null || package openjdk-17-jre-headless || skip "Java is not installed and cannot be"
"$python" -c "import ibis, psycopg, pyspark, psutil" 2>/dev/null ||
    "$python" -m pip install --quiet --editable ".[ibis,spark,test]" >/dev/null 2>&1 ||
    skip "Ibis and PySpark cannot be installed"

# One process: the servers are started once, when a test first needs them, and stopped at the end.
GRAPHOID_ENGINES=1 exec timeout 2400 "$python" -m pytest -q -m engines tests/agreement/test_places.py tests/counts/backends
