import { setImmediate as breathe } from 'node:timers/promises'
import type { Closing, ClosingRow } from '../../../src-preload/contract/matter.ts'
import type { InvoiceSync } from '../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { invoiceStatsCodes } from '../../../src-preload/domain/error-codes.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { PaymentView } from '../reconciliation/uncounted.ts'
import { duration, money } from '../reconciliation/words.ts'
import type { ClosingReader, ClosingSpan, Ledger } from '../parts.ts'
import { differenceOf } from './compare.ts'
import { type RowPlace, type Survey, survey } from './survey.ts'

type ClosingDeps = {
  readonly store: Pick<InvoiceStore, 'figures' | 'payments'>
  readonly ledger: Pick<Ledger, 'view'>
  readonly view: PaymentView
  readonly chain: (network: NetworkId) => Pick<InvoiceSync['chain'], 'readTo' | 'problem'>
  /** Increases with each change of the network's invoices and payments. */
  readonly version: (network: NetworkId) => number
  /** By the gateway's clock. */
  readonly now: (network: NetworkId) => number
}

const pageRows = 200

export function createClosing(deps: ClosingDeps): ClosingReader {
  const { store, ledger, view } = deps
  let last: { key: string; found: Promise<Survey> } | null = null

  /** Keeps the last period's result until the network's data changes, because its pages share it. */
  async function surveyOf(span: ClosingSpan, signal?: AbortSignal): Promise<Survey> {
    const { network, from, to } = span
    const key = `${network} ${from} ${to} ${deps.version(network)}`
    if (last?.key === key) {
      try {
        return await last.found
      } catch {
        // Another caller may have aborted the shared survey; only this caller's signal counts.
        signal?.throwIfAborted()
      }
    }
    const entry = { key, found: survey(store, network, { from, to }, signal) }
    last = entry
    return entry.found.catch((error: unknown) => {
      if (last === entry) last = null
      throw error
    })
  }

  function problemsOf(span: ClosingSpan, { guesses }: Survey): string[] {
    const { network, to, zone } = span
    const { readTo, problem } = deps.chain(network)
    const problems: string[] = []
    if (to > deps.now(network)) problems.push('The period has not ended yet.')
    if (readTo === null) problems.push('The chain was not read of every address yet.')
    else if (readTo < to) {
      const behind = duration(Math.max(1000, to - readTo))
      problems.push(
        `The chain was read up to ${momentIn(readTo, zone)}, ${behind} before the period’s end.`,
      )
    }
    if (problem !== null) problems.push(problem)
    if (guesses > 0) {
      const [what, are] = guesses === 1 ? ['One payment', 'is'] : [`${guesses} payments`, 'are']
      problems.push(`${what} of the period ${are} linked by a guess.`)
    }
    return problems
  }

  function toRows(span: ClosingSpan, places: readonly RowPlace[]): ClosingRow[] {
    const keysOf = (kind: RowPlace['kind']) =>
      places.flatMap((place) => (place.kind === kind ? [place.key] : []))
    const invoices = store.figures.byKeys(keysOf('invoice'))
    const shown = new Map(
      ledger.view(span.network, invoices).map((each, index) => [invoices[index]?.key, each]),
    )
    const stored = [
      ...store.payments.ofInvoices(invoices.map(({ key }) => key)),
      ...store.payments.some(keysOf('payment')),
    ]
    const payments = view(span.network, stored)
    return places.flatMap(({ kind, key }): ClosingRow[] => {
      if (kind === 'payment') {
        const index = stored.findIndex((each) => each.key === key)
        const [one, alone] = [stored[index], payments[index]]
        if (one === undefined || alone === undefined) return []
        const much = money(one.amount, one.currency)
        const text =
          alone.names === null
            ? `${much} came and belongs to no invoice.`
            : `${much} came for invoice ${alone.names} and is not counted for it.`
        return [{ difference: 'no-invoice', text, invoice: null, payments: [alone] }]
      }
      const invoice = invoices.find((each) => each.key === key)
      if (invoice === undefined) return []
      const places = stored.flatMap((each, index) => (each.invoiceKey === key ? [index] : []))
      const own = places.flatMap((index) => stored[index] ?? [])
      return [
        {
          ...differenceOf(invoice, own, span),
          invoice: shown.get(key) ?? null,
          payments: places.flatMap((index) => payments[index] ?? []),
        },
      ]
    })
  }

  function placesOf(found: Survey, offset: number, limit: number, most: number): RowPlace[] {
    const length = Math.max(0, Math.min(limit, most - offset))
    return Array.from({ length }, (_, index) => found.at(offset + index)).filter(
      (place) => place !== null,
    )
  }

  const shownOf = (found: Survey, onlyDifferences: boolean) =>
    onlyDifferences ? found.differences : found.total

  return {
    async read(span, signal): Promise<Closing> {
      refuseUnknown(span.zone)
      const found = await surveyOf(span, signal)
      const problems = problemsOf(span, found)
      const { readTo } = deps.chain(span.network)
      const { network, from, to, zone } = span
      return {
        network,
        from,
        to,
        zone,
        isComplete: readTo !== null && readTo >= to,
        problems,
        totals: found.totals,
        differences: found.differences,
      }
    },
    async page(span, { onlyDifferences, offset, limit }) {
      const found = await surveyOf(span)
      const total = shownOf(found, onlyDifferences)
      return { total, rows: toRows(span, placesOf(found, offset, limit, total)) }
    },
    async *rows(span, limit = Infinity) {
      const found = await surveyOf(span)
      const total = Math.min(limit, found.total)
      for (let offset = 0; offset < total; offset += pageRows) {
        yield toRows(span, placesOf(found, offset, pageRows, total))
        await breathe()
      }
    },
  }
}

/** @throws AppError INVOICE_ZONE_UNKNOWN */
function refuseUnknown(zone: string): void {
  try {
    momentIn(0, zone)
  } catch {
    const message = `"${zone}" is no time zone. Give a name such as Europe/Berlin, or UTC.`
    throw new AppError(invoiceStatsCodes.zoneUnknown, message)
  }
}

function momentIn(at: number, zone: string): string {
  const form = { dateStyle: 'medium', timeStyle: 'medium' } as const
  return `${new Intl.DateTimeFormat('en-GB', { ...form, timeZone: zone }).format(at)} (${zone})`
}
