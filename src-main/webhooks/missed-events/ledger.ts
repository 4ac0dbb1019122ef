import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { withLabels } from '../base-room.ts'
import type { Room, WebhookRoom } from '../room.ts'
import type { CheckRunDeps } from './check-run.ts'
import { createChecks, type Checks } from './checks.ts'
import { createSchedules } from './schedules.ts'
import { readListText } from '../../ton/list-text.ts'
import { type RebuildDeps, rebuild } from './rebuild.ts'
import { createMutex } from '../../../src-preload/domain/mutex.ts'

export type Ledger = ReturnType<typeof createLedger>

export function createLedger(
  deps: CheckRunDeps & RebuildDeps & Omit<WebhookRoom, 'files' | 'refuseWhileMoving' | 'settings'>,
) {
  const checks = createChecks(deps, (check) => schedules.ended(check))
  const schedules = createSchedules(deps, checks)
  const findings = createFindings(deps, (id) => checks.find(id))
  const handlers: Pick<Handlers, Extract<keyof Handlers, `ledger.${string}`>> = {
    ...{ ...checks.handlers, ...findings, ...schedules.handlers },
  }
  return {
    handlers,
    start: () => schedules.start(),
    /** Starts due checks without waiting for the timer. */
    runDue: () => schedules.runDue(),
    moved(network: NetworkId, from: string, to: string): void {
      checks.moved(network, from, to)
      schedules.moved(network, from, to)
    },
    async forget(network: NetworkId): Promise<void> {
      schedules.forget(network)
      await checks.forget(network)
    },
    stop: () => schedules.stop(),
  }
}

function createFindings(deps: RebuildDeps & Room<'labelsOf'>, find: Checks['find']) {
  const findings = deps.store.ledgerFindings
  /** Rebuilds run one after another, so that each skips what earlier ones rebuilt. */
  const rebuilds = createMutex()

  return {
    'ledger.events'({ id, filter, ...page }) {
      const { network, events, counts } = find(id)
      const { verdict, account, text } = filter
      const sought = text.trim() === '' ? null : readListText(text)
      const asked = { check: id, network, verdict, account, text: sought }
      const isCounted = account === null && sought === null
      const known = verdict === null ? events : counts[verdict]
      return {
        total: isCounted ? known : findings.count(asked),
        events: withLabels(deps, network, findings.events(asked, page)),
      }
    },
    'ledger.histogram'({ id, steps }) {
      return findings.histogram(find(id), steps)
    },
    'ledger.accounts'({ id, only, ...page }) {
      const { network } = find(id)
      return {
        total: findings.countAccounts(id, only),
        accounts: withLabels(deps, network, findings.accounts(id, only, page)),
      }
    },
    'ledger.rebuild'({ id, events }) {
      const check = find(id)
      return rebuilds.run(() => rebuild(check, 'all' in events ? null : events, deps))
    },
  } satisfies Partial<Handlers>
}
