# Rscript lmer_sets.R ratings.csv figures.csv: lme4's and lmerTest's figures of every set of ratings.
# lme4 1.1-31 and lmerTest 3.1-3 under R 4.2 made those kept. Of two optimisers' fits the better counts.
suppressMessages({library(lme4); library(lmerTest)})
paths <- commandArgs(trailingOnly = TRUE)
ratings <- read.csv(paths[1])
for (name in c("system", "judge", "item")) ratings[[name]] <- factor(ratings[[name]])
tight <- list(
  lmerControl("bobyqa", optCtrl = list(rhobeg = 0.2, rhoend = 1e-8, maxfun = 5000)),
  lmerControl("nloptwrap", optCtrl = list(xtol_abs = 1e-8, ftol_abs = 1e-8, maxeval = 2000)))
formulas <- list(
  "item" = y ~ system + (1 | judge) + (1 | item) + (1 | item:system),
  "judge" = y ~ system + (1 | judge) + (1 | item) + (1 | judge:system),
  "item+judge" = y ~ system + (1 | judge) + (1 | item) + (1 | item:system) + (1 | judge:system))
deviation <- function(found, name) if (name %in% names(found)) attr(found[[name]], "stddev") else NA
figures <- function(rows) {
  rows <- droplevels(rows)
  formula <- formulas[[rows$slopes[1]]]
  fits <- lapply(tight, function(control) {
    control$checkConv <- list(); control$calc.derivs <- FALSE
    suppressMessages(suppressWarnings(do.call(lme4::lmer, list(formula, rows, control = control))))
  })
  best <- fits[[which.max(sapply(fits, logLik))]]
  tested <- rows$seed[1] < 50  # degrees of freedom take as long as the fits
  test <- if (tested) suppressWarnings(anova(lmerTest::as_lmerModLmerTest(best))) else anova(best)
  found <- VarCorr(best)
  data.frame(design = rows$design[1], seed = rows$seed[1], log_likelihood = sprintf("%.5f", as.numeric(logLik(best))),
             f = signif(test[["F value"]], 6), df = if (tested) signif(test$DenDF, 6) else NA, judge = signif(deviation(found, "judge"), 4),
             item = signif(deviation(found, "item"), 4), judge_system = signif(deviation(found, "judge:system"), 4),
             item_system = signif(deviation(found, "item:system"), 4), residual = signif(sigma(best), 4))
}
parts <- split(ratings, list(ratings$seed, ratings$design), drop = TRUE)
for (k in seq_along(parts)) {
  first <- k == 1
  write.table(figures(parts[[k]]), paths[2], sep = ",", row.names = FALSE, quote = FALSE, col.names = first, append = !first)
}
