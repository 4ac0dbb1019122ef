import type { NetworkId } from '../../src-preload/contract/network.ts'

/** What every run of a job over addresses needs. */
export type RunDeps = {
  /** Addresses a request, as was learned of a network before. */
  readonly limits: {
    get(network: NetworkId): number | null
    set(network: NetworkId, n: number): void
  }
  readonly now: () => number
  /** Rejects when aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>
  readonly onChanged: () => void
  readonly onBug: (error: unknown) => void
}
