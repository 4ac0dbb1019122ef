/** The programmatic interface of the package `tondesk-sandbox`: the sandbox in a child process. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { keyVariables } from './start-options.ts'
import {
  type ControlInput,
  type ControlOperation,
  type ControlOutput,
  controlRequest,
} from '../../src-preload/contract/sandbox-control.ts'

import { readJson } from '../../src-preload/domain/read-json.ts'
import { SandboxError, sandboxCodes } from './errors.ts'
import type { ReadyLine } from './sandbox.ts'

export { SandboxError }

type FailedLine = { event: 'failed'; code: SandboxError['code']; message: string }

export interface StartOptions {
  /** 1 to 64 letters, digits, `._:-`; determines all hashes and invoice ids of the chain. Default `tondesk`. */
  readonly seed?: string
  /** A virtual clock (default) stands still until `advance`; a real one follows the computer's. */
  readonly clock?: 'real' | 'virtual'
  /** Start of the virtual clock: Unix milliseconds or an ISO 8601 text. Default: the present. */
  readonly now?: number | string
  /** 1024 to 65535, or 0 (default) for any free port. */
  readonly port?: number
  /**
   * Keeps the data in this folder, which only one sandbox at a time can use. By default the data is
   * removed at the end.
   */
  readonly dataDirectory?: string
  /** Hosts besides this computer to which webhooks may be delivered. */
  readonly allowHosts?: readonly string[]
  /** Keys that replace random ones, with 8 to 256 visible characters each. */
  readonly keys?: Partial<Pick<Ready, 'apiKey' | 'invoicesToken' | 'controlKey'>>
  /** Time limit for the start in milliseconds. Default 60000. */
  readonly timeoutMs?: number
}

/** Facts of a started sandbox: base URLs, keys, wallets with public test keys (docs/sandbox.md). */
export type Ready = Omit<ReadyLine, 'event'>

/**
 * Each method is one request of the control API and rejects with a `ControlError` that has its status and reason.
 * Amounts are decimal strings of minimal units: nanotons, or millionths of a USDT.
 */
export interface SandboxMethods {
  /**
   * Pays an invoice; the faucet gives the payer the coins that it lacks. 404 for an unknown
   * invoice, 409 if nothing is left to pay.
   * @example await sandbox.pay(invoice.id, { how: 'under', amount: '500000000' })
   */
  readonly pay: (id: string, order?: Partial<ControlInput<'pay'>>) => Promise<ControlOutput<'pay'>>
  /**
   * Sends coins from a wallet. 404 for an unknown wallet, 409 if the balance is too low.
   * @example await sandbox.send({ from: 'wallet-1', to: 'merchant', amount: '1000000000', comment: 'Hi' })
   */
  readonly send: (order: ControlInput<'send'>) => Promise<ControlOutput<'send'>>
  /**
   * Deploys a contract that replies to opcodes. 409 if the name is in use.
   * @example const { address } = await sandbox.deploy({ name: 'shop' })
   */
  readonly deploy: (order?: ControlInput<'deploy'>) => Promise<ControlOutput<'deploy'>>
  /**
   * Moves the virtual clock by milliseconds, or to the next due time; work in between runs at its
   * own time. 409 for a real clock, 400 for a negative number, because the clock never goes back.
   * @example await sandbox.advance(3_600_000)
   */
  readonly advance: (by: number | 'next') => Promise<ControlOutput<'advance'>>
  /**
   * Resolves when every due delivery has been sent. 409 after `timeoutMs` of real time, default 30000.
   * @example await sandbox.idle()
   */
  readonly idle: (limit?: ControlInput<'idle'>) => Promise<ControlOutput<'idle'>>
  /**
   * Takes a snapshot of everything except keys.
   * @example const { name } = await sandbox.snapshot()
   */
  readonly snapshot: (name?: string) => Promise<ControlOutput<'snapshot'>>
  /**
   * Returns to a snapshot. 404 for an unknown name.
   * @example beforeEach(() => sandbox.revert(name))
   */
  readonly revert: (name: string) => Promise<void>
  /**
   * Returns to the state after the first start.
   * @example await sandbox.reset()
   */
  readonly reset: () => Promise<void>
  /**
   * Replaces all simulated faults of the APIs; removes them without an argument.
   * @example await sandbox.fault({ root: 'invoices', kind: 'status', status: 503, share: 0.5 })
   */
  readonly fault: (
    ...faults: ControlInput<'setFaults'>['faults']
  ) => Promise<ControlOutput<'setFaults'>>
  /**
   * Returns deliveries that are not acknowledged yet, oldest first.
   * @example const { deliveries } = await sandbox.deliveries({ limit: 10 })
   */
  readonly deliveries: (page?: ControlInput<'queue'>) => Promise<ControlOutput<'queue'>>
  /**
   * Requests that reached the APIs, newest first; with `after`, oldest first. 400 for a wrong filter.
   * @example const { calls } = await sandbox.calls({ root: 'query', status: '4xx' })
   */
  readonly calls: (filter?: ControlInput<'calls'>) => Promise<ControlOutput<'calls'>>
  /**
   * Waits for the status of an invoice or webhook, or for a transaction. 409 after `timeoutMs` of real time,
   * default 30000.
   * @example await sandbox.waitFor({ invoice: id, status: 'paid', timeoutMs: 5_000 })
   */
  readonly waitFor: (condition: ControlInput<'waitFor'>) => Promise<ControlOutput<'waitFor'>>
  /**
   * Calls any other operation of the control API, by its `operationId` in `/sandbox/openapi.json`.
   * @example await sandbox.control('setPolicy', { timeoutMs: 1_000 })
   */
  readonly control: <N extends ControlOperation>(
    name: N,
    input: ControlInput<N>,
  ) => Promise<ControlOutput<N>>
}

export interface Sandbox extends Ready, SandboxMethods {
  /** Finishes requests, stops the process and removes its data unless `dataDirectory` was set. */
  readonly close: () => Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** The control API refused a request. */
export class ControlError extends Error {
  /** HTTP status: 400 for invalid input, 404 for an unknown object, 409 if it is not possible now. */
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.name = 'ControlError'
    this.status = status
  }
}

type Child = ChildProcessByStdio<Writable, Readable, null>

const closeMs = 20_000

/**
 * Starts a sandbox in a child process, which ends with this process even after a crash.
 * @throws SandboxError with a code such as SANDBOX_PORT_TAKEN
 * @example await using sandbox = await startSandbox({ now: '2026-01-01' })
 */
export async function startSandbox(options: StartOptions = {}): Promise<Sandbox> {
  const flags = ['--max-semi-space-size=4', '--disable-warning=ExperimentalWarning']
  // The sources, the package and the app each have their own entry.
  const program = ['../threads/sandbox-process.ts', './tondesk-sandbox.js', './sandbox-process.js']
    .map((entry) => fileURLToPath(new URL(entry, import.meta.url)))
    .find((path) => existsSync(path))
  if (program === undefined) throw new SandboxError(sandboxCodes.failed, 'A file is missing.')
  const child = spawn(process.execPath, [...flags, program, ...argumentsOf(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...variablesOf(options.keys) },
  })
  const exited = once(child, 'exit').catch(() => undefined)
  const line = await readReady(child, options.timeoutMs ?? 60_000)
  // The child does not keep a finished program alive, and ends with it.
  child.unref()
  for (const stream of [child.stdin, child.stdout]) (stream as { unref?(): void }).unref?.()
  child.stdout.resume()

  async function close(): Promise<void> {
    child.ref()
    child.stdin.end()
    const timer = setTimeout(() => child.kill('SIGKILL'), closeMs)
    await exited
    clearTimeout(timer)
  }

  const { event: _event, ...ready } = line
  return { ...ready, ...connectSandbox(line), close, [Symbol.asyncDispose]: close }
}

/**
 * Returns the methods for a sandbox that another program started, by its ready line.
 * @example const { idle } = connectSandbox(JSON.parse(line))
 */
export function connectSandbox(ready: Pick<Ready, 'controlUrl' | 'controlKey'>): SandboxMethods {
  const control = <N extends ControlOperation>(name: N, input: ControlInput<N>) =>
    callControl(ready, name, input)
  return {
    pay: (id, order) => control('pay', { how: 'exact', ...order, id }),
    send: (order) => control('send', order),
    deploy: (order = {}) => control('deploy', order),
    advance: (by) => control('advance', by === 'next' ? { toNext: true } : { byMs: by }),
    idle: (limit = {}) => control('idle', limit),
    snapshot: (name) => control('snapshot', { name }),
    revert: async (name) => void (await control('revert', { name })),
    reset: async () => void (await control('reset', {})),
    fault: (...faults) => control('setFaults', { faults }),
    deliveries: (page = {}) => control('queue', page),
    calls: (filter = {}) => control('calls', filter),
    waitFor: (condition) => control('waitFor', condition),
    control,
  }
}

function argumentsOf(options: StartOptions): string[] {
  const { clock = 'virtual', now, allowHosts = [] } = options
  const values = {
    clock,
    now: typeof now === 'number' ? new Date(now).toISOString() : now,
    port: options.port ?? 0,
    seed: options.seed,
    'data-dir': options.dataDirectory,
    'allow-host': allowHosts.length > 0 ? allowHosts.join(',') : undefined,
  }
  const typed = Object.entries(values).filter(([, value]) => value !== undefined)
  return ['--json', '--with-parent', ...typed.map(([name, value]) => `--${name}=${value}`)]
}

/** Other programs can read arguments, so keys are passed in environment variables. */
function variablesOf(keys: NonNullable<StartOptions['keys']> = {}): Record<string, string> {
  const given = Object.entries(keyVariables).map(([name, variable]) => [
    variable,
    new Map(Object.entries(keys)).get(name),
  ])
  return Object.fromEntries(given.filter(([, key]) => key !== undefined)) as Record<string, string>
}

async function readReady(child: Child, timeoutMs: number): Promise<ReadyLine> {
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
  const spawned = new Promise<never>((_, reject) => child.once('error', reject))
  try {
    const reader = createInterface({ input: child.stdout })
    const first = await Promise.race([reader[Symbol.asyncIterator]().next(), spawned])
    reader.close()
    if (first.done === true) {
      const reason = `The sandbox ended before it was ready, or needed more than ${timeoutMs} ms.`
      throw new SandboxError(sandboxCodes.failed, reason)
    }
    const line = JSON.parse(first.value) as ReadyLine | FailedLine
    if (line.event === 'ready') return line
    throw new SandboxError(line.code, line.message)
  } finally {
    clearTimeout(timer)
  }
}

/** Requests have no time limit, because an advance may take long and `fetch` would add one. */
async function callControl<N extends ControlOperation>(
  { controlUrl, controlKey }: Pick<Ready, 'controlUrl' | 'controlKey'>,
  name: N,
  input: ControlInput<N>,
): Promise<ControlOutput<N>> {
  const { method, path, fields } = controlRequest(name, input as object)
  const query = method === 'GET' ? `?${new URLSearchParams(fields).toString()}` : ''
  const sent = request(`${controlUrl}${path}${query}`, {
    method,
    headers: { Authorization: `Bearer ${controlKey}`, 'Content-Type': 'application/json' },
  })
  sent.end(method === 'GET' || method === 'DELETE' ? undefined : JSON.stringify(fields))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const body = readJson(await readText(response)) as ControlOutput<N> & { error?: string }
  const { statusCode: status = 0 } = response
  if (status === 200) return body
  throw new ControlError(
    status,
    (body as typeof body | null)?.error ?? `The sandbox responded with status ${status}.`,
  )
}
