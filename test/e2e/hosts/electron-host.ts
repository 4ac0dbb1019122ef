/** Runs the app on the real Electron, if its binary is installed. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { _electron } from '@playwright/test'
import { deadlines } from '../../deadlines.ts'
import { electronBinary } from '../../electron/binary.ts'
import { type Running, type Start, type StartOptions, withDeadline, watchPage } from './host.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export const startElectron: Start = async (options: StartOptions): Promise<Running> => {
  const { dataDirectory, args, onProblem, signal } = options
  const executablePath = electronBinary()
  if (executablePath === null) throw new Error("Electron's binary is not installed.")
  const electron = await _electron.launch({
    executablePath,
    // The release workflow sets the path of the archive in the package that it has built.
    args: [
      resolve(process.env['TONDESK_APP'] || root),
      '--json',
      '--data-dir',
      dataDirectory,
      ...args,
    ],
    env: { ...definedEnvironment(), TONDESK_CHECK_OUTPUT: '1' },
    timeout: deadlines.wait,
  })
  const child = electron.process()
  signal?.addEventListener('abort', () => child.kill('SIGKILL'))
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve))
  const page = await electron.firstWindow()
  watchPage(page, onProblem)
  const receiverUrl = await page.evaluate(async () => {
    const answer = await window.bridge?.request('receiver.state', undefined)
    return answer?.ok ? (answer.data as { url: string | null }).url : null
  })
  return {
    page,
    receiverUrl,
    processId: child.pid ?? -1,
    exit,
    electron,
    mainProcess: {
      evaluate: electron.evaluate.bind(electron),
      async windowOpenedBy(act) {
        const [opened] = await Promise.all([electron.waitForEvent('window'), act()])
        return opened
      },
    },
    readClipboard: () => electron.evaluate(({ clipboard }) => clipboard.readText()),
    async opened(act) {
      const opened = electron.waitForEvent('window')
      await act()
      return opened
    },
    async kill() {
      child.kill('SIGKILL')
      await exit
    },
    async quit() {
      await electron.evaluate(({ app }) => app.quit()).catch(() => undefined)
      return withDeadline(exit, 'Quitting')
    },
    async afterRestart() {
      await withDeadline(exit, 'Quitting in order to start again')
      // Playwright cannot attach to the process that Electron starts itself, so the test replaces
      // it.
      return startElectron(options)
    },
  }
}

function definedEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  )
}
