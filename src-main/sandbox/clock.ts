import type { ControlStore } from './store/control.ts'

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

/** A virtual clock starts no earlier: the main network's configuration is younger. */
export const firstMoment = Date.UTC(2020, 0, 1)

/** The year 2100: a block's time has 32 bits of seconds, and must not run out of them. */
export const lastMoment = Date.UTC(2100, 0, 1)

/** The sandbox's clock, with what turns it. It is in the database: a restart goes on where it was. */
export type SandboxClock = Clock & {
  /** To virtual freezes it; to real lets it run on, from where it is when that is ahead of the world's. */
  setMode(mode: 'real' | 'virtual'): void
  /** Moves a virtual clock on; never back, and not beyond `lastMoment`. */
  moveTo(moment: number): void
  /** After a revert: the mode stays, the time is that of the snapshot (a real clock's at least that). */
  returnTo(moment: number): void
}

type Kept = { readonly mode: 'real'; readonly aheadMs: number } | { mode: 'virtual'; now: number }

/**
 * @param first what the clock is where none has been kept yet
 * @param start where a virtual one stands then, milliseconds; the present moment unless given
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
  /** A computer's clock may be set back; this one stands still until it has caught up. */
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

  /** Real, and not behind that moment. */
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
