/** The counts of one part of the tests. */
export const noTests = { passed: 0, failed: 0, skipped: 0 }

export function addTallies(tallies) {
  return tallies.reduce(
    (sum, tally) => ({
      passed: sum.passed + tally.passed,
      failed: sum.failed + tally.failed,
      skipped: sum.skipped + tally.skipped,
    }),
    noTests,
  )
}

// A run that ended badly without naming a test (a file that does not load, a crash, a missing
// report) is one failure, so that it can never read as a success.
function orFailed(tally, exitCode) {
  return exitCode !== 0 && tally.failed === 0 ? { ...tally, failed: 1 } : tally
}

/** A command that either passes or fails, as a test. */
export function tallyCommand(exitCode) {
  return exitCode === 0 ? { ...noTests, passed: 1 } : { ...noTests, failed: 1 }
}

/** Vitest's JSON report. */
export function tallyVitest(report, exitCode) {
  if (!report) return { ...noTests, failed: 1 }
  return orFailed(
    {
      passed: report.numPassedTests,
      failed: report.numFailedTests,
      skipped: report.numPendingTests + (report.numTodoTests ?? 0),
    },
    exitCode,
  )
}

/** Playwright's JSON report. A test that passed only when tried again counts as failed. */
export function tallyPlaywright(report, exitCode) {
  if (!report) return { ...noTests, failed: 1 }
  const { expected, unexpected, flaky, skipped } = report.stats
  return orFailed({ passed: expected, failed: unexpected + flaky, skipped }, exitCode)
}

/** The closing line. */
export function describeTally({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/** Zero only when something was tested and nothing failed. */
export function exitCodeFor({ passed, failed }) {
  return failed === 0 && passed > 0 ? 0 : 1
}
