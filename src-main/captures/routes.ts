import type {
  CapturePage,
  CaptureRow,
  CaptureDetail,
  ExplanationFacts,
} from '../../src-preload/contract/capture.ts'
import type { Handlers, Parsed } from '../../src-preload/contract/routes.ts'
import { type Facts, type FactsReader, unclassifiedFacts } from './store/index/facts.ts'
import type { CaptureTrace } from './store/capture-explanations.ts'
import type { StoredCapture, StoredCaptureDetail } from './store/captures.ts'
import type { CaptureLog } from './capture-log.ts'
import type { CurlRequest } from './curl.ts'
import { describeMissing } from './store/capture-record.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { ForwardSummary } from '../../src-preload/domain/capture-values.ts'
import { captureFileCodes } from '../../src-preload/domain/error-codes.ts'
import { decodeBody, headerValue } from './decode-body.ts'
import { toBase64 } from './files/exported.ts'
import { formatSnippet } from './files/snippet.ts'
import { subpathOf } from './hook-path.ts'
import { maskHeader, maskTarget } from '../../src-preload/domain/mask.ts'
import type { SentTerm } from './query/query.ts'
import { type RowExplanation, describeMessage } from './explanation/facts.ts'
import { nameByCatalogue } from '../chain/catalogue.ts'
import { operationName } from '../ton/opcodes.ts'
import { readVia } from './via.ts'

type CaptureRoutesDeps = CaptureLog & {
  readonly facts: FactsReader
  readonly explanationOf: (
    captures: readonly StoredCapture[],
    facts: ReadonlyMap<number, Facts>,
  ) => (capture: StoredCapture) => RowExplanation
  readonly tracesOf: (captures: readonly number[]) => ReadonlyMap<number, CaptureTrace>
  readonly forwardOf: (captures: readonly number[]) => ReadonlyMap<number, ForwardSummary>
  /** Parses a query. @throws AppError QUERY_INVALID */
  readonly readQuery: (text: string) => readonly SentTerm[]
  readonly receiverUrl: () => string
}

type CaptureHandlers = Pick<Handlers, Extract<keyof Handlers, `capture.${string}`>>

const decodeLimitBytes = 64 * 1024 * 1024

export function createCaptureRoutes(deps: CaptureRoutesDeps): CaptureHandlers {
  const { captures, writer, index } = deps

  /** Secrets are masked unless revealed. */
  function detail({ id, reveal }: Parsed<'capture.get'>): CaptureDetail {
    const capture = captures.existing(id)
    const { headers } = capture
    return {
      ...rowReader(deps, [capture])(capture),
      target: reveal ? capture.target : maskTarget(capture.target),
      httpVersion: capture.httpVersion,
      headers: reveal ? headers : headers.map(maskHeader),
      masked: !reveal && hasSecrets(capture),
      remoteAddress: capture.remoteAddress,
      via: readVia(headers),
      encoding: headerValue(headers, 'content-encoding'),
      contentType: headerValue(headers, 'content-type'),
      incident: capture.incident,
      unverifiedBefore: captures.unverifiedBefore(id, Date.now()),
    }
  }

  return {
    'capture.list': (input) => listRows(deps, input),
    'capture.counts': () => deps.counts(),
    'capture.get': detail,
    async 'capture.body'({ id, form, offset, limit }) {
      const raw = captures.body(id)
      const encoding = headerValue(captures.existing(id).headers, 'content-encoding')
      const { bytes, problem } =
        form === 'raw'
          ? { bytes: raw, problem: null }
          : await decodeBody(raw, encoding, decodeLimitBytes)
      return {
        base64: toBase64(bytes.subarray(offset, offset + limit)),
        totalBytes: bytes.byteLength,
        offset,
        decodeProblem: problem,
      }
    },
    'capture.snippet'({ id, language, reveal }) {
      const { request, masked } = requestOf(deps, id, reveal)
      return { text: formatSnippet(request, language), masked }
    },
    'capture.markRead'({ upTo }) {
      deps.markRead(upTo)
      deps.changed([])
      return deps.counts()
    },
    async 'capture.pin'({ ids, pinned }) {
      await writer.pin(ids, pinned)
      deps.changed(ids)
      return {}
    },
    async 'capture.note'({ id, note }) {
      captures.existing(id)
      await writer.note(id, note)
      // The note is stored even if indexing it fails.
      await index.ask('reindex', { ids: [id] }).catch(() => null)
      deps.changed([id])
      return {}
    },
    async 'capture.delete'({ ids }) {
      const changed = await writer.delete(ids)
      deps.deleted(ids)
      return { deleted: changed }
    },
    async 'capture.clear'({ keepPinned }) {
      const changed = await writer.clear(keepPinned)
      deps.deleted(null)
      return { deleted: changed }
    },
  }
}

async function listRows(
  deps: CaptureRoutesDeps,
  { query, before, after, limit }: Parsed<'capture.list'>,
): Promise<CapturePage> {
  const { captures, index } = deps
  const terms = deps.readQuery(query.text)
  if (terms.length === 0) {
    const found = captures.list(limit + 1, before, after)
    const shown = found.slice(0, limit)
    const nextBefore = found.length > limit ? (shown.at(-1)?.id ?? null) : null
    const rows = shown.map(rowReader(deps, shown))
    return { rows, nextBefore, scannedBack: null, notYetSearchable: 0 }
  }
  const window = { after: after ?? null, before: before ?? null }
  const found = await index.ask('search', { terms, ...window, newestFirst: true, limit })
  const { ids, next, scannedBack, notYetSearchable } = found
  const shown = captures.byIds(ids)
  const rows = shown.map(rowReader(deps, shown))
  return { rows, nextBefore: next, scannedBack, notYetSearchable }
}

/** Reads the data of all rows together. */
function rowReader(
  { facts, explanationOf, forwardOf, tracesOf }: CaptureRoutesDeps,
  found: readonly StoredCapture[],
): (capture: StoredCapture) => CaptureRow {
  const ids = found.map(({ id }) => id)
  const factsById = facts.byIds(ids)
  const explanation = explanationOf(found, factsById)
  const forward = forwardOf(ids)
  const traces = tracesOf(ids)
  return (capture) => {
    const { target, tokenId, ...stored } = capture
    const { id, token } = stored
    const own = factsById.get(id) ?? unclassifiedFacts
    return {
      ...stored,
      ...own,
      subpath: maskTarget(subpathOf(target)),
      // Deliveries of invoices carry no bearer token by design.
      token: own.kind === 'invoice' && token === 'missing' ? 'unchecked' : token,
      network: explanation(capture).network,
      meaning: explanation(capture).facts,
      message: describeDelivery({ ...own, origin: stored.origin }, explanation(capture).facts),
      payment: traces.get(id) ?? null,
      forward: forward.get(id) ?? null,
    }
  }
}

/** Describes what a delivery is about, without its comment; never empty. */
export function describeDelivery(
  { kind, origin, lt }: Pick<CaptureRow, 'kind' | 'origin' | 'lt'>,
  facts: ExplanationFacts,
): string {
  if (kind === 'unknown') return 'Not a gateway delivery'
  if (origin === 'test') return 'Test delivery'
  const nameOf = (opcode: number) =>
    operationName(opcode) ?? nameByCatalogue(undefined, opcode)?.operation ?? null
  if (facts.state === 'known') return describeMessage(facts, nameOf)
  return lt === null ? 'Not explained yet' : `Not explained yet, lt ${lt}`
}

/** Builds the request to the receiver's current path, because the original path may have changed. */
function requestOf(deps: CaptureRoutesDeps, id: number, reveal: boolean) {
  const capture = deps.captures.existing(id)
  const { method, httpVersion, headers } = capture
  const missing = describeMissing(id, capture.completeness)
  if (missing !== null) throw new AppError(captureFileCodes.cannotSend, missing)
  const receiver = new URL(deps.receiverUrl())
  const subpath = subpathOf(capture.target)
  const request: CurlRequest = {
    method,
    httpVersion,
    origin: receiver.origin,
    target: receiver.pathname + (reveal ? subpath : maskTarget(subpath)),
    headers: reveal ? headers : headers.map(maskHeader),
    body: deps.captures.body(id),
  }
  return { request, masked: !reveal && hasSecrets(capture) }
}

const hasSecrets = ({ target, headers }: StoredCaptureDetail): boolean =>
  maskTarget(target) !== target || headers.some((header) => maskHeader(header)[1] !== header[1])
