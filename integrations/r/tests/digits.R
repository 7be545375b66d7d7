# Every digit of a score is written, and the AUROC is that of all pairs.
set.seed(1)
outcome <- rbinom(300, 1, 0.3)
frame <- data.frame(score = plogis(rnorm(300, outcome - 1)), label = outcome)
path <- tempfile(fileext = ".csv")

write.csv(frame, path, row.names = FALSE)
stopifnot(sum(read.csv(path)$score != frame$score) > 200)
ppaurora:::write_exactly(frame, path)
stopifnot(identical(read.csv(path)$score, frame$score))

pairs <- outer(frame$score[outcome == 1], frame$score[outcome == 0], ">")
stopifnot(isTRUE(all.equal(ppaurora:::own_auroc(frame), mean(pairs))))
tied <- data.frame(score = c(1, 1, 2, 0), label = c(1, 0, 1, 0))
stopifnot(ppaurora:::own_auroc(tied) == 3.5 / 4)
stopifnot(is.na(ppaurora:::own_auroc(data.frame(score = 1, label = "sick"))))

Sys.setenv(PPAURORA = "false")
refused <- tryCatch(ppaurora::ppaurora_status("nowhere.toml"), error = conditionMessage)
stopifnot(refused == "ppaurora status ended with 1")
