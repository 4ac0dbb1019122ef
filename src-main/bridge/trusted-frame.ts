/**
 * Who may speak to the main process over Electron's IPC. Pure.
 *
 * Threat model: content of another origin in one of our windows, or in a frame of one, could send
 * on the same channel. Only the top frame of a window we made, showing our own page, is answered.
 */
type Frame = {
  readonly origin: string
  /** Null for a window's top frame. */
  readonly parent: unknown
}

type Sender = {
  /** Null when the frame has navigated away or is gone. */
  readonly senderFrame: Frame | null
  readonly sender: { readonly id: number }
}

type Trust = {
  readonly origin: string
  readonly isOurs: (contentsId: number) => boolean
}

export function isTrustedFrame({ senderFrame, sender }: Sender, trust: Trust): boolean {
  return (
    senderFrame !== null &&
    trust.isOurs(sender.id) &&
    senderFrame.parent === null &&
    senderFrame.origin === trust.origin
  )
}
