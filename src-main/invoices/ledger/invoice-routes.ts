/** What the window asks of one invoice, and how many there are. */
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { InvoiceDetail } from '../../../src-preload/contract/invoice.ts'
import { invoiceCodes } from '../../../src-preload/domain/error-codes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { linkForDue } from '../../../src-preload/contract/invoice-money.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { StoredInvoice } from '../store/stored-invoice.ts'
import { formatEvent } from '../events/event-words.ts'
import type { GatewayAccess, Reconciler } from '../parts.ts'
import { type LocalLedger, unknownInvoice } from './ledger.ts'

type InvoiceRouteDeps = {
  readonly access: Pick<GatewayAccess, 'info' | 'interest'>
  readonly ledger: LocalLedger
  readonly reconciler: Pick<Reconciler, 'payments' | 'unlinked' | 'advise'>
  readonly store: Pick<InvoiceStore, 'rows' | 'events' | 'reports' | 'matters'>
  /** Null when it can be asked. */
  readonly whyNotAsked: (network: NetworkId) => string | null
  readonly now: () => number
}

type Routes = Pick<Handlers, 'invoice.get' | 'invoice.fetch' | 'invoice.setNote' | 'invoice.counts'>

const maxEvents = 500
const maxReports = 50

export function createInvoiceRoutes(deps: InvoiceRouteDeps): Routes {
  const { access, ledger, reconciler, store } = deps

  function detail(stored: StoredInvoice): InvoiceDetail {
    const { key, network, id } = stored
    const [shown] = ledger.view(network, [stored])
    if (shown === undefined) throw unknownInvoice(id)
    return {
      ...shown,
      paymentLink: linkForDue(stored.paymentLink, shown),
      comment: stored.comment,
      firstSeenAt: stored.firstSeenAt,
      firstSource: stored.firstSource,
      confirmedAt: stored.confirmedAt,
      events: store.events.list(key, maxEvents).map((event) => ({
        at: event.at,
        seenAt: event.seenAt,
        source: event.source,
        kind: event.kind,
        text: formatEvent(event),
        capture: event.capture,
        transaction: event.transaction,
      })),
      payments: reconciler.payments(stored),
      unlinked: reconciler.unlinked(stored),
      reports: store.reports
        .ofInvoice(network, id, maxReports)
        .map(({ capture, receivedAt, status, outcome }) => ({
          capture,
          receivedAt,
          status,
          outcome,
        })),
      advice: reconciler.advise(stored),
      raw: stored.raw,
    }
  }

  return {
    'invoice.get': ({ network, id }) => detail(ledger.get(network, id)),
    async 'invoice.fetch'({ network, id }) {
      // Also where nothing is asked: of a network that is not there, nothing is known.
      access.info(network)
      const why = deps.whyNotAsked(network)
      if (why !== null) throw new AppError(invoiceCodes.noAccess, why)
      const askedAt = deps.now()
      const found = await ledger.fetch(network, id, 'fetch', { signal: access.interest(network) })
      if (found !== null) return detail(found)
      ledger.missing(network, id, askedAt)
      throw new AppError(invoiceCodes.unknown, `The gateway has no invoice ${id}.`)
    },
    'invoice.setNote'({ network, id, text }) {
      const { key } = ledger.get(network, id)
      const event = { at: deps.now(), source: 'person', kind: 'note', detail: { text } } as const
      ledger.addEvent(key, event)
      ledger.tell(network, [id])
      return detail(ledger.get(network, id))
    },
    'invoice.counts'({ network }) {
      access.info(network)
      const byStatus = store.rows.countByStatus(network)
      const confirmed = Object.values(byStatus).reduce((sum, count) => sum + count, 0)
      const total = confirmed + store.rows.countUnconfirmed(network)
      return { total, byStatus, matters: store.matters.open(network) }
    },
  }
}
