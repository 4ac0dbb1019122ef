import { createHash } from 'node:crypto'
import type { Actions } from './actions.ts'
import type { NetworkName } from './chain/chain.ts'
import { developmentWallets } from './chain/wallets.ts'
import type { Clock, DueSource } from './clock.ts'
import type { Gate } from './gate.ts'
import { HttpProblem } from './http.ts'
import type { ControlStore } from './store/database.ts'

/** Simulated traffic: actions at a rate, the same ones for the same seed. */
export type Activity = DueSource & {
  rate(): { readonly perMinute: number }
  setRate(perMinute: number): void
  settled(): Promise<void>
  reload(): void
}

type Kept = {
  readonly perMinute: number
  /** The number of steps so far; it determines the next one. */
  readonly step: number
  readonly nextAt: number
}

const none: Kept = { perMinute: 0, step: 0, nextAt: 0 }
const minuteMs = 60_000

const comments: readonly [string, ...string[]] = [
  'coffee',
  'lunch, my share',
  'rent',
  'for the tickets',
  'order 1042',
  'thank you',
  'subscription',
  'invoice 7',
  'refund',
  'savings',
]

export function createActivity(deps: {
  readonly network: NetworkName
  readonly seed: string
  readonly store: ControlStore
  readonly clock: Clock
  readonly actions: Actions
  readonly gate: Gate
  readonly onError: (error: unknown) => void
}): Activity {
  const { network, clock, store } = deps
  const name = `activity.${network}`
  let kept = read()
  let underWay: Promise<void> | null = null

  function read(): Kept {
    return (store.get(name) as Kept | undefined) ?? none
  }

  function keep(next: Kept): void {
    store.set(name, next)
    kept = next
  }

  async function takeStep(): Promise<void> {
    await deps.gate.shared(async () => {
      const { perMinute, step, nextAt } = kept
      const now = clock.now()
      if (perMinute === 0 || nextAt > now) return
      const interval = minuteMs / perMinute
      // Stored first, so that a failing step is not retried for ever. Steps missed while stopped
      // are lost.
      keep({ perMinute, step: step + 1, nextAt: Math.max(nextAt + interval, now) })
      try {
        await perform(randomFrom(deps.seed, network, step), deps.actions)
      } catch (error) {
        // A wallet without money skips its steps.
        if (!(error instanceof HttpProblem)) deps.onError(error)
      }
    })
  }

  return {
    nextDue: () => (kept.perMinute === 0 || underWay !== null ? null : kept.nextAt),
    async runDue() {
      underWay ??= takeStep().finally(() => {
        underWay = null
      })
      await underWay
    },
    rate: () => ({ perMinute: kept.perMinute }),
    setRate(perMinute) {
      const nextAt = clock.now() + (perMinute === 0 ? 0 : minuteMs / perMinute)
      keep({ perMinute, step: kept.step, nextAt })
    },
    async settled() {
      await underWay
    },
    reload() {
      kept = read()
    },
  }
}

async function perform(random: Random, actions: Actions): Promise<void> {
  const [first, ...rest] = developmentWallets.filter(({ name }) => name !== 'merchant')
  if (first === undefined) return
  const from = random.pick([first, ...rest])
  const [other = first, ...others] = [first, ...rest].filter((wallet) => wallet !== from)
  const to = random.pick([other, ...others])
  const kind = random.below(100)
  if (kind < 70) {
    await actions.send({
      from,
      to: to.address,
      amount: BigInt(1 + random.below(100)) * 10_000_000n,
      currency: 'TON',
      comment: random.below(4) === 0 ? undefined : random.pick(comments),
    })
  } else if (kind < 90) {
    await actions.send({
      from,
      to: to.address,
      amount: BigInt(1 + random.below(500)) * 10_000n,
      currency: 'USDT',
      comment: random.below(2) === 0 ? undefined : random.pick(comments),
    })
  } else if (kind < 96) {
    await actions.opcode({ from, opcode: 0x10000000 + random.below(8) })
  } else {
    await actions.deploy({ from })
  }
}

/** Deterministic pseudo-random numbers: the same for the same words on every machine. */
type Random = {
  below(below: number): number
  pick<T>(items: readonly [T, ...T[]]): T
}

function randomFrom(...words: readonly (string | number)[]): Random {
  let state = createHash('sha256').update(words.join('\n')).digest()
  let offset = 0

  function below(limit: number): number {
    if (offset + 4 > state.length) {
      state = createHash('sha256').update(state).digest()
      offset = 0
    }
    const drawn = state.readUInt32BE(offset)
    offset += 4
    return Math.floor((drawn / 2 ** 32) * limit)
  }

  return {
    below,
    pick: (items) => items[below(items.length)] ?? items[0],
  }
}
