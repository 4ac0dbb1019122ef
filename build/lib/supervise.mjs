import { setTimeout as wait } from 'node:timers/promises'
import { exitCodeOf, passSignals } from './child.mjs'
import { spawn } from 'node:child_process'
import process from 'node:process'

/**
 * Delays before the first, second and further restarts. One more crash within `periodMs` of running
 * time ends the program.
 */
const restartDelaysMs = [0, 2000, 10_000, 30_000]
const periodMs = 10 * 60_000
/** The exit code of a crash; see src-main/command-line/supervised.ts. */
const crashExitCode = 70
const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * True if a process ended by a crash: an uncaught error, or a signal other than a request to end.
 * On Windows an aborted process has the exit code 134 or a system error.
 */
export function isCrash({ code, signal }, platform = process.platform) {
  if (signal !== null) return !endSignals.includes(signal)
  return code === crashExitCode || (platform === 'win32' && (code === 134 || code >= 0xc0000000))
}

/**
 * The delay before the next restart in milliseconds; null after too many crashes.
 * @param crashes times of crashes; they and `now` are milliseconds of running time
 */
export function nextDelay(crashes, now, delaysMs = restartDelaysMs) {
  return delaysMs[crashes.filter((at) => now - at < periodMs).length - 1] ?? null
}

/**
 * Runs a child as `run` does. A child that has reported that it serves is restarted with the same
 * arguments after a crash, and takes over the ports of the crashed process.
 */
export async function supervise(command, args, { env = process.env, delaysMs, ...options } = {}) {
  const crashes = []
  // The sum of the running times so far. A slow start on a slow computer does not prove that the
  // app works.
  let servedMs = 0
  let isServing = false
  const ending = new AbortController()
  const end = () => ending.abort()
  for (const signal of endSignals) process.on(signal, end)
  try {
    for (let restarts = 0; ; restarts += 1) {
      const result = await runOnce(command, args, () => (isServing = true), {
        ...options,
        env: { ...env, TONDESK_RESTARTS: String(restarts) },
      })
      const exitCode = result.code === crashExitCode ? 1 : exitCodeOf(result.code, result.signal)
      const outcome = { ...result, exitCode }
      if (!isServing || ending.signal.aborted || !isCrash(result)) return outcome
      servedMs += result.servedMs
      crashes.push(servedMs)
      const how = result.signal ?? `exit code ${exitCode}`
      const delay = nextDelay(crashes, servedMs, delaysMs)
      if (delay === null) {
        console.error(
          `Tondesk ended unexpectedly ${crashes.length} times (${how}) and is not restarted. Nothing is received now. The log in the data directory has the details.`,
        )
        return outcome
      }
      const when = delay === 0 ? 'now' : `in ${delay / 1000} s`
      console.error(`Tondesk ended unexpectedly (${how}). Restarting ${when}.`)
      await wait(delay, undefined, { signal: ending.signal }).catch(() => undefined)
      if (ending.signal.aborted) return outcome
    }
  } finally {
    for (const signal of endSignals) process.off(signal, end)
  }
}

function runOnce(command, args, onServing, options) {
  return new Promise((resolve, reject) => {
    const stdio = ['inherit', 'inherit', 'inherit', 'ipc']
    const child = spawn(command, args, { ...options, stdio })
    const stopPassing = passSignals(child)
    let servingAt = Infinity
    child.on('message', (message) => {
      if (message?.event !== 'serving') return
      servingAt = performance.now()
      onServing()
    })
    child.on('error', (error) => {
      stopPassing()
      reject(error)
    })
    child.on('close', (code, signal) => {
      stopPassing()
      resolve({ code, signal, servedMs: Math.max(0, performance.now() - servingAt) })
    })
  })
}
