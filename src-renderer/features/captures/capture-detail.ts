import { keepPreviousData } from '@tanstack/react-query'
import { create } from 'zustand'
import type { CaptureDetail } from '../../../src-preload/contract/capture.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { queries, request, toAppError } from '../../app/bridge.ts'
import type { BodyForm, LoadedBody } from '../../components/body/body-view.tsx'
import { bytesFromBase64 } from '../../components/body/bytes.ts'

/**
 * The first part of a body, which is fetched together with the capture. Nearly every body is
 * smaller than this.
 */
const firstBytes = 1_048_576
/** The maximum size of each further part of a body. */
const moreBytes = 4_194_304
/** A closed capture is removed from memory after this time, and its secrets with it. */
const keptMs = 1000

type Open = {
  readonly id: number
  /** True if the secrets of this capture are shown. They are masked again when another capture is opened. */
  readonly revealed: boolean
  /** The form of the displayed body; null shows a compressed body in its decoded form. */
  readonly form: BodyForm | null
}

export type OpenCapture = {
  readonly id: number
  readonly revealed: boolean
  readonly capture: CaptureDetail
  /** The loaded body, or the error of loading it. */
  readonly body: LoadedBody | AppError
}

/** The capture that is open beside the list. */
export const useOpen = create<{ readonly open: Open | null; readonly isLoadingMore: boolean }>(
  () => ({ open: null, isLoadingMore: false }),
)

export const openId = () => useOpen.getState().open?.id ?? null

/** Opens another capture with its secrets masked; null closes the open one. */
export function showCapture(id: number | null): void {
  if (id === openId()) return
  useOpen.setState({
    open: id === null ? null : { id, revealed: false, form: null },
    isLoadingMore: false,
  })
}

/**
 * Loads the open capture with its body. The previous capture stays on the screen until then, so
 * that nothing flickers.
 */
export const captureQuery = (open: Open) => ({
  queryKey: ['capture.get', open],
  queryFn: () => load(open),
  placeholderData: keepPreviousData,
  gcTime: keptMs,
})

const answersTo = (id: number) => ({ queryKey: ['capture.get', { id }] })

/** Returns the open capture once it is loaded. */
export function loadedCapture(): OpenCapture | undefined {
  const { open } = useOpen.getState()
  return open === null ? undefined : queries.getQueryData(captureQuery(open).queryKey)
}

async function load({ id, revealed, form }: Open): Promise<OpenCapture> {
  const usual = form ?? 'raw'
  const early = loadedBodies(id).length === 0 ? fetchFirst(id, usual) : null
  const capture = await request('capture.get', { id, reveal: revealed })
  const wanted = form ?? (capture.encoding === null ? 'raw' : 'decoded')
  const fetched = wanted === usual ? await early : null
  // A body never changes, so each form of it is loaded only once.
  const loaded = loadedBodies(id).find((body) => body.form === wanted)
  return { id, revealed, capture, body: fetched ?? loaded ?? (await fetchFirst(id, wanted)) }
}

function loadedBodies(id: number): LoadedBody[] {
  const responses = queries.getQueriesData<OpenCapture>(answersTo(id))
  return responses.flatMap(([, known]) =>
    known === undefined || known.body instanceof AppError ? [] : [known.body],
  )
}

const fetchFirst = (id: number, form: BodyForm): Promise<LoadedBody | AppError> =>
  fetchBody(id, form, 0, firstBytes).catch(toAppError)

/** @throws AppError */
export async function fetchBody(
  id: number,
  form: BodyForm,
  offset: number,
  limit: number,
): Promise<LoadedBody> {
  const { base64, totalBytes, decodeProblem } = await request('capture.body', {
    id,
    form,
    offset,
    limit,
  })
  return { form, bytes: bytesFromBase64(base64), totalBytes, decodeProblem }
}

/** @throws AppError */
export async function fetchWholeBody(
  id: number,
  form: BodyForm,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  for (let offset = 0; ;) {
    const { bytes, totalBytes } = await fetchBody(id, form, offset, moreBytes)
    parts.push(bytes)
    offset += bytes.length
    if (offset >= totalBytes || bytes.length === 0) return parts
  }
}

/** Shows the secrets of the open capture. @throws AppError */
export async function showSecrets(): Promise<void> {
  const { open } = useOpen.getState()
  if (open === null) return
  const revealed: Open = { ...open, revealed: true }
  await queries.query(captureQuery(revealed))
  if (useOpen.getState().open === open) useOpen.setState({ open: revealed })
}

/** Shows the body as received or as decoded, beginning with its first part. */
export function chooseForm(form: BodyForm): void {
  useOpen.setState(({ open }) => ({ open: open && { ...open, form } }))
}

/** Fetches the next part of the body. @throws AppError */
export async function loadMore(): Promise<void> {
  const { id = 0, body } = loadedCapture() ?? {}
  const isLoadable = body !== undefined && !(body instanceof AppError)
  if (!isLoadable || useOpen.getState().isLoadingMore) return
  useOpen.setState({ isLoadingMore: true })
  try {
    const next = await fetchBody(id, body.form, body.bytes.length, moreBytes)
    const bytes = new Uint8Array(body.bytes.length + next.bytes.length)
    bytes.set(body.bytes)
    bytes.set(next.bytes, body.bytes.length)
    queries.setQueriesData<OpenCapture>(answersTo(id), (known) =>
      known?.body === body ? { ...known, body: { ...body, bytes } } : known,
    )
  } finally {
    if (openId() === id) useOpen.setState({ isLoadingMore: false })
  }
}

/** Changes the open capture on the screen before the main process has confirmed the change. */
export function patchOpen(
  ids: readonly number[],
  part: Partial<Pick<CaptureDetail, 'pinned' | 'note'>>,
): void {
  const id = openId()
  if (id === null || !ids.includes(id)) return
  queries.setQueriesData<OpenCapture>(
    answersTo(id),
    (known) => known && { ...known, capture: { ...known.capture, ...part } },
  )
}
