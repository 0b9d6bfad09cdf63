// A table in memory as other bindings see it.
#pragma once

#include "bindings/bind.hpp"
#include "counting/dataset.hpp"
#include "counting/slices.hpp"

namespace graphoid {

struct DatasetAccess {
    Dataset& data;
    SliceCache& cache;
};

// Of an object of the class Dataset, which has to live as long.
DatasetAccess dataset_of(nb::handle object);

}  // namespace graphoid
