import { type WebContents, ipcMain } from 'electron'
import { type Envelope, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import type { Log } from '../app/log.ts'
import type { Dispatch } from './dispatch.ts'
import type { EventHub } from './events.ts'

type ElectronBridgeOptions = {
  readonly dispatch: Dispatch
  readonly events: EventHub
  readonly origin: string
  readonly windows: () => readonly WebContents[]
  readonly log: Log
}

const forbidden: Envelope<never> = {
  ok: false,
  error: {
    code: bridgeCodes.forbiddenSender,
    message: 'Only Tondesk’s own window may send requests.',
  },
}

/** @returns a function that stops the bridge */
export function serveElectronBridge(options: ElectronBridgeOptions): () => void {
  const { dispatch, events, origin, windows, log } = options
  const isOurs = (id: number) => windows().some((contents) => contents.id === id)

  ipcMain.handle('request', (event, name: unknown, input: unknown) => {
    if (isTrustedFrame(event, { origin, isOurs })) return dispatch(name, input)
    log.write('warn', 'A request from a foreign frame was rejected.', {
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

type Frame = {
  readonly origin: string
  /** Null for the top frame of a window. */
  readonly parent: unknown
}

type Sender = {
  /** Null if the frame has navigated away or is gone. */
  readonly senderFrame: Frame | null
  readonly sender: { readonly id: number }
}

type Trust = {
  readonly origin: string
  readonly isOurs: (contentsId: number) => boolean
}

/**
 * Threat model: content of another origin in one of our windows or frames could use the same channel.
 * Only the top frame of a window that shows the app's own page gets a response.
 */
export const isTrustedFrame = ({ senderFrame, sender }: Sender, trust: Trust): boolean =>
  senderFrame !== null &&
  trust.isOurs(sender.id) &&
  senderFrame.parent === null &&
  senderFrame.origin === trust.origin
