import { type SandboxClock, type Scheduler, lastMoment } from '../clock.ts'
import { HttpProblem } from '../http.ts'
import {
  advanceInput,
  clockInput,
  idleInput,
} from '../../../src-preload/contract/sandbox-control.ts'
import type { Networks } from './control-api.ts'
import { postBody, withBody } from './request.ts'

/** Handles the clock of the control API, and waits until nothing is due. */
export function createTimeRoute(deps: {
  readonly networks: Networks
  readonly clock: SandboxClock
  readonly scheduler: Scheduler
}) {
  const { clock, scheduler } = deps
  const networks = Object.values(deps.networks)

  const state = () => ({
    mode: clock.mode,
    now: clock.now(),
    advance: isAdvancing() ? scheduler.progress() : null,
  })

  /** An advance by 0 ms only runs due work, so it is not reported. */
  function isAdvancing(): boolean {
    const progress = scheduler.progress()
    return progress !== null && progress.until !== progress.from
  }

  function describeAdvance(): string {
    const { until = null, stops = 0 } = scheduler.progress() ?? {}
    const end = until === null ? 'the next due moment' : new Date(until).toISOString()
    return `the clock is already being advanced, to ${end} (${stops} stops so far)`
  }

  /** @throws HttpProblem 409 while another advance is running, and if this one is cancelled */
  async function advance(by: { readonly ms: number } | 'next', signal?: AbortSignal) {
    if (isAdvancing()) {
      throw new HttpProblem(409, `${describeAdvance()}: wait until this is done, or cancel it`)
    }
    const { stops, isCancelled } = await scheduler.advance(by, signal)
    if (!isCancelled) return { now: clock.now(), stops }
    const at = new Date(clock.now()).toISOString()
    throw new HttpProblem(409, `the advance was cancelled after ${stops} stops, at ${at}`)
  }

  async function waitUntilIdle(timeoutMs: number, request: AbortSignal) {
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), request])
    const ended = Promise.withResolvers<undefined>()
    signal.addEventListener('abort', () => ended.resolve(undefined), { once: true })
    await Promise.race([becomeIdle(networks, scheduler, signal), ended.promise])
    const queues = networks.map(({ queue }) => queue.count())
    const waiting = queues.reduce((sum, count) => sum + count.waiting, 0)
    const failing = queues.reduce((sum, count) => sum + count.failing, 0)
    const retrying = networks.reduce((sum, { queue }) => sum + queue.retrying(), 0)
    if (!signal.aborted) return { now: clock.now(), waiting, failing, retrying }
    const reason = isAdvancing() ? describeAdvance() : 'GET /queue shows them'
    throw new HttpProblem(
      409,
      `the sandbox is not idle after ${timeoutMs} ms: ${waiting} deliveries are open. ${reason}; set timeoutMs to wait longer`,
    )
  }

  return {
    state,
    /** Moves a virtual clock past `until` in milliseconds. @throws HttpProblem 409 for a real clock */
    passTime: async (until: number): Promise<void> => {
      if (clock.mode === 'real') {
        throw new HttpProblem(
          409,
          'the invoice has not expired yet: cancel it, wait, or make the clock virtual',
        )
      }
      await advance({ ms: until - clock.now() })
    },
    routes: {
      '/clock': {
        GET: state,
        PUT: withBody(clockInput, ({ mode }) => {
          clock.setMode(mode)
          scheduler.poke()
          return state()
        }),
      },
      '/clock/advance': {
        POST: withBody(advanceInput, (by, context) => {
          if (clock.mode === 'real') {
            throw new HttpProblem(409, 'the clock is real: make it virtual to move it')
          }
          if ('byMs' in by && clock.now() + by.byMs > lastMoment) {
            throw new HttpProblem(409, 'the sandbox’s time ends with the year 2099')
          }
          return advance('byMs' in by ? { ms: by.byMs } : 'next', context.req.raw.signal)
        }),
        DELETE() {
          scheduler.cancelAdvance()
          return state()
        },
      },
      '/idle': postBody(idleInput, ({ timeoutMs }, context) =>
        waitUntilIdle(timeoutMs, context.req.raw.signal),
      ),
    },
  }
}

async function becomeIdle(
  networks: readonly Networks[keyof Networks][],
  scheduler: Scheduler,
  signal: AbortSignal,
): Promise<void> {
  const fingerprint = () =>
    JSON.stringify(networks.map(({ chain, queue }) => [chain.head().seqno, queue.count()]))
  let before: string
  do {
    before = fingerprint()
    await scheduler.runDue(signal)
    for (const { chain, queue, activity } of networks) {
      await chain.caughtUp()
      await activity.settled()
      await queue.settled()
    }
  } while (!signal.aborted && fingerprint() !== before)
}
