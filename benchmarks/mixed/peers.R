# Peers in R: called by peers.py as Rscript peers.R PACKAGE FOLDER [ITERATIONS]
# FOLDER has data.csv, a number a cell, and columns.csv: the variable that a column belongs to, and its kind
# (0 continuous, 1 ordered or binary, 2 an indicator of a nominal variable). Writes out.csv, a square matrix.
arguments <- commandArgs(TRUE)
package <- arguments[1]
folder <- arguments[2]
data <- as.matrix(read.csv(file.path(folder, "data.csv"), header = FALSE))
columns <- read.csv(file.path(folder, "columns.csv"), header = FALSE)
owner <- columns[, 1] + 1
kind <- columns[, 2]
set.seed(1)

copula <- function() {
  suppressPackageStartupMessages(library(BDgraph))
  sample <- bdgraph(data, method = "gcgm", not.cont = as.integer(kind > 0), iter = as.integer(arguments[3]),
                    cores = 1, verbose = FALSE)
  links <- plinks(sample, round = 10)
  links + t(links)
}

# One regression for each variable; which others are chosen, by the extended BIC with gamma = 1/4
neighborhoods <- function() {
  suppressPackageStartupMessages(library(glmnet))
  n <- nrow(data)
  count <- max(owner)
  found <- matrix(0, count, count)
  for (v in seq_len(count)) {
    own <- which(owner == v)
    x <- data[, -own, drop = FALSE]
    keep <- apply(x, 2, sd) > 0
    of <- owner[-own][keep]
    x <- x[, keep, drop = FALSE]
    if (all(apply(data[, own, drop = FALSE], 2, sd) == 0)) next
    if (kind[own[1]] == 2) {
      y <- factor(data[, own, drop = FALSE] %*% seq_along(own))
      family <- if (nlevels(y) > 2) "multinomial" else "binomial"
    } else {
      y <- data[, own]
      family <- if (length(unique(y)) == 2) "binomial" else "gaussian"
      if (family == "gaussian") y <- as.numeric(scale(y))
    }
    fit <- if (family == "multinomial")
      glmnet(x, y, family, type.multinomial = "grouped", nlambda = 50)
    else glmnet(x, y, family, nlambda = 50)
    beta <- if (family == "multinomial") fit$beta else list(fit$beta)
    size <- Reduce(`+`, lapply(beta, function(b) colSums(b != 0)))
    deviance <- (1 - fit$dev.ratio) * fit$nulldev
    if (family == "gaussian") deviance <- n * log(deviance / n)
    best <- which.min(deviance + size * (log(n) + 2 * 0.25 * log(ncol(x))))
    chosen <- Reduce(`+`, lapply(beta, function(b) abs(b[, best])))
    for (j in which(chosen > 0)) found[v, of[j]] <- max(found[v, of[j]], chosen[j])
  }
  found
}

out <- if (package == "BDgraph") copula() else neighborhoods()
write.table(out, file.path(folder, "out.csv"), sep = ",", row.names = FALSE, col.names = FALSE)
