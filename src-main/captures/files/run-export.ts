import { randomBytes } from 'node:crypto'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { captureFileCodes } from '../../../src-preload/domain/error-codes.ts'
import { type Database, openDatabase } from '../../database/database.ts'
import { slicesOf } from '../../database/pages.ts'
import { type Rows, type TextFormat, formatText, jsonlFormat } from '../../exports/table.ts'
import { type Progress, type WrittenFile, writeRows } from '../../exports/write-file.ts'
import { hideHook, maskHeader, maskTarget } from '../../../src-preload/domain/mask.ts'
import { createCaptureExplanations } from '../store/capture-explanations.ts'
import { createCaptures } from '../store/captures.ts'
import { createFactsReader, unclassifiedFacts } from '../store/index/facts.ts'
import type { Exported, LabelsOf, Printing } from './exported.ts'
import { htmlFormat } from './format-html.ts'
import { harFormat, lineOf } from './format-records.ts'
import type { CaptureExportOrder, MoreIds } from './orders.ts'
import { pseudonymiseRecord } from './pseudonymise.ts'
import { createPseudonyms } from './pseudonyms.ts'

/** The maximum number of captures on an HTML page, which is meant for reading. */
const maxOnPage = 5_000

/** @throws AppError EXCHANGE_NOTHING, EXCHANGE_TOO_MANY, EXCHANGE_UNWRITABLE */
export async function exportCaptures(
  order: CaptureExportOrder,
  next: () => Promise<MoreIds>,
  progress: (progress: Progress) => void,
  readLabels: (database: Database) => LabelsOf,
): Promise<WrittenFile & Progress> {
  const log = openDatabase(order.database, { readOnly: true })
  const index = openDatabase(order.index, { readOnly: true })
  try {
    const read = createReader(log, index)
    const share = sharing(order)
    let count = 0
    async function* rows(): Rows<Exported> {
      for (let isLast = false; !isLast;) {
        const more = await next()
        isLast = more.isLast
        for (const capture of read(more.ids)) {
          if (order.format === 'html' && count === maxOnPage) throw tooMany()
          count += 1
          yield [await share(capture)]
        }
      }
      if (count > 0) return
      throw new AppError(captureFileCodes.nothing, 'No capture was found, so nothing was written.')
    }
    const target = { path: order.path, code: captureFileCodes.unwritable }
    const format = formatOf(order, readLabels(log))
    return await writeRows(target, rows(), (all) => formatText(format, all), progress)
  } finally {
    log.close()
    index.close()
  }
}

const readAtOnce = 200

function createReader(log: Database, index: Database) {
  const captures = createCaptures(log)
  const facts = createFactsReader(index)
  const meanings = createCaptureExplanations(log)
  return function* read(ids: readonly number[]): Generator<Exported> {
    for (const some of slicesOf(ids, readAtOnce)) {
      const factsById = facts.byIds(some)
      const meaningById = meanings.byIds(some)
      for (const id of some) {
        const capture = captures.get(id)
        const stored = captures.read(id)
        if (capture === null || stored === null) continue
        const { summary, ...known } = factsById.get(id) ?? unclassifiedFacts
        const explanation = meaningById.get(id)
        yield {
          ...capture,
          body: stored.body,
          // The file says what differs from the arrived request.
          incident: stored.change ?? capture.incident,
          ...known,
          network: explanation?.network ?? null,
          meaning: explanation?.facts ?? null,
        }
      }
    }
  }
}

/** Pseudonyms replace tokens too, so `reveal` has no effect with them. */
function sharing({
  reveal,
  pseudonyms,
}: CaptureExportOrder): (capture: Exported) => Exported | Promise<Exported> {
  if (pseudonyms) {
    const names = createPseudonyms(randomBytes(32))
    return (capture) => pseudonymiseRecord(capture, names)
  }
  return (capture) => (reveal ? capture : maskCapture(capture))
}

/**
 * Masks bearer tokens, cookies and the receiver's token, also where proxies repeat the path in headers.
 * The body stays as received.
 */
export const maskCapture = (capture: Exported): Exported => ({
  ...capture,
  target: maskTarget(hideHook(capture.target)),
  headers: capture.headers.map(([name, value]) => maskHeader([name, hideHook(value)])),
})

function formatOf(order: CaptureExportOrder, labelsOf: LabelsOf): TextFormat<Exported> {
  const printing: Printing = {
    appVersion: order.appVersion,
    at: order.at,
    isRevealed: order.reveal && !order.pseudonyms,
    hasPseudonyms: order.pseudonyms,
    // The query is not named, because it may contain values that the pseudonyms hide.
    subject: order.pseudonyms ? 'a selection' : order.subject,
  }
  switch (order.format) {
    case 'har':
      return harFormat(printing)
    case 'jsonl':
      return jsonlFormat(lineOf)
    case 'html':
      return htmlFormat(printing, labelsOf)
  }
}

const tooMany = (): AppError =>
  new AppError(
    captureFileCodes.tooMany,
    `An HTML export contains at most ${maxOnPage.toLocaleString('en')} captures. Narrow the query, or export HAR or JSON Lines, which have no limit.`,
  )
