/** Checks for missed events: begun, run, taken up again, removed. */
import { setImmediate as breathe } from 'node:timers/promises'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { MissedCheck } from '../../../src-preload/contract/ledger.ts'
import { ledgerCodes } from '../../../src-preload/domain/error-codes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { createJobRuns } from '../../jobs/job-runs.ts'
import type { CheckRecord, NewCheck } from '../store/ledger-checks.ts'
import type { GatewayAccess } from '../parts.ts'
import { type CheckRun, type CheckRunDeps, createCheckRun } from './check-run.ts'

export type ChecksDeps = CheckRunDeps & {
  readonly access: Pick<GatewayAccess, 'query' | 'info'>
  /** What a list being typed or read has of valid addresses. @throws AppError LOOKUP_DRAFT_UNKNOWN */
  readonly takeDraft: (
    id: string,
  ) => Promise<{ readonly network: NetworkId; readonly addresses: readonly string[] }>
  readonly onChanged: (checks: readonly MissedCheck[]) => void
  readonly onRemoved: (id: number) => void
  /** It ran to its end. */
  readonly onDone: (check: CheckRecord) => void
}

type CheckRoute =
  | 'ledger.start'
  | 'ledger.list'
  | 'ledger.get'
  | 'ledger.resume'
  | 'ledger.cancel'
  | 'ledger.remove'

export type Checks = {
  readonly handlers: Pick<Handlers, CheckRoute>
  /** @throws AppError LEDGER_CHECK_UNKNOWN */
  find(id: number): CheckRecord
  /** One that waits for what a person was to do tries whether it can go on. */
  retry(id: number): Promise<void>
  /** Of all its accounts. @throws AppError WEBHOOK_UNKNOWN */
  startScheduled(check: Pick<NewCheck, 'network' | 'webhook' | 'from' | 'to' | 'lateAfterMs'>): void
  /** Takes up what ran when the app ended, and clears away what a kill has left half made. */
  resumeAll(): void
  /** With all that was found; captures stay. */
  remove(id: number): Promise<void>
  /** The webhook goes on under another id. */
  moved(network: NetworkId, from: string, to: string): void
  forget(network: NetworkId): Promise<void>
  stop(): Promise<void>
}

const accountsAtOnce = 2000
const shortGraceMs = 1000

export function createChecks(deps: ChecksDeps): Checks {
  const { checks, book } = deps
  const runs = createJobRuns<CheckRun>({
    ...deps,
    make: (id) => createCheckRun(find(id), { ...deps, onChanged: () => runs.tell(id) }),
    stateOf: (id) => checks.get(id)?.state ?? null,
    setState(id, change) {
      checks.setState(id, change)
      if (change.state === 'done') deps.onDone(find(id))
    },
    emit: (ids) => deps.onChanged(ids.flatMap((id) => checks.get(id) ?? []).map(show)),
  })

  function find(id: number): CheckRecord {
    const check = checks.get(id)
    if (check !== null) return check
    throw new AppError(ledgerCodes.unknown, 'There is no such check. It may have been removed.')
  }

  function show({ isWhole, scope, ...check }: CheckRecord): MissedCheck {
    const run = runs.get(check.id)
    if (run === undefined || check.state !== 'running') {
      return { ...check, rate: null, secondsLeft: null }
    }
    const rate = run.rate()
    const left = check.accounts - check.checked
    const isKnown = isWhole || scope === 'list'
    const secondsLeft = rate === null || rate === 0 || !isKnown ? null : Math.ceil(left / rate)
    return { ...check, problem: run.problem(), rate, secondsLeft }
  }

  const read = (id: number) => show(find(id))

  function begin(check: Omit<NewCheck, 'endpoint' | 'isHere' | 'createdAt'>): number {
    const { endpoint, isHere } = book.find(check.network, check.webhook)
    // Blocks are dated by the second: one of the span's first or last may be of it.
    const from = Math.floor(check.from / 1000) * 1000
    const to = Math.ceil(check.to / 1000) * 1000
    return checks.begin({ ...check, from, to, endpoint, isHere, createdAt: deps.now() })
  }

  function run(id: number): void {
    runs.start(id)
    runs.tell(id)
  }

  async function listOf(
    network: NetworkId,
    accounts: { readonly list: readonly string[] } | { readonly draft: string },
  ): Promise<readonly string[]> {
    const given =
      'list' in accounts
        ? { network, addresses: accounts.list }
        : await deps.takeDraft(accounts.draft)
    if (given.network !== network) {
      throw new AppError(
        ledgerCodes.noAccounts,
        'This list was made for another network. Make it anew for this one.',
      )
    }
    const list = [...new Set(given.addresses)]
    if (list.length > 0) return list
    throw new AppError(
      ledgerCodes.noAccounts,
      'There is no account to check: none of the lines holds a valid address.',
    )
  }

  async function clear(id: number): Promise<void> {
    while (checks.removeSome(id)) await breathe()
  }

  async function remove(id: number): Promise<void> {
    await runs.halt(id, 0)
    checks.remove(id)
    deps.onRemoved(id)
    void clear(id).catch(deps.onBug)
  }

  return {
    find,
    remove,
    retry: (id) => runs.resume(id),
    startScheduled: (check) => run(begin({ ...check, scope: 'all', isScheduled: true })),
    resumeAll() {
      for (const id of checks.orphans()) void clear(id).catch(deps.onBug)
      for (const { id, state } of checks.list()) if (state === 'running') runs.start(id)
    },
    moved(network, from, to) {
      const moved = checks.list(network).filter(({ webhook }) => webhook === from)
      checks.move(network, from, to)
      for (const { id } of moved) {
        // One that runs asks by the id from before.
        if (runs.get(id) !== undefined) runs.resume(id).catch(deps.onBug)
        runs.tell(id)
      }
    },
    async forget(network) {
      for (const { id } of checks.list(network)) await remove(id)
    },
    stop: () => runs.stop(),
    handlers: {
      async 'ledger.start'({ network, webhook, accounts, from, to, lateAfterMs }) {
        deps.access.info(network)
        book.find(network, webhook)
        const end = to ?? (await deps.chainNow(network))
        if (from >= end) {
          throw new AppError(ledgerCodes.notNow, 'The span ends before it begins: choose another.')
        }
        const span = { network, webhook, from, to: end, lateAfterMs, isScheduled: false }
        if ('all' in accounts || 'failing' in accounts) {
          const id = begin({ ...span, scope: 'all' in accounts ? 'all' : 'failing' })
          run(id)
          return read(id)
        }
        const list = await listOf(network, accounts)
        const id = begin({ ...span, scope: 'list' })
        for (let at = 0; at < list.length; at += accountsAtOnce) {
          checks.addAccounts(id, list.slice(at, at + accountsAtOnce))
          await breathe()
        }
        checks.finish(id)
        run(id)
        return read(id)
      },
      'ledger.list': ({ network }) => checks.list(network).map(show),
      'ledger.get': ({ id }) => read(id),
      async 'ledger.resume'({ id }) {
        const { state, unread } = find(id)
        if (state === 'running' && runs.get(id) !== undefined) return read(id)
        if (state === 'done' && unread === 0) {
          throw new AppError(
            ledgerCodes.notNow,
            'This check is done, and every account of it was read. Start another for what came since.',
          )
        }
        await runs.resume(id, () => checks.retry(id))
        return read(id)
      },
      async 'ledger.cancel'({ id }) {
        const { state } = find(id)
        if (state !== 'done' && state !== 'cancelled') await runs.cancel(id, shortGraceMs)
        return read(id)
      },
      async 'ledger.remove'({ id }) {
        find(id)
        await remove(id)
        return {}
      },
    },
  }
}
