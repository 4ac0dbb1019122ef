/** One export, from the first capture to the end of the file. Runs in a process of its own. */
import { randomBytes } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { FileSink } from '../../../exports/file-sink.ts'
import { AppError } from '../../../../src-preload/domain/app-error.ts'
import { exchangeCodes } from '../../../../src-preload/domain/error-codes.ts'
import type { Exported } from '../exported.ts'
import { pseudonymise } from '../pseudonymise.ts'
import { createPseudonyms } from '../pseudonyms.ts'
import type { ExportOrder, Exporting, MoreIds } from '../orders.ts'
import { createHtmlPrinter } from './format-html.ts'
import { createJsonlPrinter } from './format-jsonl.ts'
import type { Printer, Printing } from './formatter.ts'
import { maskHeader, maskTarget } from '../../mask.ts'
import { formatMoment } from '../moments.ts'
import { base64, exactText } from '../printed-body.ts'

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

/** HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/), an entry a line. */

export function createHarPrinter({ appVersion, isRevealed, hasPseudonyms }: Printing): Printer {
  return {
    begin() {
      const creator = { name: 'Tondesk', version: appVersion }
      const _tondesk = { format: 1, masked: !isRevealed, pseudonyms: hasPseudonyms }
      const head = JSON.stringify({ version: '1.2', creator, pages: [], _tondesk })
      return `{"log":${head.slice(0, -1)},"entries":[`
    },
    one: (capture, index) => `${index === 0 ? '\n' : ',\n'}${JSON.stringify(entryOf(capture))}`,
    end: () => '\n]}}\n',
  }
}

function entryOf(capture: Exported): object {
  const { method, headers, body, status } = capture
  const httpVersion = `HTTP/${capture.httpVersion}`
  const time = capture.durationUs / 1000
  const url = urlOf(capture)
  const unknown = { headersSize: -1, bodySize: -1 }
  return {
    startedDateTime: formatMoment(capture.receivedAt),
    time,
    request: {
      ...{ method, url, httpVersion },
      cookies: cookiesOf(capture),
      headers: headers.map(([name, value]) => ({ name, value })),
      queryString: queryOf(capture.target),
      ...(body.byteLength === 0 ? {} : { postData: postDataOf(capture) }),
      headersSize: -1,
      bodySize: body.byteLength,
    },
    response: {
      status: status ?? 0,
      statusText: STATUS_CODES[status ?? 0] ?? '',
      httpVersion,
      ...{ cookies: [], headers: [], redirectURL: '' },
      content: { size: 0, mimeType: 'x-unknown' },
      ...unknown,
    },
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    _tondesk: factsOf(capture),
  }
}

/** What HAR has no place for, or keeps less exactly. */
function factsOf(capture: Exported): object {
  const { id, origin, receivedAt, durationUs, status, target, remoteAddress } = capture
  const { bodyBytes, completeness, incident, token, pinned, note } = capture
  const { kind, account, lt, txHash, duplicateOf, outOfOrder, network, meaning } = capture
  return {
    ...{ id, origin, receivedAt, durationUs, status, target, remoteAddress },
    ...{ bodyBytes, completeness, incident, token, pinned, note },
    ...{ kind, account, lt, txHash, duplicateOf, outOfOrder, network, meaning },
  }
}

function postDataOf({ body, headers }: Exported): object {
  const mimeType = valueOf(headers, 'content-type') ?? 'application/octet-stream'
  const text = exactText(body)
  return text === null ? { mimeType, text: base64(body), encoding: 'base64' } : { mimeType, text }
}

/** As the sender saw it, as far as the headers tell. */
function urlOf({ headers, target }: Exported): string {
  const isSecure = valueOf(headers, 'x-forwarded-proto')?.toLowerCase() === 'https'
  const host = valueOf(headers, 'host') ?? 'localhost'
  const path = target.startsWith('/') ? target : `/${target}`
  const url = `${isSecure ? 'https' : 'http'}://${host}${path}`
  if (URL.canParse(url)) return url
  return `http://localhost${encodeURI(path)}`
}

function queryOf(target: string): { name: string; value: string }[] {
  const at = target.indexOf('?')
  if (at === -1) return []
  return target
    .slice(at + 1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...rest] = pair.split('=')
      return { name, value: rest.join('=') }
    })
}

function cookiesOf({ headers }: Exported): { name: string; value: string }[] {
  return headers
    .filter(([name]) => name.toLowerCase() === 'cookie')
    .flatMap(([, value]) => value.split(/; */))
    .filter((pair) => pair.includes('='))
    .map((pair) => ({
      name: pair.slice(0, pair.indexOf('=')),
      value: pair.slice(pair.indexOf('=') + 1),
    }))
}

function valueOf(headers: Exported['headers'], name: string): string | undefined {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1]
}
