import type { AppContext } from '../app/context.ts'
import type { CaptureLog } from '../captures/capture-log.ts'
import { decodeBody, headerValue } from '../captures/decode-body.ts'
import type { SandboxAsNetwork } from '../networks/sandbox.ts'
import type { NetworkSecrets } from '../secrets/network-secrets.ts'
import { invoiceReaderThread, taskEntry } from '../threads/threads.ts'
import { isHere, publicHook } from '../webhooks/endpoint.ts'
import { type Invoices, createInvoices } from './invoices.ts'
import { createInvoiceArrivals, createTouchedAccounts } from './store/invoice-arrivals.ts'
import { createInvoiceReader } from './store/invoice-reader.ts'
import { createInvoiceStore } from './store/invoice-store.ts'

const largestInvoiceBytes = 256 * 1024

export function registerInvoices(
  context: AppContext,
  { indexDatabase, pipeline }: CaptureLog,
  networkSecrets: NetworkSecrets,
  sandbox: SandboxAsNetwork['invoices'],
): Invoices {
  const { config, database, events, log, networks, paths, receiver, settings } = context
  const hereNow = () => ({
    url: receiver.url(),
    publicUrl: settings.get().receiver.publicUrl,
  })
  const reader = createInvoiceReader(paths.database, invoiceReaderThread, (message, damage) => {
    log.write('error', 'invoices cannot be read', { message })
    if (damage) events.emit('database.damageSuspected', { message })
  })
  context.resources.defer(() => reader.close())
  const invoices = createInvoices({
    ...context,
    networks: () => networks.state().networks,
    store: createInvoiceStore(database),
    reader,
    settings: () => settings.get(),
    tokens: {
      whenRead: () => networkSecrets.whenRead(),
      get: (network) => networkSecrets.get(network, 'invoices'),
      kept: (network) => networkSecrets.kept(network).invoices,
      isHeld: (network) => networkSecrets.isHeld(network, 'invoices'),
      replace: (network, ask) => networks.replaceSecret(network, 'invoices', ask),
    },
    sandbox,
    hook: {
      url: () => receiver.url(),
      publicUrl: () => publicHook(hereNow()),
      isHere: (url) => isHere(url, hereNow()),
    },
    exporting: {
      startWork: context.startWork(taskEntry, 1024),
      database: paths.database,
      appVersion: config.version,
    },
    touched: createTouchedAccounts(indexDatabase),
    deliveries: {
      arrivals: createInvoiceArrivals(database, indexDatabase),
      async decode({ headers, body }) {
        const encoding = headerValue(headers, 'content-encoding')
        const { bytes, problem } = await decodeBody(body, encoding, largestInvoiceBytes)
        return problem === null ? Buffer.from(bytes).toString('utf8') : null
      },
    },
    emit: (name, payload) => events.emit(name, payload),
    onBug: (error) => log.failure('invoices', error),
  })
  context.resources.defer(() => invoices.stop())
  context.onForget('invoices', (network) => invoices.forget(network))
  pipeline.on('matchInvoices', ({ upTo }) => invoices.classified(upTo))
  return invoices
}
