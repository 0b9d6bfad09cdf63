# Peers in R: called by learners.py as Rscript peers.R PACKAGE FOLDER
# FOLDER has data.csv, codes from 0. Writes graph.csv, a square matrix, and cost.csv: CPU seconds of learning, and
# peak memory in megabytes where the system tells it.
arguments <- commandArgs(TRUE)
package <- arguments[1]
folder <- arguments[2]
data <- as.matrix(read.csv(file.path(folder, "data.csv"), header = FALSE))
binary <- max(data) == 1
set.seed(1)

# As many iterations as it takes by default; edges are those of probability above one half
marginal <- function() {
  links <- plinks(bdgraph.mpl(data, method = if (binary) "dgm-binary" else "dgm", cores = 1, verbose = FALSE))
  links > 0.5
}

# Neighborhoods of normal scores by the lasso, the penalty by the rotation information criterion
neighborhoods <- function() {
  path <- huge(huge.npn(data, verbose = FALSE), method = "mb", verbose = FALSE)
  as.matrix(huge.select(path, criterion = "ric", verbose = FALSE)$refit)
}

suppressPackageStartupMessages(library(package, character.only = TRUE))
learn <- list(BDgraph = marginal, huge = neighborhoods)[[package]]
start <- proc.time()
graph <- learn()
spent <- sum((proc.time() - start)[c(1, 2, 4, 5)])
status <- if (file.exists("/proc/self/status")) grep("VmHWM", readLines("/proc/self/status"), value = TRUE) else "0"
peak <- as.numeric(gsub("[^0-9]", "", status)) / 1024
write.table((graph | t(graph)) * 1, file.path(folder, "graph.csv"), sep = ",", row.names = FALSE, col.names = FALSE)
writeLines(as.character(c(spent, peak)), file.path(folder, "cost.csv"))
