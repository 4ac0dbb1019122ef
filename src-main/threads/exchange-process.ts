/**
 * The process that writes an export of captures, or reads a file of them: a file each, and it ends with
 * it. Both hold what others have sent, which may be made to take more memory than there is. It composes the store with the exchange as captures/register.ts does for the app. An export reads through
 * connections of its own; an import writes nothing to the log, for that the writer thread does.
 */
import { setPriority } from 'node:os'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { exchangeCodes } from '../../src-preload/domain/error-codes.ts'
import { createFileSink } from '../exports/file-sink.ts'
import { openWorkPort } from '../jobs/work-process.ts'
import type { Exported } from '../captures/exchange/exported.ts'
import { runExport } from '../captures/exchange/export/run-export.ts'
import { createImportRun } from '../captures/exchange/import/run-import.ts'
import type {
  ExchangeOrder,
  ExportOrder,
  ExportReport,
  ImportOrder,
  ImportReport,
  ImportRequest,
  MoreIds,
} from '../captures/exchange/thread-messages.ts'
import { createFactsReader } from '../captures/store/index/facts.ts'
import { createCaptureMeanings } from '../captures/store/capture-meanings.ts'
import { packRecords } from '../captures/store/capture-record.ts'
import { createCaptures } from '../captures/store/captures.ts'
import { type Database, openDatabase } from '../database/database.ts'

const port = await openWorkPort<
  ExchangeOrder,
  ExportReport | ImportReport,
  MoreIds | ImportRequest
>()
const { order } = port

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

const { report } = port

function refuse(error: unknown): void {
  if (!(error instanceof AppError)) throw error
  report({ type: 'refused', code: error.code, message: error.message })
}

async function exportTo(asked: ExportOrder): Promise<void> {
  const log = openDatabase(asked.database, { readOnly: true })
  const index = openDatabase(asked.index, { readOnly: true })
  const given: MoreIds[] = []
  let wake: () => void = () => undefined
  port.onRequest((more) => {
    given.push(more as MoreIds)
    wake()
  })
  try {
    await runExport(asked, {
      read: createReader(log, index),
      sink: createFileSink(asked.path, exchangeCodes.unwritable),
      report,
      async next() {
        for (;;) {
          const more = given.shift()
          if (more !== undefined) return more
          await new Promise<void>((resolve) => (wake = resolve))
        }
      },
    })
  } catch (error) {
    refuse(error)
  } finally {
    log.close()
    index.close()
  }
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

function importFrom(asked: ImportOrder): void {
  let run: ReturnType<typeof createImportRun> | null = null
  port.onRequest((message) => {
    const request = message as ImportRequest
    try {
      run ??= createImportRun(asked, packRecords)
      switch (request.type) {
        case 'piece':
          report({ type: 'read', ...run.piece(new Uint8Array(request.bytes)) })
          return
        case 'end':
          report({ type: 'read', ...run.end() })
          return
        case 'slice': {
          const slice = run.slice()
          report(slice === null ? { type: 'noMore' } : { type: 'slice', ...slice })
        }
      }
    } catch (error) {
      refuse(error)
    }
  })
}

if (order.kind === 'export') await exportTo(order)
else importFrom(order)
