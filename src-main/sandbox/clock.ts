/** What the sandbox takes for now; the chain, invoices and deliveries all go by it. */
export type Clock = {
  readonly mode: 'real' | 'virtual'
  /** Milliseconds since the epoch; never goes back. */
  now(): number
}

/** Something that has to be done at a moment: a retry, an expiry, a step of activity. */
export type DueSource = {
  /** Milliseconds since the epoch, or null when nothing is planned. Cheap: asked often. */
  nextDue(): number | null
  /**
   * Does all that is due by now and resolves when it is done, deliveries answered or failed
   * included; a virtual clock stands still until then. Never rejects.
   */
  runDue(): Promise<void>
}

/** The unit of the chain and of invoices. */
export function toSeconds(ms: number): number {
  return Math.floor(ms / 1000)
}
