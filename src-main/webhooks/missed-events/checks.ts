import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { MissedCheck } from '../../../src-preload/contract/ledger.ts'
import { ledgerCodes } from '../../../src-preload/domain/error-codes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { CheckRecord, NewCheck } from '../store/ledger-checks.ts'
import { slicesOf } from '../../database/pages.ts'
import type { Room } from '../room.ts'
import { type CheckRunDeps, createCheckWork } from './check-run.ts'

export type Checks = ReturnType<typeof createChecks>

const accountsAtOnce = 2000
const noAccounts = (message: string) => new AppError(ledgerCodes.noAccounts, message)

export function createChecks(
  deps: CheckRunDeps & Room<'events' | 'jobs' | 'onBug' | 'takeDraft'>,
  onDone: (check: CheckRecord) => void,
) {
  const { book, store } = deps
  const checks = store.ledgerChecks
  const jobs = deps.jobs.add({
    noun: 'check',
    unknownCode: ledgerCodes.unknown,
    table: checks,
    items: checks,
    work: (check: CheckRecord, control) => createCheckWork(check, control, deps),
    left: ({ accounts, checked }) => accounts - checked,
    show({ isWhole, scope, ...check }): MissedCheck {
      const isCounted = isWhole || scope === 'list'
      return { ...check, secondsLeft: isCounted ? check.secondsLeft : null }
    },
    onChanged: (changed) => deps.events.emit('ledger.changed', { checks: changed }),
    onRemoved: (id) => deps.events.emit('ledger.removed', { id }),
    onEnd(check) {
      if (check.state === 'done') onDone(check)
    },
    beforeResume({ id, state, unread }) {
      if (state === 'done' && unread === 0) {
        throw new AppError(
          ledgerCodes.notNow,
          'This check is finished. Start a new check for later deliveries.',
        )
      }
      checks.retry(id)
      return true
    },
  })

  function begin(check: Omit<NewCheck, 'endpoint' | 'isHere' | 'createdAt'>): number {
    const { endpoint, isHere } = book.find(check.network, check.webhook)
    // Block times are whole seconds, so the span is extended to them.
    const from = Math.floor(check.from / 1000) * 1000
    const to = Math.ceil(check.to / 1000) * 1000
    return checks.begin({ ...check, from, to, endpoint, isHere, createdAt: deps.now() })
  }

  async function listOf(
    network: NetworkId,
    accounts: { readonly list: readonly string[] } | { readonly draft: string },
  ): Promise<readonly string[]> {
    if ('list' in accounts) return [...new Set(accounts.list)]
    const taken = await deps.takeDraft(accounts.draft)
    if (taken.network !== network) {
      throw noAccounts('This list was made for another network. Create a new one for this network.')
    }
    if (taken.addresses.length > 0) return [...new Set(taken.addresses)]
    throw noAccounts('There is no account to check: no line has a valid address.')
  }

  return {
    find: (id: number) => jobs.find(id),
    remove: (id: number) => jobs.remove(id),
    retry: (id: number) => jobs.restart(id),
    /** @throws AppError WEBHOOK_UNKNOWN */
    startScheduled(
      check: Pick<NewCheck, 'network' | 'webhook' | 'from' | 'to' | 'lateAfterMs'>,
    ): void {
      jobs.begin(begin({ ...check, scope: 'all', isScheduled: true })).catch(deps.onBug)
    },
    moved(network: NetworkId, from: string, to: string): void {
      const moved = checks.list({ network, webhook: from })
      checks.move(network, from, to)
      for (const { id } of moved) {
        // A running check still queries by the old id.
        if (jobs.isRunning(id)) jobs.restart(id).catch(deps.onBug)
        jobs.notify(id)
      }
    },
    forget: (network: NetworkId) => jobs.removeAll({ network }),
    handlers: {
      async 'ledger.start'({ network, webhook, accounts, from, to, lateAfterMs }) {
        deps.access.info(network)
        book.find(network, webhook)
        const end = to ?? (await deps.chainNow(network))
        if (from >= end) {
          throw new AppError(ledgerCodes.notNow, 'The end of the period is before its start.')
        }
        const span = { network, webhook, from, to: end, lateAfterMs, isScheduled: false }
        if ('all' in accounts || 'failing' in accounts) {
          return jobs.begin(begin({ ...span, scope: 'all' in accounts ? 'all' : 'failing' }))
        }
        const list = await listOf(network, accounts)
        const id = begin({ ...span, scope: 'list' })
        function* writing(): Generator<void, void> {
          for (const slice of slicesOf(list, accountsAtOnce)) {
            checks.addAccounts(id, slice)
            yield
          }
          checks.finish(id)
        }
        return jobs.begin(id, writing())
      },
      ...jobs.routes('ledger', 'list', 'get', 'resume', 'cancel', 'remove'),
    } satisfies Partial<Handlers>,
  }
}
