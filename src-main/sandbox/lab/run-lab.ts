/** Runs scenarios one after another in one sandbox, after a check that the handler uses this sandbox. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { defaultPolicy } from '../deliver/delivery-queue.ts'
import { isListening } from './child.ts'
import { invoicePath } from './effects.ts'
import { formatValue } from './expectations.ts'
import { describeReply } from './http.ts'
import { type Lab, type LabOptions, createLab } from './lab-context.ts'
import { valueAt } from './probe.ts'
import { ScenarioError, parseScenario, readScenario } from './read-scenario.ts'
import { type LabReport, type ScenarioResult, countOutcomes } from './report.ts'
import { runScenario as runIn } from './run-scenario.ts'
import { type Scenario, families } from './scenario.ts'

/** The lab stopped before the first attack; the message says why. */
export class PreflightError extends Error {}

export type RunOptions = LabOptions & {
  readonly onResult?: ((result: ScenarioResult) => void) | undefined
}

const scenarioFolder = fileURLToPath(new URL('./scenarios', import.meta.url))

/** The scenarios of the lab by family. @param only families or ids. @throws ScenarioError for an unknown one */
export function labScenarios(only: readonly string[] = []): Scenario[] {
  const all = families.flatMap((family) => {
    const folder = join(scenarioFolder, family)
    return listFiles(folder).map((name) => ({ ...readScenario(join(folder, name)), family }))
  })
  for (const name of only) {
    if (all.some(({ id, family }) => id === name || family === name)) continue
    throw new ScenarioError(`--only: the lab has no family or scenario "${name}".`)
  }
  return all.filter(
    ({ id, family }) => only.length === 0 || only.includes(id) || only.includes(family),
  )
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.yaml'))
      .toSorted()
  } catch {
    return []
  }
}

/**
 * Runs one scenario.
 * @param file its path, or its text in YAML
 * @throws ScenarioError for a wrong file or target; PreflightError if the handler does not use the sandbox
 */
export async function runScenario(file: string, options: RunOptions): Promise<ScenarioResult> {
  const scenario = file.includes('\n') ? parseScenario(file, 'scenario.yaml') : readScenario(file)
  const [result] = (await runScenarios([scenario], options)).scenarios
  if (result === undefined) throw new Error('the scenario gave no result')
  return result
}

/** Runs the lab. @throws as `runScenario` does */
export async function runLab(
  options: RunOptions & { readonly only?: readonly string[] },
): Promise<LabReport> {
  return await runScenarios(labScenarios(options.only), options)
}

export async function runScenarios(
  scenarios: readonly Scenario[],
  options: RunOptions,
): Promise<LabReport> {
  const startedAt = new Date()
  const seed = options.seed ?? scenarios.find((each) => each.seed !== undefined)?.seed
  const now = options.now ?? scenarios.find(({ clock }) => clock !== undefined)?.clock
  assertOneClock(scenarios, options)
  const lab = await createLab({ ...options, seed, now })
  const results: ScenarioResult[] = []
  // Without its sandbox, every step in progress fails at once.
  lab.signal.addEventListener('abort', () => void lab.close())
  try {
    await checkFirst(lab, options)
    for (const scenario of scenarios) {
      const token = lab.tokens.right
      const result = await runIn(scenario, lab)
      lab.signal.throwIfAborted()
      results.push(result)
      options.onResult?.(result)
      await restore(lab, token)
    }
  } finally {
    await lab.close()
  }
  return {
    format: 'tondesk-lab-report',
    version: lab.sandbox.version ?? '',
    seed: lab.seed,
    startedAt: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    counts: countOutcomes(results),
    scenarios: results,
  }
}

/** One sandbox serves all files, so they agree about seed and clock. @throws ScenarioError */
function assertOneClock(scenarios: readonly Scenario[], { seed, now }: RunOptions): void {
  for (const field of ['seed', 'clock'] as const) {
    if ((field === 'seed' ? seed : now) !== undefined) continue
    const values = new Set(scenarios.flatMap((each) => each[field] ?? []))
    if (values.size < 2) continue
    throw new ScenarioError(`The files have different values of "${field}": run them one by one.`)
  }
}

const firstAmount = '1000000000'
const firstMs = 5_000
const pollMs = 50

/**
 * An honest payment and an honest invoice come before the first attack: the handler must use this sandbox, and what
 * the probe shows of them must be right.
 * @throws PreflightError
 */
async function checkFirst(lab: Lab, { onProgress }: RunOptions): Promise<void> {
  const { sandbox, relay, distrusted } = lab
  const customer = `lab-first-${lab.seed}`
  const before = await lab.probe()
  await sandbox.send({ from: 'wallet-1', to: 'merchant', amount: firstAmount, comment: customer })
  const called = () => sandbox.calls({ client: 'others', limit: 1 })
  if (!(await within(async () => (await called()).calls.length > 0))) {
    const [first] = relay.deliveries()
    const reply = first?.replies[0]
    const seen =
      reply === undefined ? 'no delivery reached it' : `its response: ${describeReply(reply)}`
    throw new PreflightError(
      `The handler sent no request to the lab's sandbox within ${firstMs / 1_000} s of a payment (${seen}). Set its base URLs and keys to the TONDESK_LAB_ variables.`,
    )
  }
  const path = ['credits', customer, 'TON']
  const credits = async () => formatValue(valueAt(await lab.probe(), path) ?? '0')
  if (valueAt(await lab.probe(), path) !== undefined) {
    const earlier = BigInt(formatValue(valueAt(before, path) ?? '0'))
    const wanted = (earlier + BigInt(firstAmount)).toString()
    if (!(await within(async () => (await credits()) === wanted))) {
      throw new PreflightError(
        `The probe shows ${await credits()} at ${path.join('.')} after an honest payment, but ${wanted} is right. No verdict could rest on this probe.`,
      )
    }
  }
  const body = JSON.stringify({ amount: firstAmount, currency: 'TON', life_time: 900 })
  const created = await lab.callApi('invoices', invoicePath, { method: 'POST', body })
  const { id } = JSON.parse(created.body) as { id: string }
  await sandbox.pay(id)
  const status = async () => valueAt(await lab.probe(), ['invoices', id, 'status'])
  if ((await status()) !== undefined && !(await within(async () => (await status()) === 'paid'))) {
    distrusted.add('invoices')
    onProgress?.(
      'The probe does not show the first honest invoice as paid: invoices are not tested.',
    )
  }
  await restore(lab, lab.tokens.right)
}

async function within(isTrue: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + firstMs
  while (!(await isTrue())) {
    if (performance.now() > until) return false
    await sleep(pollMs)
  }
  return true
}

/** After two of these, every retry is due. */
const drainMs = 3_600_000
const maxDrains = 30

/** The next scenario begins without faults, open deliveries or a stopped handler. */
async function restore(lab: Lab, token: string): Promise<void> {
  const { sandbox, relay, handler, webhookId, target, tokens } = lab
  await sandbox.fault()
  await sandbox.control('setPolicy', {
    ...defaultPolicy,
    retryDelaysMs: [...defaultPolicy.retryDelaysMs],
  })
  // Deliveries that still wait must not reach the handler in another scenario.
  relay.setMode('lose')
  await sandbox.control('backOnline', { webhookId })
  await sandbox.idle({ timeoutMs: 60_000 })
  for (let count = 0; count < maxDrains; count += 1) {
    const { deliveries } = await sandbox.deliveries({ limit: 1 })
    if (deliveries.length === 0) break
    await sandbox.advance(drainMs)
    await sandbox.idle({ timeoutMs: 60_000 })
  }
  relay.clear()
  if (handler !== null && (tokens.right !== token || !(await isListening(target)))) {
    await handler.stop('SIGKILL')
    await handler.start()
  }
}
