/** What the meaning of captures is made of: its store, and transactions read as the explorer reads them. */
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { invoiceCodes } from '../../../src-preload/domain/error-codes.ts'
import type { StoredChain } from '../../explorer/stored-chain.ts'
import { createTraceJettons } from '../../explorer/jetton-wallets.ts'
import { createTransactionReader } from '../../explorer/transactions.ts'
import type { MeaningDeps } from './meaning.ts'
import type { Networks } from '../../networks/networks.ts'
import { createFactsReader } from '../store/index/facts.ts'
import { createCaptureMeanings } from '../store/capture-meanings.ts'
import type { Captures } from '../store/captures.ts'
import { type Database, openDatabase } from '../../database/database.ts'
import { createInvoiceArrivals } from '../../invoices/store/invoice-arrivals.ts'
import { createInvoiceTraces } from '../../invoices/store/invoice-traces.ts'
import type { Labels } from '../../explorer/store/labels.ts'
import { createWebhookHooks } from '../../webhooks/store/webhook-hooks.ts'

type MeaningPartsDeps = {
  readonly path: string
  readonly database: Database
  readonly indexDatabase: Database
  readonly captures: Captures
  readonly networks: Networks
  readonly stored: StoredChain
  readonly labels: Labels
  readonly getInvoice: Handlers['invoice.get']
}

type MeaningParts = Omit<
  MeaningDeps,
  | 'isOn'
  | 'isRush'
  | 'otherMoments'
  | 'reindex'
  | 'onChanged'
  | 'onProgress'
  | 'now'
  | 'wait'
  | 'onBug'
>

/** @returns with a connection of its own, to be closed */
export function createMeaningParts(deps: MeaningPartsDeps): {
  readonly parts: MeaningParts
  close(): void
} {
  const { database, indexDatabase, networks, labels, stored } = deps
  // What it writes can be learnt again: nobody waits for a disk that it is on.
  const own = openDatabase(deps.path, { synchronous: 'NORMAL' })
  const hooks = createWebhookHooks(database)
  const arrivals = createInvoiceArrivals(database, indexDatabase)
  const labelsOf: MeaningDeps['labelsOf'] = (network, addresses) =>
    labels.namesOf(network, addresses)
  const parts: MeaningParts = {
    meanings: createCaptureMeanings(own),
    invoices: createInvoiceTraces(database, indexDatabase),
    captures: deps.captures,
    facts: createFactsReader(indexDatabase),
    classifiedTo: () => arrivals.classifiedTo(),
    hooks: () => hooks.list(),
    reader: createTransactionReader({
      networks: networks.access,
      stored,
      jettons: createTraceJettons(),
      labelsOf,
      now: Date.now,
    }),
    networks: () => networks.state().networks,
    checkNetwork: (id) => networks.access.info(id),
    labelsOf,
    async invoice(network, id) {
      try {
        return await deps.getInvoice({ network, id })
      } catch (error) {
        if (error instanceof AppError && error.code === invoiceCodes.unknown) return null
        throw error
      }
    },
  }
  return { parts, close: () => own.close() }
}
