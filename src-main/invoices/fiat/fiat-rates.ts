/**
 * Loads the gateway's rates for the times of payments once, while the settings choose a fiat currency. One
 * request covers all payments of an asset within a week, because the gateway spreads at most 200 rates over it.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { type Currency, decimalsOf } from '../../../src-preload/domain/amount.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import {
  type FiatCurrency,
  nearestPoint,
  rateSpanMs,
  reachMs,
} from '../../../src-preload/domain/fiat.ts'
import type { QueryOptions } from '../../gateway/query.ts'
import { slicesOf } from '../../database/pages.ts'
import { mainUsdtMaster } from '../chain/transfers.ts'
import type { InvoicesContext } from '../context.ts'
import type { InvoicesRoom } from '../invoices-room.ts'
import type { RatesOf } from '../store/fiat-rates.ts'
import type { ChosenFiat } from './fiat-view.ts'

/** New payments wait for this time, so that they share a request. */
const everyMs = 60_000
const retryMs = 10 * 60_000
const keysAtOnce = 5000
const rowsAtOnce = 1000

type State = {
  readonly fiat: FiatCurrency
  /** Payments up to this key have their rates. */
  doneTo: number
  notBefore: number
  problems: ChosenFiat['problems']
}

/** Groups sorted times so that one request covers each group. */
export function windowsOf(moments: Iterable<number>): number[][] {
  const windows: number[][] = []
  for (const at of [...new Set(moments)].sort((a, b) => a - b)) {
    const last = windows.at(-1)
    if (last?.[0] !== undefined && at - last[0] <= rateSpanMs) last.push(at)
    else windows.push([at])
  }
  return windows
}

export function createFiat(
  { access, networks, now, onBug, settings, store }: InvoicesContext,
  { changes, clock, requests }: Pick<InvoicesRoom, 'changes' | 'clock' | 'requests'>,
) {
  const states = new Map<NetworkId, State>()
  const chosen = () => settings.get().reports.fiatCurrency

  function stateOf(network: NetworkId, fiat: FiatCurrency): State {
    const existing = states.get(network)
    if (existing?.fiat === fiat) return existing
    const state: State = { fiat, doneTo: 0, notBefore: 0, problems: {} }
    states.set(network, state)
    return state
  }

  function tokenOf(network: NetworkId, asset: Currency): string {
    if (asset === 'TON') return 'ton'
    if (access.info(network).kind === 'mainnet') return mainUsdtMaster
    const master = store.accounts.usdtMaster(network)
    if (master !== null) return master
    throw new AppError('FIAT_TOKEN', 'The address of the USDT contract is not known yet.')
  }

  /** Returns the times of payments whose rates are not stored. */
  async function missingOf(network: NetworkId, state: State, newest: number) {
    const moments: Record<Currency, Set<number>> = { TON: new Set(), USDT: new Set() }
    for (let after = state.doneTo; after < newest; after += keysAtOnce) {
      const upTo = Math.min(newest, after + keysAtOnce)
      for (const { at, currency } of store.fiatRates.missing(network, state.fiat, after, upTo)) {
        moments[currency].add(at)
      }
      await yieldToEventLoop()
    }
    return moments
  }

  async function load(of: RatesOf, moments: readonly number[], signal: AbortSignal) {
    const { network, asset, fiat } = of
    const [first = 0, last = first] = [moments[0], moments.at(-1)]
    const queryOptions: QueryOptions = { priority: 'job', owner: 'invoices/rates', signal }
    const points = await access.query(network).ratesChart(
      {
        token: tokenOf(network, asset),
        currency: fiat,
        from: first - reachMs,
        // The future has no rates.
        to: Math.min(last + reachMs, Math.max(last, clock.now(network))),
      },
      queryOptions,
    )
    for (const some of slicesOf(moments, rowsAtOnce)) {
      signal.throwIfAborted()
      store.fiatRates.addAll(
        of,
        some.map((at) => {
          const point = nearestPoint(points, at)
          return { at, rate: point?.rate ?? null, rateAt: point?.at ?? null }
        }),
      )
      await yieldToEventLoop()
    }
  }

  /** A problem with one asset does not prevent loading the other. */
  async function loadAll(network: NetworkId, state: State, signal: AbortSignal): Promise<void> {
    const { fiat } = state
    const newest = store.fiatRates.newestPayment()
    state.notBefore = now() + everyMs
    const missing = await missingOf(network, state, newest)
    for (const asset of Object.keys(decimalsOf) as Currency[]) {
      const before = state.problems[asset]
      const windows = windowsOf(missing[asset])
      try {
        for (const moments of windows) {
          if (chosen() !== fiat) return
          await load({ network, asset, fiat }, moments, signal)
        }
        state.problems = { ...state.problems, [asset]: undefined }
      } catch (error) {
        signal.throwIfAborted()
        const why = error instanceof AppError ? error.message : 'The log has the details.'
        state.problems = { ...state.problems, [asset]: why }
        if (!(error instanceof AppError)) onBug(error)
        state.notBefore = now() + retryMs
      }
      if (windows.length > 0 || before !== state.problems[asset]) {
        changes.payments(network)
        changes.invoices(network, null)
      }
    }
    if (Object.values(state.problems).every((why) => why === undefined)) state.doneTo = newest
  }

  return {
    chosen: (network: NetworkId): ChosenFiat | null => {
      const fiat = chosen()
      return fiat && { currency: fiat, problems: stateOf(network, fiat).problems }
    },
    tick(): void {
      const fiat = chosen()
      if (fiat === null) return
      const newest = store.fiatRates.newestPayment()
      for (const { id } of networks.state().networks) {
        const state = stateOf(id, fiat)
        // After the clock was set back the rates are due.
        const isEarly = now() < state.notBefore && now() > state.notBefore - 2 * retryMs
        if (isEarly || newest <= state.doneTo || requests.isRunning(id, 'rates')) continue
        const run = (signal: AbortSignal) => loadAll(id, state, signal)
        requests.start(id, { key: 'rates', run }).catch(() => undefined)
      }
    },
    /**
     * Call this when payments were deleted: SQLite assigns the highest keys again, so all payments
     * are checked once more.
     */
    forget: () => states.clear(),
  }
}
