import type { ControlStore } from './store/database.ts'

/** The current time of the chain, invoices and deliveries. */
export type Clock = {
  readonly mode: 'real' | 'virtual'
  /** Milliseconds; never goes back. */
  now(): number
}

/** Scheduled work: a retry, an expiry, a step of activity. */
export type DueSource = {
  /** Milliseconds; null for none. Called often, so it must be cheap. */
  nextDue(): number | null
  /** Runs all work that is due, including deliveries and their responses. Never rejects. */
  runDue(): Promise<void>
}

export function toSeconds(ms: number): number {
  return Math.floor(ms / 1000)
}

/** Earliest start of a virtual clock: the mainnet configuration is not older. */
export const firstMoment = Date.UTC(2020, 0, 1)

/** Block times are 32-bit seconds, so the sandbox's time ends before they overflow. */
export const lastMoment = Date.UTC(2100, 0, 1)

/** The adjustable clock, stored in the database. */
export type SandboxClock = Clock & {
  /** A virtual clock stands still; a real one continues from the present time or later. */
  setMode(mode: 'real' | 'virtual'): void
  /** Moves a virtual clock forward. */
  moveTo(moment: number): void
  /** Returns to a snapshot's time after a revert; a real clock continues there or later. */
  returnTo(moment: number): void
}

type Kept = { readonly mode: 'real'; readonly aheadMs: number } | { mode: 'virtual'; now: number }

/**
 * @param deps.first mode of a new clock
 * @param deps.start milliseconds, for a new virtual clock; default now
 */
export function createSandboxClock(deps: {
  readonly store: ControlStore
  readonly first: 'real' | 'virtual'
  readonly start?: number | undefined
  readonly world?: () => number
}): SandboxClock {
  const { store, world = Date.now } = deps
  let kept =
    (store.get('clock') as Kept | undefined) ??
    keep(
      deps.first === 'virtual'
        ? { mode: 'virtual', now: deps.start ?? world() }
        : { mode: 'real', aheadMs: 0 },
    )
  /** The computer's clock may go back; this one then stands still. */
  let latest = 0

  function keep(next: Kept): Kept {
    store.set('clock', next)
    return next
  }

  function now(): number {
    if (kept.mode === 'virtual') return kept.now
    latest = Math.max(latest, world() + kept.aheadMs)
    return latest
  }

  function realFrom(moment: number): Kept {
    return { mode: 'real', aheadMs: Math.max(0, moment - world()) }
  }

  return {
    get mode() {
      return kept.mode
    },
    now,
    setMode(mode) {
      if (mode === kept.mode) return
      kept = keep(mode === 'virtual' ? { mode, now: now() } : realFrom(now()))
      latest = 0
    },
    moveTo(moment) {
      if (kept.mode === 'virtual' && moment > kept.now)
        kept = keep({ mode: 'virtual', now: moment })
    },
    returnTo(moment) {
      latest = 0
      kept = keep(kept.mode === 'virtual' ? { mode: 'virtual', now: moment } : realFrom(moment))
    },
  }
}
