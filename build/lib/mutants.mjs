import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './child.mjs'
import { ensureInstalled } from './install.mjs'
import { Problem } from './problem.mjs'
import { nodeBinary, root, toolEnvironment } from './runtime.mjs'

const noticed = ['Killed', 'Timeout']
/** A mutant that does not compile or run proves nothing about the tests. */
const invalid = ['CompileError', 'RuntimeError']
/** StrykerJS writes this text if the comment that disables a mutant gives no reason. */
const withoutReason = /^(Ignored using a comment)?$/

/**
 * A disabled mutant counts as survived.
 * @param report StrykerJS’ JSON report
 * @param thresholds minimum percentage of noticed mutants, by module
 */
export function scoresOf(report, thresholds) {
  return Object.entries(report.files).map(([file, { mutants }]) => {
    const valid = mutants.filter(({ status }) => !invalid.includes(status))
    const killed = valid.filter(({ status }) => noticed.includes(status)).length
    const score = valid.length === 0 ? 100 : (killed / valid.length) * 100
    return {
      file,
      killed,
      mutants: valid.length,
      score,
      threshold: thresholds[file],
      unexplained: valid
        .filter(
          ({ status, statusReason = '' }) =>
            status === 'Ignored' && withoutReason.test(statusReason),
        )
        .map(({ location }) => location.start.line),
    }
  })
}

export function problemsOf(scores) {
  return scores.flatMap(({ file, score, threshold, unexplained }) => [
    ...(score < threshold ? [`${file}: ${percent(score)} is below ${threshold} %.`] : []),
    ...unexplained.map((line) => `${file}:${line} disables a mutant without a reason.`),
  ])
}

// The percentage is rounded down, so that a score below its threshold is not shown as the threshold.
const percent = (score) => `${(Math.floor(score * 10) / 10).toFixed(1)} %`

export async function testMutants(args) {
  await ensureInstalled()
  const thresholds = JSON.parse(readFileSync(join(root, 'test', 'mutants', 'modules.json'), 'utf8'))
  const unknown = args.filter((arg) => !Object.hasOwn(thresholds, arg))
  if (unknown.length > 0) {
    throw new Problem(
      `${unknown.join(', ')} is not in test/mutants/modules.json.`,
      'Name files of that list by their path from the root, or none for all of them.',
    )
  }
  const reportFile = join(root, 'test-results', 'mutants.json')
  rmSync(reportFile, { force: true })
  const { exitCode } = await run(
    nodeBinary(),
    [
      join(root, 'node_modules', '@stryker-mutator/core', 'bin', 'stryker.js'),
      ...['run', join('test', 'mutants', 'stryker.config.mjs')],
      // Results of mutants that run while a module loads are reused although a test was added, so modules that are
      // named run again.
      ...(args.length === 0 ? [] : ['--force', '--mutate', args.join(',')]),
    ],
    { cwd: root, env: toolEnvironment() },
  )
  if (exitCode !== 0) return exitCode
  const report = JSON.parse(readFileSync(reportFile, 'utf8'))
  const wanted = args.length === 0 ? Object.keys(thresholds) : args
  const scores = scoresOf(report, thresholds).filter(({ file }) => wanted.includes(file))
  for (const { file, killed, mutants, score, threshold } of scores) {
    console.log(`${percent(score).padStart(7)} of ${threshold} %  ${killed}/${mutants}  ${file}`)
  }
  const missing = wanted.filter((file) => !scores.some((each) => each.file === file))
  const problems = [
    ...problemsOf(scores),
    ...missing.map((file) => `${file} has no mutants. Was it renamed?`),
  ]
  for (const problem of problems) console.error(problem)
  return problems.length === 0 ? 0 : 1
}
