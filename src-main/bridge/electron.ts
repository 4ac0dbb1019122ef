/** The Electron window's transport: one channel to ask, one for events. */
import { type WebContents, ipcMain } from 'electron'
import { type Envelope, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import type { Log } from '../app/log.ts'
import type { Dispatch } from './dispatch.ts'
import type { EventHub } from './events.ts'
import { isTrustedFrame } from './trusted-frame.ts'

type ElectronBridgeOptions = {
  readonly dispatch: Dispatch
  readonly events: EventHub
  /** The origin our pages are loaded from. */
  readonly origin: string
  /** The contents of our windows, at this moment. */
  readonly windows: () => readonly WebContents[]
  readonly log: Log
}

const forbidden: Envelope<never> = {
  ok: false,
  error: { code: bridgeCodes.forbiddenSender, message: 'Only the page of this app may ask.' },
}

/** Returns the way to stop. */
export function serveElectronBridge(options: ElectronBridgeOptions): () => void {
  const { dispatch, events, origin, windows, log } = options
  const isOurs = (id: number) => windows().some((contents) => contents.id === id)

  ipcMain.handle('request', (event, name: unknown, input: unknown) => {
    if (isTrustedFrame(event, { origin, isOurs })) return dispatch(name, input)
    log.write('warn', 'A request from a frame that is not ours was refused.', {
      origin: event.senderFrame?.origin,
      route: typeof name === 'string' ? name.slice(0, 100) : null,
    })
    return forbidden
  })
  const stop = events.subscribe((messages) => {
    for (const contents of windows()) {
      if (!contents.isDestroyed()) contents.send('events', messages)
    }
  })
  return () => {
    stop()
    ipcMain.removeHandler('request')
  }
}
