import type { Run } from '../../jobs/job-runs.ts'
import { type Outcome, stopped } from '../../jobs/outcome.ts'
import { createPace } from '../../jobs/pace.ts'
import { type Backoff, createBackoff } from '../../jobs/backoff.ts'
import { type GracefulStop, createGracefulStop } from '../../jobs/graceful-stop.ts'
import type { InvoiceJobItems } from '../store/invoice-job-items.ts'
import type { ApplicationIds, GatewayAccess, Ledger } from '../parts.ts'
import type { Mutex } from '../../../src-preload/domain/mutex.ts'

export type InvoiceRunDeps = {
  readonly access: Pick<GatewayAccess, 'invoices'>
  readonly ledger: Pick<Ledger, 'find' | 'record' | 'fetch' | 'addEvent'>
  readonly items: InvoiceJobItems
  readonly ids: ApplicationIds
  /** Of the network: one request to issue after another. */
  readonly turns: Mutex
  readonly now: () => number
  /** Rejects when aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>
  readonly onChanged: () => void
  readonly onBug: (error: unknown) => void
}

export type InvoiceRun = Run & {
  /** Invoices a second. */
  rate(): number | null
  /** Why it waits, and what happens next. */
  problem(): string | null
}

type Steps = {
  /** Null: there is more to do. What it throws ends the job, unless it was stopped meanwhile. */
  step(): Promise<Outcome | null>
  /** Until the next step. */
  restMs(): number
  /** What it is at, where that is not told by its pauses. */
  problem(): string | null
}

type Going = {
  readonly stopping: GracefulStop
  readonly backoff: Backoff
  /** One more was settled. */
  readonly settled: () => void
}

/** A job, step by step, each in its turn. */
export function createInvoiceRun(
  deps: Pick<InvoiceRunDeps, 'now' | 'wait' | 'onChanged' | 'onBug'>,
  begin: (going: Going) => Steps,
): InvoiceRun {
  const stopping = createGracefulStop(deps.wait)
  const backoff = createBackoff(deps.now)
  const pace = createPace(deps.now)
  const steps = begin({ stopping, backoff, settled: () => pace.count(1) })

  async function run(): Promise<Outcome> {
    for (;;) {
      const ms = Math.max(backoff.leftMs(), steps.restMs())
      if (ms > 0) await stopping.rest(ms)
      if (isHalted()) return stopped
      let end
      try {
        end = await steps.step()
      } catch (error) {
        if (isHalted()) return stopped
        end = breakOff(error)
      }
      deps.onChanged()
      if (end !== null) return end
    }
  }

  const isHalted = () => stopping.halt.aborted

  /** The disk is full, or a mistake of ours: going on would ask in vain. */
  function breakOff(error: unknown): Outcome {
    deps.onBug(error)
    const why = error instanceof Error ? error.message : String(error)
    return { state: 'failed', problem: `What was done could not be kept (${why}).` }
  }

  const outcome = run()
  return {
    outcome,
    stop: (graceMs) => stopping.stop(outcome, graceMs),
    rate: () => pace.rate(),
    problem: () => backoff.problem() ?? steps.problem(),
  }
}
