# Scores from R: three hospitals write their lists, and the exact AUROC of all comes back to R.
#
# The trap: write.csv, data.table::fwrite and readr's writers keep 15 or 16 digits of a number. A
# double needs 17. What is lost makes scores equal that were not, and the AUROC another one. Write
# Parquet (it keeps all bits), or write 17 digits as `write_exactly` does below.
#
#     Rscript examples/from_r.R            # needs `ppaurora` on the path, or PPAURORA="command"

ppaurora <- strsplit(Sys.getenv("PPAURORA", "ppaurora"), " ")[[1]]

run <- function(..., answer = FALSE) {
  status <- system2(ppaurora[1], shQuote(c(ppaurora[-1], ...)), stdout = answer)
  if (status != 0) stop("ppaurora ended with ", status)
}

# Every number with all its digits; with the package arrow instead:
#   arrow::write_parquet(frame, path)
write_exactly <- function(frame, path) {
  whole <- lapply(frame, function(one) if (is.double(one)) sprintf("%.17g", one) else one)
  write.csv(as.data.frame(whole), path, row.names = FALSE, quote = FALSE)
}

# The share of pairs of a positive and a negative sample that are in order; ties count half.
auroc <- function(frame) {
  positive <- frame$outcome == 1
  p <- sum(positive)
  n <- sum(!positive)
  (sum(rank(frame$risk)[positive]) - p * (p + 1) / 2) / (p * n)
}

set.seed(1)
hospital <- function(samples) {
  outcome <- rbinom(samples, 1, 0.3)
  data.frame(risk = plogis(rnorm(samples, outcome - 1)), outcome = outcome)
}
hospitals <- list(a = hospital(300), b = hospital(200), c = hospital(100))
folder <- tempfile("from-r-")
dir.create(folder)
setwd(folder)

usual <- tempfile(fileext = ".csv")
write.csv(hospitals$a, usual, row.names = FALSE)
changed <- sum(read.csv(usual)$risk != hospitals$a$risk)
cat("scores that write.csv changed:", changed, "of", nrow(hospitals$a), "\n")

for (name in names(hospitals)) write_exactly(hospitals[[name]], paste0(name, ".csv"))
exact <- sum(read.csv("a.csv")$risk != hospitals$a$risk)
cat("scores that write_exactly changed:", exact, "of", nrow(hospitals$a), "\n")

# Here the three servers run on this machine. In a study each hospital sends its own file,
#   ppaurora outsource a.csv --site site.toml --score risk --label outcome
# and a receiver has the result saved by `ppaurora result --site site.toml`.
run("simulate", "a.csv", "b.csv", "c.csv", "--score", "risk", "--label", "outcome",
    "--metric", "auroc", "--metric", "auroc_ci:method=delong", "--decimals", "6",
    "--format", "json", answer = "result.json")
# of a study it is verified first: "--study", "study.toml" in place of "--unverified"
run("report", "result.json", "--unverified", "--csv", "tables")

statistics <- read.csv(file.path("tables", "statistics.csv"))
print(statistics)
pooled <- auroc(do.call(rbind, hospitals))
cat(sprintf("in R, on the pooled data: %.6f\n", pooled))
stopifnot(exact == 0, abs(statistics$Value[statistics$Statistic == "auroc"] - pooled) <= 5e-7)
