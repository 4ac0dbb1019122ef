/** `tondesk-sandbox test|lab|calls`, also reached by `tondesk test|lab`. */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { messageOf } from '../../../src-preload/domain/app-error.ts'
import { formatCall, readCalls } from '../read-calls.ts'
import { ControlError } from '../start-sandbox.ts'
import { keyVariables } from '../start-options.ts'
import { ScenarioError, readScenario } from './read-scenario.ts'
import { exitCodeOf, formatHtml, formatJunit, formatResult, summarize } from './report.ts'
import { labScenarios, runScenarios } from './run-lab.ts'
import options from './options.json' with { type: 'json' }

/** The value and description of each option of `test` and `lab`. */
export const { values: labOptions, flags: labFlags } = options

const exitCodes = { usage: 2, failed: 3, stopped: 130 }

type Output = {
  readonly print: (text: string) => Promise<void>
  readonly note: (text: string) => void
  readonly signal: AbortSignal
}

/** @returns the exit code */
export async function runLabCommand(args: readonly string[], output: Output): Promise<number> {
  const [command = '', ...rest] = args
  try {
    return command === 'calls' ? await printCalls(rest, output) : await run(command, rest, output)
  } catch (error) {
    if (output.signal.aborted) {
      output.note('Stopped.')
      return exitCodes.stopped
    }
    output.note(messageOf(error))
    const isUsage =
      error instanceof ScenarioError || (error instanceof TypeError && 'code' in error)
    return isUsage ? exitCodes.usage : exitCodes.failed
  }
}

function describeUsage(command: string): string {
  const shown = [
    ...Object.entries(labOptions).map(([name, [value, text]]) => [`${name} ${value}`, text]),
    ...Object.entries(labFlags),
  ].map(([name = '', text]) => `  --${name.padEnd(22)} ${text}`)
  const files = command === 'test' ? ' FILE…' : ''
  return `Usage: tondesk-sandbox ${command}${files} --target URL [options]\n\n${shown.join('\n')}\n\nExit code: 0 nothing found, 1 something found, 2 wrong use, 3 the run or a scenario failed.`
}

async function run(command: string, args: readonly string[], output: Output): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: Object.fromEntries<{ type: 'string' | 'boolean' }>([
      ...Object.keys(labOptions).map((name) => [name, { type: 'string' }] as const),
      ...Object.keys(labFlags).map((name) => [name, { type: 'boolean' }] as const),
      ['help', { type: 'boolean' }] as const,
    ]),
  })
  const typed = values as Record<string, string | boolean | undefined>
  if (typed['help'] === true) {
    await output.print(describeUsage(command))
    return 0
  }
  const text = (name: keyof typeof labOptions) => typed[name] as string | undefined
  const list = (name: keyof typeof labOptions) => text(name)?.split(',') ?? []
  const isTest = command === 'test'
  if (isTest !== positionals.length > 0) {
    throw new ScenarioError(isTest ? 'Name the scenario files.' : 'The lab needs no files.')
  }
  const scenarios = isTest ? positionals.map(readScenario) : labScenarios(list('only'))
  const target = text('target') ?? scenarios.find((each) => each.target !== undefined)?.target
  if (target === undefined) throw new ScenarioError('Name the handler with --target URL.')

  const files = new Map(scenarios.map(({ id }, index) => [id, positionals[index]]))
  const isJson = typed['json'] === true
  const report = await runScenarios(scenarios, {
    target,
    probe: text('probe'),
    start: text('start'),
    envFile: text('env-file'),
    seed: text('seed'),
    now: text('now'),
    allowCommands: typed['allow-commands'] === true,
    allowTargets: list('allow-target'),
    signal: output.signal,
    onProgress: output.note,
    onResult(result) {
      const shown = formatResult(result, (id) => repeat(isTest ? files.get(id) : undefined, id))
      if (isJson) output.note(shown)
      else void output.print(shown)
    },
  })

  function repeat(file: string | undefined, id: string): string {
    const what = file === undefined ? `lab --only ${id}` : `test ${file}`
    const options = (['target', 'probe', 'start'] as const).flatMap((name) => {
      const value = text(name)
      return value === undefined ? [] : [`--${name} '${value}'`]
    })
    return ['tondesk-sandbox', what, ...options, `--seed ${text('seed') ?? 'tondesk'}`].join(' ')
  }

  const [junit, html] = [text('junit'), text('html')]
  if (junit !== undefined) writeFileSync(junit, formatJunit(report))
  if (html !== undefined) writeFileSync(html, formatHtml(report))
  await output.print(isJson ? JSON.stringify(report, null, 2) : `\n${summarize(report)}`)
  return exitCodeOf(report)
}

/** Prints the calls of a running sandbox; the control key stands in the environment. */
async function printCalls(args: readonly string[], { print, signal }: Output): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { port: { type: 'string' }, json: { type: 'boolean' }, follow: { type: 'boolean' } },
  })
  const controlKey = process.env[keyVariables.controlKey]
  if (controlKey === undefined) {
    throw new ScenarioError(`Set ${keyVariables.controlKey} to the control key of the sandbox.`)
  }
  const controlUrl = `http://127.0.0.1:${values.port ?? '4810'}/sandbox`
  try {
    const isFollowing = () => values.follow === true && !signal.aborted
    await readCalls({ controlUrl, controlKey }, positionals, isFollowing, (call) =>
      print(values.json === true ? JSON.stringify(call) : formatCall(call)),
    )
    return 0
  } catch (error) {
    if (error instanceof ControlError) throw new ScenarioError(error.message)
    const message = `No sandbox responds at ${controlUrl}: start one, or set --port.`
    throw new Error(message, { cause: error })
  }
}
