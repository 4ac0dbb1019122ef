/** One export, from the first capture to the end of the file. Runs in a process of its own. */
import { randomBytes } from 'node:crypto'
import type { FileSink } from '../../../exports/file-sink.ts'
import { AppError } from '../../../../src-preload/domain/app-error.ts'
import { exchangeCodes } from '../../../../src-preload/domain/error-codes.ts'
import type { Exported } from '../exported.ts'
import { pseudonymise } from '../pseudonymise.ts'
import { createPseudonyms } from '../pseudonyms.ts'
import type { ExportOrder, Exporting, MoreIds } from '../orders.ts'
import { createHarPrinter } from './format-har.ts'
import { createHtmlPrinter } from './format-html.ts'
import { createJsonlPrinter } from './format-jsonl.ts'
import type { Printer, Printing } from './formatter.ts'
import { maskHeader, maskTarget } from '../../mask.ts'

const hook = /\/hook\/[0-9a-f]{32}/gi
/** As long as the token, so that what follows it is still found at its place. */
const hidden = `/hook/${'*'.repeat(32)}`

/**
 * Without what lets somebody in: the receiver's token wherever it stands (proxies repeat the path in
 * headers of their own), bearers, cookies and the like. The body stays as it was received.
 */
export function maskCapture(capture: Exported): Exported {
  return {
    ...capture,
    target: maskTarget(hideHook(capture.target)),
    headers: capture.headers.map(([name, value]) => maskHeader([name, hideHook(value)])),
  }
}

function hideHook(text: string): string {
  return text.replace(hook, hidden)
}

type ExportDeps = {
  /** Those of these that are still there, in this order. One by one: bodies may be large. */
  readonly read: (ids: readonly number[]) => Iterable<Exported>
  readonly next: () => Promise<MoreIds>
  readonly sink: FileSink
  readonly onProgress: (reached: Exporting) => void
}

/** A page is for reading. */
const maxOnPage = 5_000
const reportEveryMs = 250

/** @throws AppError EXCHANGE_NOTHING, EXCHANGE_TOO_MANY, EXCHANGE_UNWRITABLE */
export async function runExport(order: ExportOrder, deps: ExportDeps): Promise<Exporting> {
  const { sink } = deps
  const printer = printerOf(order)
  const share = sharing(order)
  let count = 0
  let toldAt = performance.now()
  sink.text(printer.begin())
  for (let isLast = false; !isLast;) {
    const more = await deps.next()
    isLast = more.isLast
    for (const capture of deps.read(more.ids)) {
      if (order.format === 'html' && count === maxOnPage) throw tooMany()
      sink.text(printer.one(await share(capture), count))
      count += 1
      if (performance.now() - toldAt < reportEveryMs) continue
      toldAt = performance.now()
      deps.onProgress({ captures: count, bytes: sink.size() })
    }
  }
  if (count === 0) {
    throw new AppError(exchangeCodes.nothing, 'There is no such capture: nothing was written.')
  }
  sink.text(printer.end(count))
  return { captures: count, bytes: sink.end().bytes }
}

/** With pseudonyms there is nothing left to reveal: tokens are made up, too. */
function sharing({ reveal, pseudonyms }: ExportOrder): (capture: Exported) => Promise<Exported> {
  if (pseudonyms) {
    const names = createPseudonyms(randomBytes(32))
    return (capture) => pseudonymise(capture, names)
  }
  return (capture) => Promise.resolve(reveal ? capture : maskCapture(capture))
}

function printerOf(order: ExportOrder): Printer {
  const printing: Printing = {
    appVersion: order.appVersion,
    at: order.at,
    isRevealed: order.reveal && !order.pseudonyms,
    hasPseudonyms: order.pseudonyms,
    // A query may name what is made up below it.
    subject: order.pseudonyms ? 'a selection' : order.subject,
  }
  switch (order.format) {
    case 'har':
      return createHarPrinter(printing)
    case 'jsonl':
      return createJsonlPrinter()
    case 'html':
      return createHtmlPrinter(printing)
  }
}

function tooMany(): AppError {
  return new AppError(
    exchangeCodes.tooMany,
    `A page shows at most ${maxOnPage.toLocaleString('en')} captures: narrow the query, or export HAR or JSON Lines, which have no limit.`,
  )
}
