import { create } from 'zustand'
import type { CaptureDetail } from '../../../src-preload/contract/capture.ts'
import type { AppError } from '../../../src-preload/domain/app-error.ts'
import type { captureCodes } from '../../../src-preload/domain/error-codes.ts'
import { toAppError } from '../../app/bridge.ts'
import type { BodyForm, LoadedBody } from '../../components/body/body-view.tsx'
import { bytesFromBase64 } from '../../components/body/bytes.ts'
import type { Ask } from './capture-rows.ts'

/** The value of `captureCodes`, without its schemas. */
const notFound: (typeof captureCodes)['notFound'] = 'CAPTURE_NOT_FOUND'

/** Fetched together with a capture; nearly every body is smaller. */
const firstBytes = 1_048_576
/** The most that one further request returns. */
const moreBytes = 4_194_304

type BodyState =
  | { readonly status: 'failed'; readonly error: AppError }
  | { readonly status: 'ready'; readonly body: LoadedBody; readonly isLoadingMore: boolean }

export type OpenCapture = {
  readonly status: 'ready'
  readonly id: number
  readonly capture: CaptureDetail
  /** Secrets are shown, for this capture and until another one is opened. */
  readonly revealed: boolean
  readonly body: BodyState
}

type DetailState =
  | { readonly status: 'closed' }
  /** The capture before stays in sight until the next one is here, so that nothing flickers. */
  | { readonly status: 'loading'; readonly id: number; readonly former: OpenCapture | null }
  | { readonly status: 'gone'; readonly id: number }
  | { readonly status: 'failed'; readonly id: number; readonly error: AppError }
  | OpenCapture

/** The capture beside the list, with its body; a response for one that was left is dropped. */
export function createCaptureDetail(ask: Ask) {
  const use = create<{ readonly detail: DetailState }>(() => ({ detail: { status: 'closed' } }))
  let ticket = 0
  const show = (detail: DetailState) => use.setState({ detail })

  async function open(id: number): Promise<void> {
    const mine = ++ticket
    const { detail } = use.getState()
    if (openId() !== id || detail.status === 'failed' || detail.status === 'gone') {
      const former = detail.status === 'ready' ? detail : null
      show({ status: 'loading', id, former: detail.status === 'loading' ? detail.former : former })
    }
    const firstBody = bodyState(id, 'raw')
    try {
      const capture = await ask('capture.get', { id })
      const body = await (capture.encoding === null ? firstBody : bodyState(id, 'decoded'))
      if (mine === ticket) show({ status: 'ready', id, capture, revealed: false, body })
    } catch (error) {
      if (mine === ticket) showFailure(id, toAppError(error))
    }
  }

  function openId(): number | null {
    const { detail } = use.getState()
    return detail.status === 'closed' ? null : detail.id
  }

  function openCapture(): OpenCapture | null {
    const { detail } = use.getState()
    return detail.status === 'ready' ? detail : null
  }

  function showFailure(id: number, error: AppError): void {
    show(error.code === notFound ? { status: 'gone', id } : { status: 'failed', id, error })
  }

  function patch(id: number, part: Partial<OpenCapture>): void {
    const now = openCapture()
    if (now?.id === id) show({ ...now, ...part })
  }

  async function bodyState(id: number, form: BodyForm): Promise<BodyState> {
    try {
      const body = await fetchBody(id, form, 0, firstBytes)
      return { status: 'ready', body, isLoadingMore: false }
    } catch (error) {
      return { status: 'failed', error: toAppError(error) }
    }
  }

  /** @throws AppError */
  async function fetchBody(
    id: number,
    form: BodyForm,
    offset: number,
    limit: number,
  ): Promise<LoadedBody> {
    const { base64, totalBytes, decodeProblem } = await ask('capture.body', {
      ...{ id, form, offset, limit },
    })
    return { form, bytes: bytesFromBase64(base64), totalBytes, decodeProblem }
  }

  return {
    use,
    open,
    openId,
    close(): void {
      ticket += 1
      show({ status: 'closed' })
    },
    /** Loads the open capture again, after a change elsewhere; revealed secrets stay revealed. */
    async refresh(): Promise<void> {
      const now = openCapture()
      if (now === null) return
      const mine = ticket
      try {
        const capture = await ask('capture.get', { id: now.id, reveal: now.revealed })
        if (mine === ticket) patch(now.id, { capture })
      } catch (problem) {
        const error = toAppError(problem)
        if (mine === ticket && error.code === notFound) showFailure(now.id, error)
      }
    },
    /** Shows the secrets of this capture. @throws AppError */
    async reveal(): Promise<void> {
      const now = openCapture()
      if (now === null) return
      const mine = ticket
      const capture = await ask('capture.get', { id: now.id, reveal: true })
      if (mine === ticket) patch(now.id, { capture, revealed: true })
    },
    /** Shows the body as received or decoded, from its beginning. */
    async chooseForm(form: BodyForm): Promise<void> {
      const now = openCapture()
      if (now === null) return
      const mine = ++ticket
      const body = await bodyState(now.id, form)
      if (mine === ticket) patch(now.id, { body })
    },
    /** Fetches the next part of the body. @throws AppError */
    async loadMore(): Promise<void> {
      const now = openCapture()
      if (now?.body.status !== 'ready' || now.body.isLoadingMore) return
      const mine = ticket
      const { body } = now.body
      const set = (loaded: LoadedBody, isLoadingMore: boolean) => {
        if (mine === ticket)
          patch(now.id, { body: { status: 'ready', body: loaded, isLoadingMore } })
      }
      set(body, true)
      try {
        const next = await fetchBody(now.id, body.form, body.bytes.length, moreBytes)
        const bytes = new Uint8Array(body.bytes.length + next.bytes.length)
        bytes.set(body.bytes)
        bytes.set(next.bytes, body.bytes.length)
        set({ ...body, bytes }, false)
      } catch (error) {
        set(body, false)
        if (mine === ticket) throw error
      }
    },
    fetchBody,
    /** @throws AppError */
    async fetchWhole(id: number, form: BodyForm): Promise<Uint8Array<ArrayBuffer>[]> {
      const parts: Uint8Array<ArrayBuffer>[] = []
      for (let offset = 0; ;) {
        const { bytes, totalBytes } = await fetchBody(id, form, offset, moreBytes)
        parts.push(bytes)
        offset += bytes.length
        if (offset >= totalBytes || bytes.length === 0) return parts
      }
    },
    /** Changes the open capture before the app confirms it. */
    patchCapture(
      ids: readonly number[],
      part: Partial<Pick<CaptureDetail, 'pinned' | 'note'>>,
    ): void {
      const now = openCapture()
      if (now !== null && ids.includes(now.id)) {
        patch(now.id, { capture: { ...now.capture, ...part } })
      }
    },
  }
}
