#!/usr/bin/env bash
# The tests of the engine on a GPU. Without one PyTorch's processor stands in: the package alone, without CUDA's.
set -euo pipefail
python="$1"

if ! "$python" -c "import torch" 2>/dev/null; then
    "$python" -m pip install --quiet --no-deps "torch==2.13.0" &&
        "$python" -m pip install --quiet filelock sympy fsspec typing-extensions || true
fi
if ! "$python" -c "import torch" 2>/dev/null; then
    echo "PyTorch cannot be had here: the engine on a GPU is not tested."
    exit 0
fi
"$python" -m pytest -q -n 2 tests/agreement/test_gpu.py
