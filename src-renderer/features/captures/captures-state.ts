/** The state of the Inspector and the actions on captures. */
import { createRef } from 'react'
import { create } from 'zustand'
import type { Shell } from '../../../src-preload/contract/capture.ts'
import type { SnippetLanguage } from '../../../src-preload/contract/capture-files.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { attempt, confirmAndRun, on, onReconnect, request, useData } from '../../app/bridge.ts'
import { type ListQuery, captureHref, navigate, useRoute } from '../../app/route.ts'
import { createStored } from '../../app/stored.ts'
import type { QueryFieldHandle } from '../../components/query/query-field.tsx'
import { withTerm } from '../../components/query/query-text.ts'
import { announce, showToast, copyText } from '../../ui/toast.tsx'
import { formatCount } from '../../ui/format.ts'
import { createArrivals } from './arrivals.ts'
import { loadedCapture, openId, patchOpen, showSecrets, showCapture } from './capture-detail.ts'
import type { SendRequest } from './capture-rows.ts'
import { CaptureSource } from './capture-source.ts'

// Gives `request` one signature for all routes. The bridge's own signature has no second argument
// for routes without input.
const ask = request as SendRequest
const isVisible = () => document.visibilityState === 'visible'

export const captureList = new CaptureSource({
  ask,
  later: (work, ms) => setTimeout(work, ms),
  isVisible,
  openId,
  patchOpen,
})

/** The search field, while the page is shown. */
export const queryField = createRef<QueryFieldHandle>()

const rowView = createStored('tondesk.capture-rows', ({ isGrouped }: { isGrouped?: boolean }) => ({
  isGrouped: isGrouped !== false,
}))
captureList.group(rowView.use.getState().isGrouped)

/** One row per payment, or per delivery; the choice stays. */
export function toggleGrouped(): void {
  const isGrouped = !captureList.use.getState().isGrouped
  rowView.change({ isGrouped })
  captureList.group(isGrouped)
}

/** The capture whose note is being edited. */
export const useEditedNote = create<{ readonly id: number | null }>(() => ({ id: null }))

/** Shows the results of a query, and stores which captures are unread now. */
export async function openPage(query: ListQuery): Promise<void> {
  const counts = ask('capture.counts', undefined).catch(() => null)
  await captureList.open(query)
  const now = await counts
  // If the counts could not be loaded, the list shows the reason, and the next event contains the counts.
  if (now !== null) captureList.startReading(now)
}

/** Masks revealed secrets again and ends the marking of unread captures. */
export function leavePage(): void {
  showCapture(null)
  captureList.stopReading()
}

/** Handles events while the page is displayed. @returns a function that stops this */
export function subscribeToCaptures(): () => void {
  const look = () => {
    if (isVisible()) captureList.catchUp()
  }
  document.addEventListener('visibilitychange', look)
  const arrivals = createArrivals((message) => announce(message, 'arrivals'))
  arrivals.note(captureList.use.getState())
  const stops = [
    captureList.use.subscribe(arrivals.note),
    arrivals.stop,
    on('capture.added', ({ counts }) => captureList.added(counts)),
    on('capture.classified', ({ upTo }) => captureList.classified(upTo)),
    on('capture.changed', ({ ids, counts }) => captureList.changed(ids, counts)),
    onReconnect(() => void openPage(captureList.use.getState().query)),
    () => document.removeEventListener('visibilitychange', look),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** The pause between changes of the address. Browsers refuse more than about 200 changes in half a minute. */
const addressMs = 150
let addressTimer: ReturnType<typeof setTimeout> | undefined

function go(captureId: number | null, replace: boolean, query = captureList.use.getState().query) {
  clearTimeout(addressTimer)
  navigate({ page: 'captures', captureId, query }, { replace })
}

export function openCapture(id: number): void {
  const open = openId()
  captureList.putId(id)
  if (open !== id) go(id, open !== null)
}

/** Shows the capture at the cursor. The address changes a moment later. */
export function moveCursorTo(id: number): void {
  if (openId() === id) return
  showCapture(id)
  clearTimeout(addressTimer)
  const isHere = () => useRoute.getState().route.page === 'captures'
  addressTimer = setTimeout(() => isHere() && go(id, true), addressMs)
}

export function closeDetail(): void {
  go(null, false)
}

/** Opens the capture at the cursor and the field of its note. */
export function editNote(): void {
  const id = captureList.use.getState().cursorId ?? openId()
  if (id === null) return
  openCapture(id)
  useEditedNote.setState({ id })
}

export function search(text: string): void {
  go(openId(), true, { text })
}

/** Replaces all terms of a field in the query; null removes these terms. */
export async function changeTerm(text: string, field: string, value: string | null): Promise<void> {
  await attempt('Could not change the query', async () => {
    const { parts } = await request('captureQuery.read', { text })
    search(withTerm(text, parts, field, value))
  })
}

/** Pins all of these captures if one of them is not pinned; otherwise unpins all. */
export async function togglePin(ids = captureList.targets()): Promise<void> {
  if (ids.length === 0) return
  const { rows } = captureList.use.getState()
  const open = loadedCapture()
  const isPinned = (id: number) => (open?.id === id ? open.capture.pinned : rows.get(id)?.pinned)
  const pinned = ids.some((id) => isPinned(id) !== true)
  await attempt(pinned ? 'Could not pin' : 'Could not unpin', async () => {
    await captureList.pin(ids, pinned)
    announce(`${describeCaptures(ids)} ${pinned ? 'pinned' : 'unpinned'}`)
  })
}

const describeCaptures = (ids: readonly number[]) =>
  ids.length === 1 ? 'Capture' : formatCount(ids.length, 'capture')

/** Deletes captures after a question. The detail then shows the row that takes their place. */
export async function deleteCaptures(ids = captureList.targets()): Promise<void> {
  const only = ids[0]
  if (only === undefined) return
  const what = ids.length === 1 ? `capture ${only}` : formatCount(ids.length, 'capture')
  await confirmAndRun({
    title: `Delete ${what}?`,
    detail: 'Selected captures are deleted from this computer. You cannot undo this.',
    action: ids.length === 1 ? 'Delete capture' : `Delete ${what}`,
    failure: 'Could not delete the captures',
    run: async () => {
      const open = openId()
      const { deleted } = await request('capture.delete', { ids })
      captureList.remove(ids)
      announce(`${formatCount(deleted, 'capture')} deleted`)
      if (open !== null && ids.includes(open)) go(captureList.use.getState().cursorId, true)
    },
  })
}

export async function clearCaptures(keepPinned: boolean): Promise<void> {
  await attempt('Could not delete the captures', async () => {
    const { deleted } = await request('capture.clear', { keepPinned })
    await captureList.open(captureList.use.getState().query)
    captureList.putId(null)
    showToast({ title: `${formatCount(deleted, 'capture')} deleted` })
    closeDetail()
  })
}

/** @returns false if the note could not be saved */
export async function saveNote(id: number, note: string): Promise<boolean> {
  const saved = await attempt('Could not save the note', async () => {
    await captureList.note(id, note)
    announce(note === '' ? 'Note removed' : 'Note saved')
    return true
  })
  return saved === true
}

export async function revealSecrets(): Promise<void> {
  await attempt('Could not show the secrets', async () => {
    await showSecrets()
    announce('Secrets of this capture are shown')
  })
}

/** @param what the name of the copied text */
export async function copySnippet(
  id: number,
  language: SnippetLanguage,
  what: string,
  reveal: boolean,
): Promise<void> {
  await attempt(`Could not copy the ${what}`, async () => {
    const { text, masked } = await request('capture.snippet', { id, language, reveal })
    if (!(await copyText(text, what))) return
    const isMasked = masked && !reveal
    showToast({
      title: `${what} copied`,
      ...(isMasked && {
        detail: 'Tokens are masked. To copy the tokens too, choose “with tokens” in the copy menu.',
      }),
    })
  })
}

export async function copyLink(id: number): Promise<void> {
  const url = new URL(window.location.href)
  url.hash = captureHref(id)
  if (await copyText(url.href, 'Link')) showToast({ title: 'Link copied' })
}

/** Assigns a network on behalf of the user; null lets Tondesk detect the network again. */
export async function assignNetwork(
  ids: readonly number[],
  network: NetworkId | null,
): Promise<void> {
  await attempt('Could not set the network', async () => {
    await request('explanation.setNetwork', { ids: [...ids], network })
    announce(`Network of ${formatCount(ids.length, 'capture')} set`)
  })
}

/** Returns the shell of this computer, for which commands are copied. */
export const useShell = (): Shell =>
  useData('app.info').data?.platform === 'win32' ? 'powershell' : 'posix'
