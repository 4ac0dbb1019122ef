/**
 * Entry point of the process of one task (export, import, file of subscriptions, jetton wallets of
 * lookups); the process ends with the task. Untrusted input may exhaust the memory, which ends this
 * process alone. Each task is loaded when it is called.
 */
import type { CaptureExportOrder, ImportOrder, MoreIds } from '../captures/files/orders.ts'
import type { ImportRun } from '../captures/files/run-import.ts'
import type { Database } from '../database/database.ts'
import { type Labels, createLabels } from '../chain/store/labels.ts'
import type { Progress, WrittenFile } from '../exports/write-file.ts'
import type { InvoiceExportOrder } from '../invoices/export/content.ts'
import type { JettonWallets, Minter, WalletState } from '../lookups/jetton-wallets.ts'
import type { FileQuestion, FileReports } from '../webhooks/file/read-file.ts'
import { lowerPriority } from './priority.ts'
import { serveCalls } from './rpc.ts'

export type TaskReports = Partial<FileReports> & {
  readonly counted?: (rows: number) => void
  readonly progress?: (progress: Progress) => void
  readonly next?: () => Promise<MoreIds>
}

lowerPriority()

let importing: Promise<ImportRun> | null = null

async function runningImport(): Promise<ImportRun> {
  if (importing === null) throw new Error('No import was started.')
  return importing
}

let wallets: Promise<JettonWallets> | null = null

async function openJettonWallets(): Promise<JettonWallets> {
  const { createJettonWallets } = await import('../lookups/jetton-wallets.ts')
  const { createEmulator, networkConfig } = await import('../sandbox/chain/emulator.ts')
  const emulator = createEmulator(networkConfig('mainnet'))
  return createJettonWallets((contract, method, stack) =>
    emulator.runMethodOf({ ...contract, method, stack }),
  )
}

const functions = {
  findJettonWallets: async (order: { minter: Minter; owners: readonly string[] }) =>
    (await (wallets ??= openJettonWallets())).find(order.minter, order.owners),
  readJettonWallets: async (order: { minter: Minter; wallets: readonly WalletState[] }) =>
    (await (wallets ??= openJettonWallets())).read(order.minter, order.wallets),
  async exportCaptures(order: CaptureExportOrder): Promise<WrittenFile & Progress> {
    const { exportCaptures } = await import('../captures/files/run-export.ts')
    return exportCaptures(order, (): Promise<MoreIds> => app.call('next'), progress, readLabels)
  },
  async exportInvoices(order: InvoiceExportOrder) {
    const { exportInvoices } = await import('../invoices/export/run-export.ts')
    const counted = (rows: number): void => app.notify('counted', rows)
    return exportInvoices(order, readLabels, { counted, progress })
  },
  async previewInvoices(order: InvoiceExportOrder) {
    const { previewInvoices } = await import('../invoices/export/run-export.ts')
    return previewInvoices(order, readLabels)
  },
  async checkBackup(path: string) {
    const { checkBackup, readBackupFacts } = await import('../database/backup.ts')
    checkBackup(path)
    return readBackupFacts(path)
  },
  async import(order: ImportOrder) {
    importing = import('../captures/files/run-import.ts').then(({ createImportRun }) =>
      createImportRun(order),
    )
    await importing
  },
  piece: async (bytes: Uint8Array) => (await runningImport()).piece(bytes),
  end: async () => (await runningImport()).end(),
  slice: async () => (await runningImport()).slice(),
  async readSubscriptions(question: FileQuestion) {
    const { reportFile } = await import('../webhooks/file/read-file.ts')
    return reportFile(question, {
      webhook: (webhook) => app.notify('webhook', webhook),
      more: (lists) => app.notify('more', lists),
    })
  },
}
export type TaskCalls = typeof functions

const app = serveCalls<Required<TaskReports>>(functions)

function readLabels(database: Database): Labels['namesOf'] {
  const labels = createLabels(database)
  return (network, addresses) => labels.namesOf(network, addresses)
}

function progress(reached: Progress): void {
  app.notify('progress', reached)
}
