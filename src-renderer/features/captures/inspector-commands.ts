import type { Shell } from '../../../src-preload/contract/capture.ts'
import { attempt } from '../../app/attempt.ts'
import { request } from '../../app/bridge.ts'
import { formatCount } from '../../ui/format.ts'
import { captureHref, navigate, useRoute } from '../../app/route.ts'
import { confirm } from '../../ui/confirm.tsx'
import { copyText } from '../../ui/copy-button.tsx'
import { announce } from '../../ui/live-region.tsx'
import { showToast } from '../../ui/toast.tsx'
import { choices, detail, live, useInspector } from './inspector.ts'
import { type Query, openId } from './inspector-state.ts'
import { withTerm } from '../../components/query/query-text.ts'

/** Browsers refuse an address that changes more than some 200 times in half a minute. */
const addressMs = 150
let addressTimer: ReturnType<typeof setTimeout> | undefined

function go(captureId: number | null, query: Query, replace: boolean): void {
  clearTimeout(addressTimer)
  navigate({ page: 'inspector', captureId, query }, { replace })
}

function isHere(): boolean {
  return useRoute.getState().route.page === 'inspector'
}

/** Opens a capture; its link stands in the address bar. */
export function openRow(id: number, replace = false): void {
  const { query, detail: open } = useInspector.getState()
  useInspector.setState({ cursor: id })
  if (openId(open) !== id) go(id, query, replace || open.status !== 'closed')
}

/** Walks down or up the list; an open detail goes along, its address a moment later. */
export function move(to: (index: number, count: number) => number): void {
  const id = choices.moveCursor(to)
  const { query, detail: open } = useInspector.getState()
  if (id === null || open.status === 'closed' || open.id === id) return
  void detail.open(id)
  clearTimeout(addressTimer)
  addressTimer = setTimeout(() => isHere() && go(id, query, true), addressMs)
}

export function openCursor(): void {
  const { cursor } = useInspector.getState()
  if (cursor !== null) openRow(cursor)
  else move(() => 0)
}

export function closeDetail(): void {
  go(null, useInspector.getState().query, false)
}

/** Puts away, one thing a press: the selection, the detail, the cursor. */
export function escape(): void {
  const { marked, detail: open } = useInspector.getState()
  if (marked.size > 0) useInspector.setState({ marked: new Set<number>() })
  else if (open.status !== 'closed') {
    closeDetail()
    return
  } else useInspector.setState({ cursor: null })
  live.catchUp()
}

export function search(query: Query): void {
  go(openId(useInspector.getState().detail), query, true)
}

/** Puts a term in the place of all of its field; null takes them out. */
export async function changeTerm(text: string, field: string, value: string | null): Promise<void> {
  await attempt('Could not change the query', async () => {
    const { parts } = await request('captureQuery.read', { text })
    search({ text: withTerm(text, parts, field, value) })
  })
}

export function showNew(): void {
  void attempt('Could not fetch the new captures', () => live.showNew())
}

export function toggleMarkAtCursor(): void {
  const { cursor } = useInspector.getState()
  if (cursor !== null) choices.toggleMark(cursor)
}

export async function togglePin(ids: readonly number[] = choices.meant()): Promise<void> {
  if (ids.length === 0) return
  const pinned = choices.wouldPin(ids)
  await attempt(pinned ? 'Could not pin' : 'Could not unpin', async () => {
    await choices.pin(ids, pinned)
    const what = ids.length === 1 ? 'Capture' : formatCount(ids.length, 'capture')
    announce(`${what} ${pinned ? 'pinned' : 'unpinned'}`)
  })
}

/** Asks, then deletes; the open detail goes on to the row that took the place. */
export async function deleteCaptures(ids: readonly number[] = choices.meant()): Promise<void> {
  const only = ids[0]
  if (only === undefined) return
  const what = ids.length === 1 ? `capture ${only}` : formatCount(ids.length, 'capture')
  const yes = await confirm({
    title: `Delete ${what}?`,
    detail: 'What was received is removed from this computer. This cannot be undone.',
    action: ids.length === 1 ? 'Delete capture' : `Delete ${what}`,
    destructive: true,
  })
  if (!yes) return
  await attempt('Could not delete', async () => {
    const open = openId(useInspector.getState().detail)
    const deleted = await choices.deleteRows(ids)
    announce(`${formatCount(deleted, 'capture')} deleted`)
    if (open === null || !ids.includes(open)) return
    const { cursor, query } = useInspector.getState()
    go(cursor, query, true)
  })
}

export async function clearCaptures(keepPinned: boolean): Promise<void> {
  await attempt('Could not clear', async () => {
    const deleted = await choices.clear(keepPinned)
    showToast({ title: `${formatCount(deleted, 'capture')} deleted` })
    closeDetail()
  })
}

export async function saveNote(id: number, text: string): Promise<boolean> {
  const saved = await attempt('Could not save the note', async () => {
    await choices.note(id, text)
    announce(text === '' ? 'Note removed' : 'Note saved')
    return true
  })
  return saved === true
}

export async function revealSecrets(): Promise<void> {
  await attempt('Could not reveal', async () => {
    await detail.reveal()
    announce('Secrets of this capture are shown')
  })
}

export async function copyCurl(id: number, shell: Shell, reveal: boolean): Promise<void> {
  await attempt('Could not make the command', async () => {
    const { command, masked } = await request('capture.curl', { id, shell, reveal })
    if (!(await copyText(command, 'curl command'))) return
    showToast({
      title: 'curl command copied',
      ...(masked &&
        !reveal && { detail: 'Tokens in it are masked. The menu copies it with them.' }),
    })
  })
}

export async function copyLink(id: number): Promise<void> {
  const url = new URL(window.location.href)
  url.hash = captureHref(id)
  if (await copyText(url.href, 'Link')) showToast({ title: 'Link copied' })
}
