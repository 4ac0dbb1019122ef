import type { Tondesk } from '../fixture.ts'
import type { MainProcess } from '../hosts/host.ts'

/** For specs of Electron's own behaviour, which run on the stand-in and on the real Electron. */
export function mainProcess({ running }: Tondesk): MainProcess {
  if (!running.mainProcess) throw new Error('This test needs a main process of Electron.')
  return running.mainProcess
}
