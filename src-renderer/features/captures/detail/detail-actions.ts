import type { CaptureDetail } from '../../../../src-preload/contract/capture.ts'
import type { captureCodes } from '../../../../src-preload/domain/error-codes.ts'
import { bytesFromBase64 } from '../../../components/body/bytes.ts'
import { type Ask, errorBody } from '../deps.ts'
import {
  type BodyForm,
  type BodyState,
  type InspectorStore,
  type LoadedBody,
  type OpenCapture,
  openId,
} from '../inspector-state.ts'

/** Its value from the contract would bring the whole of zod into the window. */
const notFound: (typeof captureCodes)['notFound'] = 'CAPTURE_NOT_FOUND'

/** What is fetched with a capture at once; nearly every body is smaller. */
const firstBytes = 1_048_576
/** What one further question may bring. */
const moreBytes = 4_194_304

/**
 * One capture, opened. A capture and its body are shown together, so that nothing flickers when one
 * walks down the list; an answer for a capture one has left is dropped.
 */
export function createDetailActions({ store, ask }: { store: InspectorStore; ask: Ask }) {
  let ticket = 0

  async function open(id: number): Promise<void> {
    const mine = ++ticket
    const { detail } = store.getState()
    if (openId(detail) !== id || detail.status === 'failed' || detail.status === 'gone') {
      const former = detail.status === 'ready' ? detail : null
      const kept = detail.status === 'loading' ? detail.former : former
      store.setState({ detail: { status: 'loading', id, former: kept } })
    }
    const [capture, body] = await Promise.all([
      settle(ask('capture.get', { id })),
      settle(fetchBody(id, 'raw', 0, firstBytes)),
    ])
    if (mine !== ticket) return
    if (!capture.ok) {
      showFailure(id, capture.error)
      return
    }
    const form = capture.value.encoding === null ? 'raw' : 'decoded'
    const chosen = form === 'raw' ? body : await settle(fetchBody(id, form, 0, firstBytes))
    if (mine !== ticket) return
    store.setState({ detail: openCapture(capture.value, false, bodyState(chosen)) })
  }

  function close(): void {
    ticket += 1
    store.setState({ detail: { status: 'closed' } })
  }

  /** Gets the open capture anew, as after a pin elsewhere; what is revealed stays revealed. */
  async function refresh(): Promise<void> {
    const { detail } = store.getState()
    if (detail.status !== 'ready') return
    const mine = ticket
    const { id, revealed } = detail
    const capture = await settle(ask('capture.get', { id, reveal: revealed }))
    if (mine !== ticket) return
    if (capture.ok) patchOpen(id, () => ({ capture: capture.value }))
    else if (capture.error.code === notFound) showFailure(id, capture.error)
  }

  /** Shows what is masked: an explicit act, for this capture only. @throws AppError */
  async function reveal(): Promise<void> {
    const { detail } = store.getState()
    if (detail.status !== 'ready') return
    const mine = ticket
    const { id } = detail
    const capture = await ask('capture.get', { id, reveal: true })
    if (mine === ticket) patchOpen(id, () => ({ capture, revealed: true }))
  }

  /** Shows the body as received or as decoded, from its beginning. */
  async function chooseForm(form: BodyForm): Promise<void> {
    const { detail } = store.getState()
    if (detail.status !== 'ready') return
    const mine = ++ticket
    const { id } = detail
    const body = await settle(fetchBody(id, form, 0, firstBytes))
    if (mine === ticket) patchOpen(id, () => ({ body: bodyState(body) }))
  }

  /** Fetches the part after what is there. @throws AppError */
  async function loadMore(): Promise<void> {
    const { detail } = store.getState()
    if (detail.status !== 'ready' || detail.body.status !== 'ready') return
    if (detail.body.loadingMore) return
    const mine = ticket
    const { id } = detail
    const { body } = detail.body
    patchOpen(id, () => ({ body: { status: 'ready', body, loadingMore: true } }))
    try {
      const next = await fetchBody(id, body.form, body.bytes.length, moreBytes)
      if (mine !== ticket) return
      const bytes = new Uint8Array(body.bytes.length + next.bytes.length)
      bytes.set(body.bytes)
      bytes.set(next.bytes, body.bytes.length)
      const joined = { ...body, bytes }
      patchOpen(id, () => ({ body: { status: 'ready', body: joined, loadingMore: false } }))
    } catch (error) {
      if (mine !== ticket) return
      patchOpen(id, () => ({ body: { status: 'ready', body, loadingMore: false } }))
      throw error
    }
  }

  /** Bytes of a body, for the hex view and for saving. @throws AppError */
  async function fetchBody(
    id: number,
    form: BodyForm,
    offset: number,
    limit: number,
  ): Promise<LoadedBody> {
    const answer = await ask('capture.body', { id, form, offset, limit })
    return {
      form,
      bytes: bytesFromBase64(answer.base64),
      totalBytes: answer.totalBytes,
      decodeProblem: answer.decodeProblem,
    }
  }

  /** The whole body, part by part. @throws AppError */
  async function fetchWhole(id: number, form: BodyForm): Promise<Uint8Array<ArrayBuffer>[]> {
    const parts: Uint8Array<ArrayBuffer>[] = []
    let offset = 0
    for (;;) {
      const { bytes, totalBytes } = await fetchBody(id, form, offset, moreBytes)
      parts.push(bytes)
      offset += bytes.length
      if (offset >= totalBytes || bytes.length === 0) return parts
    }
  }

  function patchOpen(id: number, change: (open: OpenCapture) => Partial<OpenCapture>): void {
    store.setState(({ detail }) =>
      detail.status === 'ready' && detail.id === id
        ? { detail: { ...detail, ...change(detail) } }
        : {},
    )
  }

  function showFailure(id: number, error: ReturnType<typeof errorBody>): void {
    const isGone = error.code === notFound
    store.setState({ detail: isGone ? { status: 'gone', id } : { status: 'failed', id, error } })
  }

  return { open, close, refresh, reveal, chooseForm, loadMore, fetchBody, fetchWhole }
}

type Settled<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ReturnType<typeof errorBody> }

async function settle<T>(promise: Promise<T>): Promise<Settled<T>> {
  try {
    return { ok: true, value: await promise }
  } catch (error) {
    return { ok: false, error: errorBody(error) }
  }
}

function openCapture(capture: CaptureDetail, revealed: boolean, body: BodyState): OpenCapture {
  return { status: 'ready', id: capture.id, capture, revealed, body }
}

function bodyState(body: Settled<LoadedBody>): BodyState {
  return body.ok
    ? { status: 'ready', body: body.value, loadingMore: false }
    : { status: 'failed', error: body.error }
}
