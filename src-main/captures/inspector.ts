import type {
  CaptureBody,
  CapturePage,
  CaptureRow,
  CaptureDetail,
} from '../../src-preload/contract/capture.ts'
import { captureCodes } from '../../src-preload/domain/error-codes.ts'
import type { Handlers, Parsed } from '../../src-preload/contract/routes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { Facts, FactsReader } from './store/index/facts.ts'
import type { StoredCapture, StoredCaptureDetail } from './store/captures.ts'
import type { ForwardSummaries } from '../delivery/store/forward-rows.ts'
import type { CaptureLog } from './capture-log.ts'
import { curlCommand } from './curl.ts'
import { decodeBody, headerValue } from './decode-body.ts'
import { maskHeader, maskTarget } from './mask.ts'
import type { SentTerm } from './query/query.ts'
import type { RowExplanation } from './explanation/facts.ts'
import type { ForwardSummary } from '../../src-preload/domain/capture-words.ts'

type InspectorDeps = CaptureLog & {
  readonly facts: FactsReader
  readonly explanationOf: (
    captures: readonly StoredCapture[],
    facts: ReadonlyMap<number, Facts>,
  ) => (capture: StoredCapture) => RowExplanation
  readonly forwardOf: ForwardSummaries
  readonly path: ReadPath
  /** @throws AppError QUERY_INVALID */
  readonly readQuery: (text: string) => readonly SentTerm[]
  readonly receiverUrl: () => string
}

type CaptureHandlers = Pick<Handlers, Extract<keyof Handlers, `capture.${string}`>>

const decodeLimitBytes = 64 * 1024 * 1024

export function createInspector(deps: InspectorDeps): CaptureHandlers {
  const { captures, writer, index, facts, path } = deps

  function rows(found: StoredCapture[]): CaptureRow[] {
    const known = facts.byIds(found.map((capture) => capture.id))
    const explanation = deps.explanationOf(found, known)
    const forward = deps.forwardOf(found.map((capture) => capture.id))
    return found.map((capture) => {
      const sentOn = forward.get(capture.id) ?? null
      return toRow(capture, known.get(capture.id), explanation(capture), sentOn, path)
    })
  }

  function existing(id: number) {
    const capture = captures.get(id)
    if (capture !== null) return capture
    throw new AppError(
      captureCodes.notFound,
      `Capture ${id} is not there any more: it was deleted, or it was older than the retention allows.`,
    )
  }

  async function list({
    query,
    before,
    after,
    limit,
  }: Parsed<'capture.list'>): Promise<CapturePage> {
    const terms = deps.readQuery(query.text)
    if (terms.length === 0) {
      const page = { before, after, limit: limit + 1 }
      const found = captures.list(page)
      const shown = found.slice(0, limit)
      const nextBefore = found.length > limit ? (shown.at(-1)?.id ?? null) : null
      return { rows: rows(shown), nextBefore, scannedBack: null, notYetSearchable: 0 }
    }
    const found = await index.ask('search', {
      terms,
      after: after ?? null,
      before: before ?? null,
      newestFirst: true,
      limit,
    })
    return {
      rows: rows(captures.byIds(found.ids)),
      nextBefore: found.next,
      scannedBack: found.scannedBack,
      notYetSearchable: found.notYetSearchable,
    }
  }

  async function body({ id, form, offset, limit }: Parsed<'capture.body'>): Promise<CaptureBody> {
    const capture = existing(id)
    const raw = captures.body(id) ?? new Uint8Array(0)
    const encoding = headerValue(capture.headers, 'content-encoding')
    const { bytes, problem } =
      form === 'raw'
        ? { bytes: raw, problem: null }
        : await decodeBody(raw, encoding, decodeLimitBytes)
    const part = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    return {
      base64: part.subarray(offset, offset + limit).toString('base64'),
      totalBytes: bytes.byteLength,
      offset,
      decodeProblem: problem,
    }
  }

  function curl({ id, shell, reveal }: Parsed<'capture.curl'>) {
    const capture = existing(id)
    const receiver = new URL(deps.receiverUrl())
    const subpath = path.subpathOf(capture.target)
    const headers = reveal ? capture.headers : capture.headers.map(maskHeader)
    const command = curlCommand(
      {
        method: capture.method,
        origin: receiver.origin,
        // The current receiver path, because the original one may have been rotated.
        target: receiver.pathname + (reveal ? subpath : maskTarget(subpath)),
        httpVersion: capture.httpVersion,
        headers,
        body: captures.body(id) ?? new Uint8Array(0),
      },
      shell,
    )
    return { command, masked: !reveal && hasSecrets(capture) }
  }

  return {
    'capture.list': list,
    'capture.counts': () => deps.counts(),
    'capture.get'({ id, reveal }) {
      const capture = existing(id)
      const known = facts.byIds([id])
      const explanation = deps.explanationOf([capture], known)(capture)
      const sentOn = deps.forwardOf([id]).get(id) ?? null
      return toDetail(capture, known.get(id), explanation, sentOn, reveal, path)
    },
    'capture.body': body,
    'capture.curl': curl,
    async 'capture.histogram'({ from, to, buckets }) {
      if (to <= from) return []
      const counted = await index.ask('histogram', { terms: [], from, to, buckets })
      return counted.buckets.map(({ startsAt, total, refused }) => ({ startsAt, total, refused }))
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
      existing(id)
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

type ReadPath = {
  readonly subpathOf: (target: string) => string
  readonly readVia: (headers: [string, string][]) => { source: string; value: string }[]
}

function toRow(
  capture: StoredCapture,
  facts: Facts | undefined,
  explanation: RowExplanation,
  forward: ForwardSummary | null,
  path: ReadPath,
): CaptureRow {
  return {
    id: capture.id,
    origin: capture.origin,
    receivedAt: capture.receivedAt,
    method: capture.method,
    subpath: maskTarget(path.subpathOf(capture.target)),
    bodyBytes: capture.bodyBytes,
    completeness: capture.completeness,
    status: capture.status,
    durationUs: capture.durationUs,
    // An invoice's delivery carries no bearer by design.
    token: facts?.kind === 'invoice' && capture.token === 'missing' ? 'unchecked' : capture.token,
    kind: facts?.kind ?? null,
    account: facts?.account ?? null,
    lt: facts?.lt ?? null,
    txHash: facts?.txHash ?? null,
    summary: facts?.summary ?? '',
    duplicateOf: facts?.duplicateOf ?? null,
    outOfOrder: facts?.outOfOrder ?? false,
    pinned: capture.pinned,
    note: capture.note,
    network: explanation.network,
    meaning: explanation.facts,
    forward,
  }
}

/** Secrets are masked unless revealed. */
function toDetail(
  capture: StoredCaptureDetail,
  facts: Facts | undefined,
  explanation: RowExplanation,
  forward: ForwardSummary | null,
  reveal: boolean,
  path: ReadPath,
): CaptureDetail {
  const headers = reveal ? capture.headers : capture.headers.map(maskHeader)
  const target = reveal ? capture.target : maskTarget(capture.target)
  return {
    ...toRow(capture, facts, explanation, forward, path),
    target,
    httpVersion: capture.httpVersion,
    headers,
    masked: !reveal && hasSecrets(capture),
    remoteAddress: capture.remoteAddress,
    via: path.readVia(capture.headers),
    encoding: headerValue(capture.headers, 'content-encoding'),
    contentType: headerValue(capture.headers, 'content-type'),
    incident: capture.incident,
  }
}

function hasSecrets({ target, headers }: StoredCaptureDetail): boolean {
  return (
    maskTarget(target) !== target || headers.some((header) => maskHeader(header)[1] !== header[1])
  )
}
