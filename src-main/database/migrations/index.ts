import { captures } from './0001-captures.ts'
import { labels } from './0002-labels.ts'
import { networks } from './0003-networks.ts'
import { explorer } from './0004-explorer.ts'
import { lookup } from './0005-lookup.ts'
import { accounts } from './0006-accounts.ts'
import { webhooks } from './0007-webhooks.ts'
import { subscriptions } from './0008-subscriptions.ts'
import { changes } from './0009-changes.ts'
import { failures } from './0010-failures.ts'
import { ledger } from './0011-ledger.ts'
import { invoices } from './0012-invoices.ts'
import { payments } from './0013-payments.ts'
import { invoiceLists } from './0014-invoice-lists.ts'
import { invoiceJobs } from './0015-invoice-jobs.ts'
import { meanings } from './0016-meanings.ts'
import { forwarding } from './0017-forwarding.ts'
import { replays } from './0018-replays.ts'
import { answerRules } from './0019-answer-rules.ts'
import { captureViews } from './0020-capture-views.ts'
import { untoldMeanings } from './0021-untold-meanings.ts'
import { searchNames } from './0022-search-names.ts'
import { lookupJettons } from './0038-lookup-jettons.ts'
import { lookupColumns } from './0023-lookup-columns.ts'
import { failureHistory } from './0026-failure-history.ts'
import { invoicePages } from './0025-invoice-pages.ts'
import { forwardQueue } from './0027-forward-queue.ts'
import { orderReferences } from './0028-order-references.ts'
import { incidents } from './0029-incidents.ts'
import { refunds } from './0030-refunds.ts'
import { exportViews } from './0031-export-views.ts'
import { alerts } from './0032-alerts.ts'
import { outages } from './0033-outages.ts'
import { fiatRates } from './0034-fiat-rates.ts'
import { historyExports } from './0035-history-exports.ts'
import { dictionaries } from './0036-dictionaries.ts'
import { watches } from './0037-watches.ts'
import { historyEvents } from './0039-history-events.ts'
import { historyRates } from './0040-history-rates.ts'
import { namedInvoices } from './0041-named-invoices.ts'
import { checksums } from './0042-checksums.ts'
import { chainGaps } from './0043-chain-gaps.ts'
import { noOutages } from './0044-no-outages.ts'
import { deliveredAttempts } from './0045-delivered-attempts.ts'
import { acceptedShortfalls } from './0046-accepted-shortfalls.ts'
import { captureTraces } from './0047-capture-traces.ts'
import { invoiceRests } from './0048-invoice-rests.ts'
import { ordersOfTheLab } from './0049-orders-of-the-lab.ts'

/**
 * In order; the number of those applied is the database's `user_version`. The order of this list counts, not
 * the numbers of the files: 0026 was merged before 0025, and no 0024 was ever merged. A released migration is
 * never edited: a later one corrects its mistakes. Each changes the schema, since a version that does not
 * agree with the schema is taken for damage.
 */
export const migrations: readonly string[] = [
  captures,
  labels,
  networks,
  explorer,
  lookup,
  accounts,
  webhooks,
  subscriptions,
  changes,
  failures,
  ledger,
  invoices,
  payments,
  invoiceLists,
  invoiceJobs,
  meanings,
  forwarding,
  replays,
  answerRules,
  captureViews,
  untoldMeanings,
  searchNames,
  lookupColumns,
  failureHistory,
  invoicePages,
  forwardQueue,
  orderReferences,
  incidents,
  refunds,
  exportViews,
  alerts,
  outages,
  fiatRates,
  historyExports,
  dictionaries,
  watches,
  lookupJettons,
  historyEvents,
  historyRates,
  namedInvoices,
  checksums,
  chainGaps,
  noOutages,
  deliveredAttempts,
  acceptedShortfalls,
  captureTraces,
  invoiceRests,
  ordersOfTheLab,
]
