import type { ForwardAttempt, ForwardDelivery } from '../../src-preload/contract/forward.ts'
import { localTime } from './capture-line.ts'
import type { Session } from './session.ts'
import { plain } from './terminal.ts'

type ForwardResult = {
  readonly delivery: ForwardDelivery
  readonly attempt: ForwardAttempt
  /** From 1. */
  readonly number: number
}

export type ForwardFollower = {
  /** From now on what is forwarded of this capture is told. */
  watch(capture: number): void
  /** Those of which more is to come. */
  readonly open: () => number
  /** Tells what is known by now, then stops. */
  finish(): Promise<void>
  readonly failed: Promise<never>
}

/** Of captures that wait for a target that is down: the oldest are told no more. */
const maxWatched = 5_000

/** What becomes of each capture that a rule forwards, try by try, in the order of the tries. */
export async function followForwards(
  session: Session,
  rule: number,
  print: (result: ForwardResult) => Promise<void>,
): Promise<ForwardFollower> {
  /** Tries told of each delivery, by capture. */
  const watched = new Map<number, Map<string, number>>()
  const wanted = new Set<number>()
  let running: Promise<void> | null = null
  let fail: (error: unknown) => void = () => undefined
  const failed = new Promise<never>((_resolve, reject) => (fail = reject))
  failed.catch(() => undefined)

  const stop = await session.on((messages) => {
    for (const message of messages) {
      if (message.name !== 'forward.changed') continue
      const { captures } = message.payload
      for (const id of captures ?? watched.keys()) if (watched.has(id)) wanted.add(id)
    }
    wake()
  })

  function wake(): void {
    if (running !== null || wanted.size === 0) return
    running = pump()
      .catch(fail)
      .finally(() => {
        running = null
        wake()
      })
  }

  async function pump(): Promise<void> {
    for (const id of [...wanted].sort((a, b) => a - b)) {
      wanted.delete(id)
      await look(id)
    }
  }

  async function look(id: number): Promise<void> {
    const told = watched.get(id)
    if (told === undefined) return
    const deliveries = (await session.call('forward.ofCapture', { id })).filter(
      (each) => each.rule === rule,
    )
    for (const { tries, ...delivery } of deliveries) {
      const before = told.get(delivery.deliveryId) ?? 0
      const fresh = tries.slice(0, Math.max(0, delivery.attempts - before)).reverse()
      for (const [index, attempt] of fresh.entries()) {
        await print({ delivery, attempt, number: delivery.attempts - fresh.length + index + 1 })
      }
      told.set(delivery.deliveryId, delivery.attempts)
    }
    const isOver = ({ state }: ForwardDelivery) => state === 'delivered' || state === 'dropped'
    if (deliveries.length > 0 && deliveries.every(isOver)) watched.delete(id)
  }

  return {
    failed,
    open: () => watched.size,
    watch(capture) {
      watched.set(capture, new Map())
      if (watched.size > maxWatched) watched.delete(watched.keys().next().value ?? 0)
      wanted.add(capture)
      wake()
    },
    async finish() {
      stop()
      for (const id of watched.keys()) wanted.add(id)
      wake()
      while (running !== null) await running
    },
  }
}

/** One try on one line. */
export function forwardLine({ delivery, attempt, number }: ForwardResult): string {
  const { status, durationUs, problem } = attempt.answer
  const words = [
    localTime(attempt.at),
    '<-',
    `#${delivery.capture}`.padEnd(7),
    plain(delivery.target),
    status === null ? 'no answer' : String(status),
    `${(durationUs / 1000).toFixed(1)} ms`,
    [
      problem === null ? null : plain(problem),
      number > 1 ? `try ${number}` : null,
      delivery.state === 'waiting' && delivery.mode === 'after' ? 'will be tried again' : null,
      delivery.state === 'dropped' ? 'given up' : null,
    ]
      .filter((word) => word !== null)
      .join(', '),
  ]
  return words.join('  ').trimEnd()
}
