/** Exports of this start of the app: they run whatever page is open, and are saved when they are done. */
import { create } from 'zustand'
import type {
  ExportFile,
  Input,
  InvoiceExport,
  NetworkId,
} from '../../../../src-preload/contract/index.ts'
import { attempt } from '../../../attempt.ts'
import { on, onReconnect, request } from '../../../bridge.ts'
import { formatCount } from '../../../format.ts'
import { announce } from '../../../ui/live-region.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { saveExport, useExport } from '../../files/save-export.ts'
import { mergeJobs } from '../../jobs/job-state.ts'
import { isDialogOpen } from './dialog-state.ts'

type Exports = {
  /** Newest first. */
  readonly list: readonly InvoiceExport[]
  /** Files that are with the person already; they can be read once. */
  readonly saved: ReadonlySet<string>
  /** Put out of sight. */
  readonly away: ReadonlySet<number>
}

export const useExports = create<Exports>(() => ({
  list: [],
  saved: new Set(),
  away: new Set(),
}))

/** Started by this window: their end is told here. */
const mine = new Set<number>()
let isFollowing = false

/** From the first time that exports are shown on; never stopped, for they outlive their page. */
export function followExports(): void {
  if (isFollowing) return
  isFollowing = true
  on('invoiceExport.changed', ({ exports }) => take(exports))
}

export async function listExports(network: NetworkId): Promise<void> {
  const listed = await request('invoiceExport.list', { network })
  take(listed)
}

/** @throws AppError as the route does */
export async function startExport(order: Input<'invoiceExport.start'>): Promise<void> {
  const started = await request('invoiceExport.start', order)
  mine.add(started.id)
  announce('Exporting')
  // It may be done before its start is answered.
  const known = useExports.getState().list.find(({ id }) => id === started.id)
  if (known === undefined || known.state === 'running') take([started])
  else settle(known)
}

export async function cancelExport(id: number): Promise<void> {
  const cancelled = await attempt('Could not cancel the export', () =>
    request('invoiceExport.cancel', { id }),
  )
  if (cancelled !== undefined) take([cancelled])
}

export function putAway(id: number): void {
  useExports.setState(({ away }) => ({ away: new Set([...away, id]) }))
}

export async function saveFile({ format }: InvoiceExport, file: ExportFile): Promise<void> {
  const isSaved = await saveExport(format.toUpperCase(), () => Promise.resolve(file))
  if (isSaved) useExports.setState(({ saved }) => ({ saved: new Set([...saved, file.id]) }))
}

export function reloadAfterLoss(network: NetworkId): () => void {
  return onReconnect(() => void attempt('Could not list the exports', () => listExports(network)))
}

function take(changed: readonly InvoiceExport[]): void {
  const before = new Map(useExports.getState().list.map((each) => [each.id, each.state]))
  useExports.setState(({ list }) => ({ list: mergeJobs(list, changed) }))
  for (const each of changed) {
    if (before.get(each.id) !== each.state) settle(each)
  }
}

/** Once it has ended: the file is saved where it is waited for, else one is told of it. */
function settle(ended: InvoiceExport): void {
  if (ended.state === 'running' || !mine.delete(ended.id)) return
  const { file, state, problem } = ended
  if (state === 'done' && file !== null) {
    announce('The export is done')
    if (isDialogOpen() && useExport.getState().now === null) void saveFile(ended, file)
    else
      showToast({
        id: `invoice-export-${ended.id}`,
        title: `${file.name} is made`,
        detail: formatCount(ended.rows, 'row'),
        action: { label: 'Save', run: () => void saveFile(ended, file) },
      })
    return
  }
  if (state === 'failed' && !isDialogOpen()) {
    showToast({
      title: 'The export of invoices failed',
      detail: problem ?? 'The main process says no more.',
      tone: 'bad',
    })
  }
}
