# An owner's side of ppAURORA from R, by the command line.
#
# The trap: write.csv, data.table::fwrite and readr's writers keep 15 or 16 digits of a number. A
# double needs 17. What is lost makes scores equal that were not, and the AUROC another one.

# Send the scores and labels of a data frame in shares; its own AUROC and number of samples.
ppaurora_outsource <- function(frame, site = "site.toml", score = "score", label = "label") {
  path <- tempfile(fileext = ".csv")
  on.exit(unlink(path))
  list <- data.frame(score = frame[[score]], label = frame[[label]])
  if (is.logical(list$label)) list$label <- as.integer(list$label)
  write_exactly(list, path)
  run("outsource", path, "--site", site, "--score", "score", "--label", "label", "--yes")
  invisible(data.frame(auroc = own_auroc(list), samples = nrow(list)))
}

# How far the study is at each server; TRUE once its result is there.
ppaurora_status <- function(site = "site.toml") {
  run("status", "--site", site, also = 10) == 0
}

# The statistics over all owners, as a receiver; with `own`, what ppaurora_outsource gave at each
# owner, the average of these beside them. Also the report for people, and the result's file.
ppaurora_report <- function(site = "site.toml", folder = "report", own = NULL, wait = 600) {
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  run("result", "--site", site, "--wait", wait, "--output", file.path(folder, "result.json"),
      "--report", file.path(folder, "report.html"), "--csv", file.path(folder, "tables"))
  # as texts, with all the decimals that were released
  statistics <- read.csv(file.path(folder, "tables", "statistics.csv"), colClasses = "character")
  if (!is.null(own)) {
    own <- do.call(rbind, own)
    averaged <- sprintf("%.6f", sum(own$auroc * own$samples) / sum(own$samples))
    statistics[nrow(statistics) + 1, c("Statistic", "Value")] <- c("average of own AUROCs", averaged)
  }
  statistics
}

# The command's exit code, which must be 0 or one of `also`; PPAURORA may name another command.
run <- function(..., also = NULL) {
  command <- strsplit(Sys.getenv("PPAURORA", "ppaurora"), " ")[[1]]
  status <- system2(command[1], shQuote(c(command[-1], ...)))
  if (!status %in% c(0, also)) stop("ppaurora ", ..1, " ended with ", status, call. = FALSE)
  status
}

# Every number with all its digits; Parquet keeps them, too: arrow::write_parquet(frame, path).
write_exactly <- function(frame, path) {
  whole <- lapply(frame, function(one) if (is.double(one)) sprintf("%.17g", one) else one)
  write.csv(as.data.frame(whole), path, row.names = FALSE, quote = FALSE)
}

# Of all pairs of a positive and a negative sample: how many are in order, ties by half. Labels are
# 1 and 0; of others the owner knows the AUROC, and this is NA.
own_auroc <- function(list) {
  if (!all(list$label %in% 0:1)) return(NA_real_)
  positive <- list$label == 1
  p <- as.double(sum(positive))
  n <- as.double(sum(!positive))
  (sum(rank(list$score)[positive]) - p * (p + 1) / 2) / (p * n)
}
