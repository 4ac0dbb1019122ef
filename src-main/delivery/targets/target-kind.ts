import type { EditedRequest } from '../store/replay-jobs.ts'
import type { Guard } from '../sender/guard.ts'
import type { HeaderPairs } from '../sender/request-headers.ts'

/** A kind of target knows its own protocol and reports results in common terms. */
export type TargetKind = {
  readonly handles: (url: string) => boolean
  readonly open: (guard: Guard) => Sender
}

export type Sender = {
  /** Never rejects: errors are part of the result. */
  readonly send: (
    request: Omit<EditedRequest, 'subpath'> & { readonly change?: string | null },
    url: string,
    options: SendOptions,
  ) => Promise<DeliveryResult>
  /** Closes connections, so that the guard checks each target again. */
  readonly guardChanged: () => void
  readonly close: () => Promise<void>
}

/** `keepHost`, `subpath` and `extraHeaders` apply to HTTP; other kinds may ignore them. */
export type SendOptions = {
  /** The limit covers the whole delivery, including the wait for a connection. */
  readonly timeoutMs: number
  readonly keepHost: boolean
  readonly subpath: string | null
  readonly extraHeaders: HeaderPairs
  /** The bytes of the response’s body to keep; 64 KiB by default. */
  readonly keepBytes?: number
  readonly signal?: AbortSignal
}

export type DeliveryResult = {
  /**
   * `refused`: permanent, so another attempt is pointless. `failed`: this delivery failed for now.
   * `down`: the target itself fails, so other deliveries would fail too.
   */
  readonly outcome: 'delivered' | 'refused' | 'failed' | 'down'
  /**
   * `aborted`: our signal aborted the request, which may have arrived. `blocked`: the guard allowed
   * no connection, so nothing was sent.
   */
  readonly cause: 'aborted' | 'blocked' | 'timeout' | null
  /** True if the target sent any response. */
  readonly hasResponded: boolean
  /** Null if the outcome is `delivered`. */
  readonly problem: string | null
  /** The pause that the target requested; 0 if it requested none. */
  readonly retryAfterMs: number
  readonly detail: AttemptDetail
}

/**
 * The stored and displayed details of an attempt. A kind of target without statuses uses null, no
 * headers and no body.
 */
export type AttemptDetail = {
  /** The time in microseconds since the epoch. */
  readonly at: number
  readonly durationUs: number
  readonly status: number | null
  readonly headers: HeaderPairs
  readonly body: Uint8Array
  readonly bodyBytes: number
  readonly isCut: boolean
  /** A problem that the other fields do not contain, such as a response that broke off. */
  readonly problem: string | null
}
