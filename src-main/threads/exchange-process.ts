/**
 * The process that writes an export of captures, or reads a file of them: a file each, and it ends with
 * it. Both hold what others have sent, which may be made to take more memory than there is. It composes the store with the exchange as captures/register.ts does for the app. An export reads through
 * connections of its own; an import writes nothing to the log, for that the writer thread does.
 */
import { setPriority } from 'node:os'
import { exchangeCodes } from '../../src-preload/domain/error-codes.ts'
import { createFileSink } from '../exports/file-sink.ts'
import type { Exported } from '../captures/exchange/exported.ts'
import { runExport } from '../captures/exchange/export/run-export.ts'
import { createImportRun } from '../captures/exchange/import/run-import.ts'
import type {
  ExportOrder,
  ExportReports,
  Exporting,
  ImportOrder,
} from '../captures/exchange/orders.ts'
import { createFactsReader } from '../captures/store/index/facts.ts'
import { createCaptureMeanings } from '../captures/store/capture-meanings.ts'
import { packRecords } from '../captures/store/capture-record.ts'
import { createCaptures } from '../captures/store/captures.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { serve } from './rpc.ts'

/** Deliveries and the window come first. */
setPriority(0, 10)

/** Facts and meanings are read for so many at a time, bodies one by one. */
const readAtOnce = 200

const unclassified = {
  kind: null,
  account: null,
  lt: null,
  txHash: null,
  duplicateOf: null,
  outOfOrder: false,
}

function createReader(log: Database, index: Database) {
  const captures = createCaptures(log)
  const facts = createFactsReader(index)
  const meanings = createCaptureMeanings(log)
  return function* read(ids: readonly number[]): Generator<Exported> {
    for (let from = 0; from < ids.length; from += readAtOnce) {
      const some = ids.slice(from, from + readAtOnce)
      const known = facts.byIds(some)
      const meant = meanings.byIds(some)
      for (const id of some) {
        const capture = captures.get(id)
        if (capture === null) continue
        const { kind, account, lt, txHash, duplicateOf, outOfOrder } = known.get(id) ?? unclassified
        const meaning = meant.get(id)
        yield {
          ...capture,
          body: captures.body(id) ?? new Uint8Array(0),
          ...{ kind, account, lt, txHash, duplicateOf, outOfOrder },
          network: meaning?.network ?? null,
          meaning: meaning?.facts ?? null,
        }
      }
    }
  }
}

let run: ReturnType<typeof createImportRun> | null = null

/** Of the import that was begun. */
function running(): NonNullable<typeof run> {
  if (run === null) throw new Error('No import was begun.')
  return run
}

const functions = {
  async export(order: ExportOrder): Promise<Exporting> {
    const log = openDatabase(order.database, { readOnly: true })
    const index = openDatabase(order.index, { readOnly: true })
    try {
      return await runExport(order, {
        read: createReader(log, index),
        sink: createFileSink(order.path, exchangeCodes.unwritable),
        next: () => app.call('next'),
        onProgress: (reached) => app.notify('progress', reached),
      })
    } finally {
      log.close()
      index.close()
    }
  },
  import(order: ImportOrder): void {
    run = createImportRun(order, packRecords)
  },
  piece: (bytes: Uint8Array) => running().piece(bytes),
  end: () => running().end(),
  slice: () => running().slice(),
}
export type ExchangeCalls = typeof functions

const app = serve<ExportReports>(functions)
