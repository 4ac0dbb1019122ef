import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import process from 'node:process'

/** The exit code a shell would report. */
export function exitCodeOf(code, signal) {
  return code ?? 128 + (constants.signals[signal] ?? 0)
}

/** Runs a child process to its end with this program's own streams and returns its exit code and signal. */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options })
    const stopPassing = passSignals(child)
    child.on('error', (error) => {
      stopPassing()
      reject(error)
    })
    child.on('close', (code, signal) => {
      stopPassing()
      resolve({ code, signal, exitCode: exitCodeOf(code, signal) })
    })
  })
}

/**
 * Lets a child decide how to end: signals to this program are passed to the child, and this program
 * waits. At a terminal, Ctrl-C reaches the child anyway, so it is not sent again. On Windows
 * nothing is passed, because a signal there only means termination.
 */
export function passSignals(child) {
  const listeners = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => {
    const listener = () => {
      const alreadyThere = signal === 'SIGINT' && process.stdin.isTTY
      if (process.platform !== 'win32' && !alreadyThere) child.kill(signal)
    }
    process.on(signal, listener)
    return [signal, listener]
  })
  const stopWatching = watchShell(() => child.kill('SIGTERM'))
  return () => {
    stopWatching()
    for (const [signal, listener] of listeners) process.off(signal, listener)
  }
}

// npm runs a script through a shell. A signal to npm ends that shell without reaching the shell's
// children, so under npm the end of the shell counts as the signal.
function watchShell(onEnd) {
  if (!process.env.npm_lifecycle_event || process.platform === 'win32') return () => {}
  const shell = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(timer)
    onEnd()
  }, 500)
  timer.unref()
  return () => clearInterval(timer)
}

/** Runs a child process without output and returns its exit code and the end of its output. */
export function runQuietly(command, args, { onOutput, signal, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], signal })
    const stopPassing = passSignals(child)
    let output = ''
    const keep = (chunk) => {
      output = (output + chunk).slice(-16_384)
      onOutput?.(String(chunk))
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', (error) => {
      stopPassing()
      reject(error)
    })
    child.on('close', (code, ended) => {
      stopPassing()
      resolve({ exitCode: exitCodeOf(code, ended), signal: ended, output })
    })
  })
}
