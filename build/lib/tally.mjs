/** The counts of a part of the tests that ran none. */
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

// A run that failed without naming a test (a file that does not load, a crash, a missing report)
// counts as one failure, so that it never looks like a success.
function orFailed(tally, exitCode) {
  return exitCode !== 0 && tally.failed === 0 ? { ...tally, failed: 1 } : tally
}

/** Counts a command as one test that passes or fails. */
export function tallyCommand(exitCode) {
  return exitCode === 0 ? { ...noTests, passed: 1 } : { ...noTests, failed: 1 }
}

/** Parses Vitest's JSON report. */
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

/** Parses Playwright's JSON report. A test that passed only in a retry counts as failed. */
export function tallyPlaywright(report, exitCode) {
  if (!report) return { ...noTests, failed: 1 }
  const { expected, unexpected, flaky, skipped } = report.stats
  return orFailed({ passed: expected, failed: unexpected + flaky, skipped }, exitCode)
}

/** The last line of the output. */
export function describeTally({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/** The exit code is zero only if at least one test ran and none failed. */
export function exitCodeFor({ passed, failed }) {
  return failed === 0 && passed > 0 ? 0 : 1
}
