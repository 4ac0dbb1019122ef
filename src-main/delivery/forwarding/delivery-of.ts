import type { LoggedDelivery } from '../store/forward-log.ts'
import { decodeBody, headerValue } from '../../captures/decode-body.ts'
import { type KnownHook, createNetworkOf } from '../../captures/explanation/network-of.ts'
import type { Delivery } from '../../captures/query/subject.ts'

type DeliveryOfDeps = {
  /** As received. */
  readonly body: (capture: number) => Uint8Array
  readonly hooks: () => readonly KnownHook[]
  /** Path and query below the receiver’s own. */
  readonly subpathOf: (target: string) => string
}

/** What is beyond it no rule looks at. */
const decodeLimitBytes = 8 * 1024 * 1024
/** Webhooks are not read again for each capture. */
const hooksGoodMs = 5_000

/** A classified capture as rules look at it. Its body is read when one asks for it. */
export function createDeliveryOf({ body, hooks, subpathOf }: DeliveryOfDeps) {
  let networkOf = createNetworkOf([])
  let readAt = -Infinity

  return async (capture: LoggedDelivery): Promise<Delivery> => {
    if (performance.now() - readAt > hooksGoodMs) {
      networkOf = createNetworkOf(hooks())
      readAt = performance.now()
    }
    const { id, facts, headers } = capture
    const kind = facts?.kind ?? 'unknown'
    const encoding = headerValue(headers, 'content-encoding')
    let read: Uint8Array | null = null
    if (encoding !== null) read = (await decodeBody(body(id), encoding, decodeLimitBytes)).bytes
    return {
      ...capture,
      subpath: subpathOf(capture.target),
      get body() {
        return (read ??= body(id))
      },
      // An invoice's delivery carries no bearer by design.
      token: kind === 'invoice' && capture.token === 'missing' ? 'unchecked' : capture.token,
      kind,
      account: facts?.account ?? null,
      lt: facts?.lt === undefined || facts.lt === null ? null : BigInt(facts.lt),
      txHash: facts?.txHash ?? null,
      isDuplicate: facts !== undefined && facts.duplicateOf !== null,
      isOutOfOrder: facts?.outOfOrder ?? false,
      network: networkOf({ ...capture, kind })?.network ?? null,
    }
  }
}
