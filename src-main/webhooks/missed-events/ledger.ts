/** "Did I miss anything?": the chain, the gateway's counters and what arrived here, joined by lt. */
import type { Events, Handlers } from '../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { LedgerFindings } from '../store/ledger-findings.ts'
import { type ChecksDeps, createChecks } from './checks.ts'
import { type FindingsDeps, createFindings } from './findings.ts'
import { type SchedulesDeps, createSchedules } from './schedules.ts'

export type LedgerDeps = Omit<ChecksDeps, 'onChanged' | 'onRemoved' | 'onDone'> &
  Omit<FindingsDeps, 'find'> &
  Omit<SchedulesDeps, 'jobs'> & {
    readonly findings: LedgerFindings
    readonly emit: <N extends 'ledger.changed' | 'ledger.removed'>(
      name: N,
      payload: Events[N],
    ) => void
  }

export type Ledger = {
  readonly handlers: Pick<Handlers, Extract<keyof Handlers, `ledger.${string}`>>
  /** Goes on with what ran when the app ended, and waits for what is due. */
  start(): void
  /** Starts what is due, whatever the clock waits for. */
  runDue(): Promise<void>
  /** The webhook goes on under another id: its checks and its schedule with it. */
  moved(network: NetworkId, from: string, to: string): void
  /** With all that was found; captures stay. */
  forget(network: NetworkId): Promise<void>
  /** Ends what runs, to be gone on with. */
  stop(): Promise<void>
}

export function createLedger(deps: LedgerDeps): Ledger {
  const checks = createChecks({
    ...deps,
    onChanged: (changed) => deps.emit('ledger.changed', { checks: changed }),
    onRemoved: (id) => deps.emit('ledger.removed', { id }),
    onDone: (check) => schedules.ended(check),
  })
  const schedules = createSchedules({ ...deps, jobs: checks })
  const findings = createFindings({ ...deps, find: (id) => checks.find(id) })
  return {
    handlers: { ...checks.handlers, ...findings, ...schedules.handlers },
    start() {
      checks.resumeAll()
      schedules.start()
    },
    runDue: () => schedules.runDue(),
    moved(network, from, to) {
      checks.moved(network, from, to)
      schedules.moved(network, from, to)
    },
    async forget(network) {
      schedules.forget(network)
      await checks.forget(network)
    },
    async stop() {
      schedules.stop()
      await checks.stop()
    },
  }
}
