import { setTimeout as sleep } from 'node:timers/promises'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Settings } from '../../src-preload/contract/settings.ts'
import type { EventHub } from '../bridge/events.ts'
import type { ExportFiles } from '../exports/export-files.ts'
import { invoiceEntry } from '../gateway/invoice-answers.ts'
import { decodeBody, headerValue } from '../captures/decode-body.ts'
import { type Invoices, createInvoices } from './invoices.ts'
import type { Networks } from '../networks/networks.ts'
import type { SandboxAsNetwork } from '../networks/sandbox.ts'
import type { Receiver } from '../receiver/receiver.ts'
import type { NetworkSecrets } from '../secrets/network-secrets.ts'
import type { Database } from '../database/database.ts'
import { createInvoiceArrivals } from './store/invoice-arrivals.ts'
import { createInvoiceReader } from './store/invoice-reader.ts'
import { createInvoiceStore } from './store/invoice-store.ts'
import { createTouchedAccounts } from './store/touched-accounts.ts'
import type { Labels } from '../explorer/store/labels.ts'
import { isHere, publicHook } from '../webhooks/endpoint.ts'
import { invoiceExportThread, invoiceReaderThread } from '../threads/threads.ts'

type InvoiceParts = {
  /** Path of the database, for threads that open it themselves. */
  readonly path: string
  readonly database: Database
  readonly indexDatabase: Database
  readonly settings: () => Settings
  readonly networks: Networks
  readonly networkSecrets: NetworkSecrets
  readonly sandbox: SandboxAsNetwork['invoices']
  readonly receiver: Receiver
  readonly labels: Labels
  readonly files: ExportFiles
  readonly appVersion: string
  readonly chainNow: (network: NetworkId) => Promise<number>
  readonly events: EventHub
  readonly onBug: (error: unknown) => void
  /** The thread that reads invoices went wrong. */
  readonly onTrouble: (message: string, damage: boolean) => void
}

const largestInvoiceBytes = 256 * 1024

/** The invoice desk, wired for `compose.ts`. */
export function composeInvoices(parts: InvoiceParts): Invoices {
  const { path, database, indexDatabase, networks, networkSecrets, receiver } = parts
  const hereNow = () => ({
    url: receiver.url(),
    publicUrl: parts.settings().receiver.publicUrl,
  })
  const reader = createInvoiceReader(path, invoiceReaderThread, parts.onTrouble)
  const invoices = createInvoices({
    access: networks.access,
    networks: () => networks.state().networks,
    store: createInvoiceStore(database),
    reader,
    settings: parts.settings,
    labelsOf: (network, addresses) => parts.labels.namesOf(network, addresses),
    tokens: {
      whenRead: () => networkSecrets.whenRead(),
      get: (network) => networkSecrets.get(network, 'invoices'),
      kept: (network) => networkSecrets.kept(network).invoices,
      isHeld: (network) => networkSecrets.isHeld(network, 'invoices'),
      replace: (network, ask) => networks.replaceSecret(network, 'invoices', ask),
    },
    sandbox: parts.sandbox,
    hook: {
      url: () => receiver.url(),
      publicUrl: () => publicHook(hereNow()),
      isHere: (url) => isHere(url, hereNow()),
    },
    files: parts.files,
    exporting: {
      thread: invoiceExportThread,
      database: path,
      appVersion: parts.appVersion,
    },
    touched: createTouchedAccounts(indexDatabase),
    feed: {
      arrivals: createInvoiceArrivals(database, indexDatabase),
      async decode({ headers, body }) {
        const encoding = headerValue(headers, 'content-encoding')
        const { bytes, problem } = await decodeBody(body, encoding, largestInvoiceBytes)
        return problem === null ? Buffer.from(bytes).toString('utf8') : null
      },
      readEntry: (value) => invoiceEntry.safeParse(value).data ?? null,
    },
    chainNow: parts.chainNow,
    emit: (name, payload) => parts.events.emit(name, payload),
    now: Date.now,
    wait: (ms, signal) => sleep(ms, undefined, { signal }),
    onBug: parts.onBug,
  })
  return {
    ...invoices,
    async stop() {
      await invoices.stop()
      await reader.close()
    },
  }
}
