/** Exports of captures since the app was started: they run whatever page is open. */
import { create } from 'zustand'
import type { CaptureExport, ExportFile, Input } from '../../../src-preload/contract/index.ts'
import { attempt } from '../../attempt.ts'
import { on, onReconnect, request } from '../../bridge.ts'
import { formatCount } from '../../format.ts'
import { announce } from '../../ui/live-region.tsx'
import { showToast } from '../../ui/toast.tsx'
import { saveExport, useExport } from '../files/save-export.ts'
import { mergeJobs } from '../jobs/job-state.ts'
import { isExportOpen } from './export-dialog-state.ts'

type Exports = {
  /** Newest first. */
  readonly list: readonly CaptureExport[]
  /** Files that are with the person already; they can be read once. */
  readonly saved: ReadonlySet<string>
  /** Put out of sight. */
  readonly away: ReadonlySet<number>
}

export const useCaptureExports = create<Exports>(() => ({
  list: [],
  saved: new Set(),
  away: new Set(),
}))

/** Started by this window: their end is told here. */
const mine = new Set<number>()
let isFollowing = false

/** From the first time that the dialog is there on; never stopped, for they outlive their page. */
export function followExports(): void {
  if (isFollowing) return
  isFollowing = true
  on('exchange.exportChanged', ({ exports }) => take(exports))
  const list = () =>
    void attempt('Could not list the exports', async () => take(await request('exchange.exports')))
  onReconnect(list)
  list()
}

/** @throws AppError as the route does */
export async function startExport(order: Input<'exchange.export'>): Promise<void> {
  const started = await request('exchange.export', order)
  mine.add(started.id)
  announce('Exporting')
  // It may be done before its start is answered.
  const known = useCaptureExports.getState().list.find(({ id }) => id === started.id)
  if (known === undefined || known.state === 'running') take([started])
  else settle(known)
}

export async function cancelExport(id: number): Promise<void> {
  const cancelled = await attempt('Could not cancel the export', () =>
    request('exchange.cancelExport', { id }),
  )
  if (cancelled !== undefined) take([cancelled])
}

export function putAway(id: number): void {
  useCaptureExports.setState(({ away }) => ({ away: new Set([...away, id]) }))
}

export async function saveFile({ format }: CaptureExport, file: ExportFile): Promise<void> {
  const isSaved = await saveExport(format.toUpperCase(), () => Promise.resolve(file))
  if (!isSaved) return
  useCaptureExports.setState(({ saved }) => ({ saved: new Set([...saved, file.id]) }))
}

function take(changed: readonly CaptureExport[]): void {
  const before = new Map(useCaptureExports.getState().list.map((each) => [each.id, each.state]))
  useCaptureExports.setState(({ list }) => ({ list: mergeJobs(list, changed) }))
  for (const each of changed) if (before.get(each.id) !== each.state) settle(each)
}

/** Once it has ended: the file is saved where it is waited for, else one is told of it. */
function settle(ended: CaptureExport): void {
  if (ended.state === 'running' || !mine.delete(ended.id)) return
  const { file, state, problem } = ended
  if (state === 'done' && file !== null) {
    announce('The export is done')
    if (isExportOpen() && useExport.getState().now === null) void saveFile(ended, file)
    else
      showToast({
        id: `capture-export-${ended.id}`,
        title: `${file.name} is made`,
        detail: formatCount(ended.captures, 'capture'),
        action: { label: 'Save', run: () => void saveFile(ended, file) },
      })
    return
  }
  if (state === 'failed' && !isExportOpen()) {
    showToast({
      title: 'The export of captures failed',
      detail: problem ?? 'The main process says no more.',
      tone: 'bad',
    })
  }
}
