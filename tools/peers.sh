#!/usr/bin/env bash
# An environment with this checkout and the learners of others that it is compared with: make bench-peers.
#
#     bash tools/peers.sh PYTHON FOLDER
#
# Each peer is installed by itself: one that cannot be had is named in one line and becomes a row of the pages.
# R's packages come from the system, where it has them and lets us.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$2
python="$folder/bin/python"

test -x "$python" || "$1" -m venv "$folder"
# what the kernels are made of decides whether they are compiled again
if [ ! -e "$folder/.installed" ] || [ -n "$(find native CMakeLists.txt pyproject.toml -newer "$folder/.installed" -print -quit)" ]; then
    "$python" -m pip install --quiet --editable ".[sklearn,plot,pandas]" psutil
    touch "$folder/.installed"
fi

# pgmpy from the version on that does without PyTorch, whose usual builds bring CUDA with them
for peer in pyagrum "pgmpy>=1.1.2" causal-learn scikit-learn abess skscope; do
    name=${peer%%[>=]*}
    "$python" -m pip show --quiet "$name" >/dev/null 2>&1 && continue
    "$python" -m pip install --quiet "$peer" >/dev/null 2>&1 || echo "bench-peers: $name could not be installed; its rows say so."
done

has() {
    command -v Rscript >/dev/null && Rscript -e "stopifnot(requireNamespace('$1', quietly = TRUE))" >/dev/null 2>&1
}

for package in BDgraph huge; do
    has "$package" && continue
    if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
        export DEBIAN_FRONTEND=noninteractive
        { apt-get update && apt-get install --yes --no-install-recommends "r-cran-${package,,}"; } >/dev/null 2>&1 || true
    fi
    has "$package" || echo "bench-peers: R's $package is not here (Debian: r-cran-${package,,}); its rows say so."
done
