import { fileURLToPath } from 'node:url'
import { utilityProcess } from 'electron'
import { type StartProcess, readText, sandboxNodeFlags } from '../networks/sandbox-process.ts'

/** A process of Electron's own making: the installed app cannot be run as Node. */
export const startUtilityProcess: StartProcess = (entry, args, flags = sandboxNodeFlags) => {
  const child = utilityProcess.fork(fileURLToPath(entry), [...args], {
    serviceName: flags === sandboxNodeFlags ? 'Tondesk sandbox' : 'Tondesk files',
    execArgv: [...flags],
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // Such as running out of memory: the exit follows. Without a listener it would end the app.
  child.on('error', () => undefined)
  return {
    onStdout: (listener) => readText(child.stdout, listener),
    onStderr: (listener) => readText(child.stderr, listener),
    onExit: (listener) => void child.once('exit', (code) => listener(`exit code ${code}`)),
    onMessage: (listener) => void child.on('message', listener),
    send: (message) => child.postMessage(message),
    kill() {
      // Its own `kill` asks politely, which has been done by then.
      try {
        if (child.pid !== undefined) process.kill(child.pid, 'SIGKILL')
      } catch {
        // It has ended meanwhile.
      }
    },
  }
}
