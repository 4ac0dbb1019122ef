/** Exports that the main process writes by itself: they run whatever page is open, and are saved when they are done. */
import { create } from 'zustand'
import type { ExportFile, JobState } from '../../../src-preload/contract/lookup.ts'
import { attempt } from '../../app/attempt.ts'
import { announce } from '../../ui/live-region.tsx'
import { showToast } from '../../ui/toast.tsx'
import { mergeJobs } from '../jobs/job-state.ts'
import { saveExport, useExport } from './save-export.ts'

type ExportRun = {
  readonly id: number
  readonly format: string
  readonly state: JobState
  readonly problem: string | null
  readonly file: ExportFile | null
}

type Runs<T> = {
  /** Newest first. */
  readonly list: readonly T[]
  /** Files that are with the person already; they can be read once. */
  readonly saved: ReadonlySet<string>
  /** Put out of sight. */
  readonly away: ReadonlySet<number>
}

type ExportRunsOptions<T extends ExportRun> = {
  /** In the plural: “invoices”. */
  readonly what: string
  readonly cancel: (id: number) => Promise<T>
  /** True while the dialog is open, where a file is saved as soon as it is made. */
  readonly isWaitedFor: () => boolean
  /** How much it holds: “12 rows”. */
  readonly sayCount: (run: T) => string
}

export function createExportRuns<T extends ExportRun>(options: ExportRunsOptions<T>) {
  const useRuns = create<Runs<T>>(() => ({ list: [], saved: new Set(), away: new Set() }))
  /** Started by this window: their end is told here. */
  const mine = new Set<number>()

  async function save({ format }: T, file: ExportFile): Promise<void> {
    const isSaved = await saveExport(format.toUpperCase(), () => Promise.resolve(file))
    if (isSaved) useRuns.setState(({ saved }) => ({ saved: new Set([...saved, file.id]) }))
  }

  /** Once it has ended: the file is saved where it is waited for, else one is told of it. */
  function settle(ended: T): void {
    if (ended.state === 'running' || !mine.delete(ended.id)) return
    const { file, state, problem } = ended
    if (state === 'done' && file !== null) {
      announce('The export is done')
      if (options.isWaitedFor() && useExport.getState().now === null) void save(ended, file)
      else
        showToast({
          id: `export-of-${options.what}-${ended.id}`,
          title: `${file.name} is made`,
          detail: options.sayCount(ended),
          action: { label: 'Save', run: () => void save(ended, file) },
        })
      return
    }
    if (state === 'failed' && !options.isWaitedFor()) {
      showToast({
        title: `The export of ${options.what} failed`,
        detail: problem ?? 'The main process says no more.',
        tone: 'bad',
      })
    }
  }

  function take(changed: readonly T[]): void {
    const before = new Map(useRuns.getState().list.map((each) => [each.id, each.state]))
    useRuns.setState(({ list }) => ({ list: mergeJobs(list, changed) }))
    for (const each of changed) if (before.get(each.id) !== each.state) settle(each)
  }

  return {
    useRuns,
    /** What the main process tells of them. */
    take,
    save,
    /** One that this window has had started. */
    started(run: T): void {
      mine.add(run.id)
      announce('Exporting')
      // It may be done before its start is answered.
      const known = useRuns.getState().list.find(({ id }) => id === run.id)
      if (known === undefined || known.state === 'running') take([run])
      else settle(known)
    },
    async cancel(id: number): Promise<void> {
      const cancelled = await attempt('Could not cancel the export', () => options.cancel(id))
      if (cancelled !== undefined) take([cancelled])
    },
    putAway(id: number): void {
      useRuns.setState(({ away }) => ({ away: new Set([...away, id]) }))
    },
  }
}
