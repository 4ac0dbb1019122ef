/** Programs that the lab starts: the handler, the command of a probe and commands of scenario files. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

type Environment = Readonly<Record<string, string>>

const isWindows = process.platform === 'win32'
const readyMs = 30_000
const stopMs = 5_000
const connectMs = 1_000
const pollMs = 25
const keptOutput = 16 * 1024

/** A shell runs the command in its own process group, so that its children end with it. */
const start = (command: string, env: Environment): ChildProcess =>
  spawn(command, {
    shell: true,
    detached: !isWindows,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (isWindows || child.pid === undefined) child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch {
    // The group has ended.
  }
}

/**
 * Runs a command to its end, or kills it after `timeoutMs` or `maxBytes` of output.
 * @throws Error that says why the command failed
 */
export async function runCommand(
  command: string,
  limits: { readonly env: Environment; readonly timeoutMs: number; readonly maxBytes: number },
): Promise<string> {
  const child = start(command, limits.env)
  let problem: string | null = null
  const end = (why: string) => {
    problem ??= why
    kill(child, 'SIGKILL')
  }
  const timer = setTimeout(
    () => end(`needed more than ${limits.timeoutMs / 1000} s`),
    limits.timeoutMs,
  )
  const chunks: Buffer[] = []
  let bytes = 0
  child.stdout?.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength
    if (bytes > limits.maxBytes) end(`printed more than ${limits.maxBytes / 1e6} MB`)
    else chunks.push(chunk)
  })
  child.stderr?.resume()
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
    if (code !== 0) problem ??= `ended with ${code === null ? signal : `exit code ${code}`}`
  } catch (error) {
    problem ??= `did not start: ${(error as Error).message}`
  } finally {
    clearTimeout(timer)
  }
  if (problem !== null) throw new Error(`the command ${problem}`)
  return Buffer.concat(chunks).toString()
}

/** The handler that `--start` names. */
export function createHandler(
  command: string,
  target: string,
  env: Environment,
  signal: AbortSignal,
) {
  let child: ChildProcess | null = null
  let exited: Promise<unknown> = Promise.resolve()
  let output = ''

  /** Resolves when the target accepts connections. @throws Error with the end of the output */
  async function startHandler(): Promise<void> {
    if (await isListening(target)) {
      throw new Error(`another program already listens at ${new URL(target).host}`)
    }
    output = ''
    const started = start(command, env)
    child = started
    exited = once(started, 'close').catch((error: unknown) => void (output += String(error)))
    for (const stream of [started.stdout, started.stderr]) {
      stream?.on(
        'data',
        (chunk: Buffer) => (output = (output + chunk.toString()).slice(-keptOutput)),
      )
    }
    const ended = new AbortController()
    void exited.then(() => ended.abort())
    const until = performance.now() + readyMs
    while (!(await isListening(target))) {
      if (ended.signal.aborted || performance.now() > until || signal.aborted) {
        const why = ended.signal.aborted ? 'ended' : `did not listen within ${readyMs / 1000} s`
        await stop('SIGKILL')
        throw new Error(`the handler ${why}. Its output:\n${output.trim() || '(none)'}`)
      }
      await sleep(pollMs)
    }
  }

  /** Resolves when the process group has ended, at the latest after SIGKILL. */
  async function stop(signal: NodeJS.Signals): Promise<void> {
    if (child === null) return
    const ending = child
    child = null
    kill(ending, signal)
    const timer = setTimeout(() => kill(ending, 'SIGKILL'), stopMs)
    await exited
    clearTimeout(timer)
  }

  return { start: startHandler, stop }
}

/** True if the target accepts a connection. */
export async function isListening(target: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(target)
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
  })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(connectMs) })
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
