/** Runs the Electron app on the stand-in. */
import { launchStandIn } from '../../stand-in/launch.ts'
import { type Running, type Start, type StartOptions, withDeadline } from './host.ts'

export function createStandInHost(getEndpoint: () => Promise<string>): Start {
  return async function start(options: StartOptions): Promise<Running> {
    const { dataDirectory, args, onProblem, signal } = options
    const browserEndpoint = await getEndpoint()
    const standIn = launchStandIn({ dataDirectory, args, onProblem, browserEndpoint })
    signal?.addEventListener('abort', () => void standIn.kill())
    const { receiverUrl } = await standIn.ready
    const page = await standIn.page()
    const exit = standIn.exit.then(({ code }) => code)
    return {
      page,
      receiverUrl,
      processId: standIn.processId,
      exit,
      standIn,
      mainProcess: {
        evaluate: <R>(call: (...args: never[]) => unknown, arg?: unknown) =>
          standIn.ask('evaluate', { source: String(call), arg }) as Promise<R>,
        windowOpenedBy: (act) => standIn.reloaded(act),
      },
      readClipboard: () => standIn.ask('readClipboard'),
      opened: standIn.reloaded,
      kill: standIn.kill,
      async quit() {
        await standIn.ask('quit')
        return withDeadline(exit, 'Quitting')
      },
      async afterRestart() {
        await withDeadline(exit, 'Quitting in order to start again')
        if (!standIn.wantsRelaunch()) {
          throw new Error('The app ended without asking to be relaunched.')
        }
        return start({ ...options, args: standIn.relaunchArgs() })
      },
    }
  }
}
