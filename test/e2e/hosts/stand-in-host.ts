/** The Electron app on the stand-in. */
import { launchStandIn } from '../../stand-in/launch.ts'
import { toChromium } from '../../stand-in/app-address.ts'
import type { Running, Start, StartOptions } from './host.ts'
import { bounded } from './host.ts'

export const startStandIn: Start = async (options: StartOptions): Promise<Running> => {
  const { dataDirectory, args, onProblem } = options
  const standIn = launchStandIn({ dataDirectory, args, onProblem })
  const { receiverUrl } = await standIn.ready
  const page = await standIn.page()
  const exit = standIn.exit.then(({ code }) => code)
  return {
    page,
    receiverUrl,
    processId: standIn.processId,
    exit,
    standIn,
    async readClipboard() {
      // Beyond what the app grants, which a test of its own looks at.
      await page
        .context()
        .grantPermissions(['clipboard-read'], { origin: toChromium('app://tondesk') })
      return page.evaluate(() => navigator.clipboard.readText())
    },
    kill: standIn.kill,
    async quit() {
      await standIn.ask('quit')
      return bounded(exit, 10_000, 'Quitting')
    },
    async afterRestart() {
      await bounded(exit, 10_000, 'Quitting in order to start again')
      if (!standIn.wantsRelaunch())
        throw new Error('The app ended without asking to be relaunched.')
      return startStandIn(options)
    },
  }
}
