import type { CaptureRecord } from '../../captures/store/capture-record.ts'
import type { Delivery } from '../../captures/query/subject.ts'

/** What the gateway gets of a delivery that was passed through. */
export type PassedAnswer = {
  /** 200 to 599: the target's own; one that says so where no answer came (502, or 504 after the limit). */
  readonly status: number
  /** Without those of the connection; empty unless the rule gives the whole answer. */
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array
}

/** Forwarding rules whose target answers in our place (`mode: 'through'`). */
export type PassThrough = {
  /** While false nothing is asked of it, and deliveries cost nothing more. */
  isActive(): boolean
  /**
   * Before the capture is written; must not throw. Asked only of what no answer rule takes, and what
   * would be answered 2xx otherwise: not of what is refused for its token.
   * @returns null where no rule takes it; else asked once the capture is on disk, with its id. What
   *   it rejects with is answered 502
   */
  take(
    delivery: Delivery,
    record: CaptureRecord,
  ): ((capture: number) => Promise<PassedAnswer>) | null
}
