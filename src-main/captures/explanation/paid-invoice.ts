/** Finds the invoices that captures' transactions pay, even when the ledger learns of the payment later. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { TransactionResult } from '../../../src-preload/contract/chain/transaction.ts'
import { createBackgroundLoop } from '../../jobs/background-loop.ts'
import { causedBy } from './facts.ts'
import type { ExplanationDeps, PaidTransaction } from './requests.ts'

export type PaidInvoices = ReturnType<typeof createPaidInvoices>

/** Limits: transactions of a trace, payments of an invoice, captures of an invoice. */
const [maxCaused, maxPayments, maxCaptures] = [100, 20, 100]
/** Limits of payments read when many invoices have changed, in all and in one step. */
const [maxSwept, sweepStep] = [5000, 100]

export function createPaidInvoices(
  deps: ExplanationDeps,
  onChanged: (ids: readonly number[]) => void,
) {
  const { meanings, invoices } = deps
  const waiting = new Map<NetworkId, Set<string> | null>()

  const invoice = (network: NetworkId, answer: TransactionResult) =>
    paidBy(causedBy(answer), (account, lt) => invoices.paidBy(network, account, lt))

  function capturesOf(network: NetworkId, { account, lt, hash }: PaidTransaction): number[] {
    const own = invoices.capturesOfEvent(account, lt)
    const nodes = deps.reader.kept(network, hash)?.answer.trace?.nodes ?? []
    const others = nodes
      .slice(0, maxCaused)
      .filter((node) => node.hash !== null && node.hash !== hash)
      .flatMap((node) => invoices.capturesOfEvent(node.account.address, node.lt))
    return [...own, ...others]
  }

  function refresh(network: NetworkId, ids: Iterable<number>): number[] {
    const rows = meanings.byIds([...new Set(ids)])
    const changed: number[] = []
    for (const { capture, hash, facts, network: own } of rows.values()) {
      if (own !== network || hash === null || facts.state !== 'known') continue
      const stored = deps.reader.kept(network, hash)
      const paid = stored === null ? facts.invoice : invoice(network, stored.answer)
      if (paid === facts.invoice) continue
      meanings.setInvoice(capture, paid)
      changed.push(capture)
    }
    return changed
  }

  /** An invoice's delivery belongs to the network whose ledger contains the invoice. */
  function takeNetworks(ids: readonly number[]): number[] {
    const rows = [...meanings.byIds(ids).values()].flatMap((row) => {
      const network = invoices.reportedTo(row.capture)
      const isOther = (row.by === null || row.by === 'invoice') && network !== row.network
      return isOther
        ? [{ ...row, network, by: network === null ? null : ('invoice' as const) }]
        : []
    })
    if (rows.length > 0) meanings.write(rows)
    return rows.map(({ capture }) => capture)
  }

  function refreshOne(network: NetworkId, id: string): number[] {
    const paying = invoices.paymentsOf(network, id, maxPayments)
    const touched = paying.flatMap((payment) => capturesOf(network, payment))
    return [
      ...refresh(network, [...meanings.ofInvoice(network, id, maxCaptures), ...touched]),
      ...takeNetworks(invoices.capturesOf(network, id, maxCaptures)),
    ]
  }

  async function sweep(network: NetworkId, signal: AbortSignal): Promise<void> {
    let before: { at: number; key: number } | null = null
    for (let swept = 0; swept < maxSwept && !signal.aborted; swept += sweepStep) {
      const payments = invoices.latest(network, before, sweepStep)
      const captures = payments.flatMap((payment) => capturesOf(network, payment))
      announce(refresh(network, captures))
      before = payments.at(-1) ?? null
      if (payments.length < sweepStep) return
      await yieldToEventLoop()
    }
  }

  const loop = createBackgroundLoop(async (signal) => {
    for (const [network, ids] of waiting) {
      waiting.delete(network)
      if (ids === null) await sweep(network, signal)
      for (const id of ids ?? []) {
        if (signal.aborted) return
        announce(refreshOne(network, id))
        await yieldToEventLoop()
      }
    }
  }, deps.onBug)

  function announce(ids: readonly number[]): void {
    if (ids.length > 0) onChanged(ids)
  }

  return {
    invoice,
    refresh: (network: NetworkId, capture: number) => announce(refresh(network, [capture])),
    /**
     * Call this when the ledger has changed these invoices; null means many. The work runs in the
     * background.
     */
    changed: (network: NetworkId, ids: readonly string[] | null): void => {
      const before = waiting.get(network)
      const isAll = ids === null || before === null
      waiting.set(network, isAll ? null : new Set([...(before ?? []), ...ids]))
      loop.run()
    },
    stop: loop.stop,
  }
}

/** The invoice that the transaction pays, else the only one that the caused transactions pay. */
function paidBy(
  [own, ...caused]: ReturnType<typeof causedBy>,
  invoiceOf: (account: string, lt: string) => string | null,
): string | null {
  const paid = own === undefined ? null : invoiceOf(own.account, own.lt)
  if (paid !== null) return paid
  const all = caused
    .slice(0, maxCaused - 1)
    .flatMap(({ account, lt }) => invoiceOf(account, lt) ?? [])
  const [first, second] = new Set(all)
  return first === undefined || second !== undefined ? null : first
}
