import { setImmediate } from 'node:timers/promises'
import type { TokenVerdict } from '../../../src-preload/domain/capture-words.ts'

/** How a request of ours came in at the receiver; as its `probes.ts` has it. */
export type Arrival = {
  /** Microseconds since the epoch. */
  readonly at: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array
  readonly token: TokenVerdict
  readonly capture: number | null
}

export type ExpectProbe = (kind: 'check' | 'test') => {
  readonly header: readonly [name: string, value: string]
  readonly token: string
  readonly arrived: Promise<Arrival>
  end(): void
}

/** The receiver answers after it has arrived: what has not by now, when an answer is here, never will. */
export async function arrivedByNow(arrived: Promise<Arrival>): Promise<Arrival | null> {
  return Promise.race([arrived, setImmediate(null)])
}
