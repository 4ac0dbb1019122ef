/** The progress of running jobs in the dock or the taskbar. */
import { type BrowserWindow, app } from 'electron'
import { type JobCounts, type JobName, jobCounts } from '../../src-preload/contract/job.ts'
import type { EventMessage, EventName, Events } from '../../src-preload/contract/routes.ts'
import type { JobState } from '../../src-preload/contract/lookup.ts'
import type { EventHub } from '../bridge/events.ts'

type JobProgress = {
  readonly id: number | string
  readonly state: JobState
  /** From 0 to 1; null while the total is unknown. */
  readonly share: number | null
}

/** The displayed progress, in the form that `setProgressBar` takes. */
type Bar = {
  readonly value: number
  readonly mode: 'none' | 'normal' | 'indeterminate' | 'error'
}

const noBar: Bar = { value: -1, mode: 'none' }

/** Reads the jobs from each event. */
const readers: {
  readonly [N in EventName]?: (payload: Events[N]) => readonly JobProgress[]
} = {
  'captureImport.changed': ({ id, state }) => [
    progressOf({ id, state: state === 'reading' ? 'running' : state }, 0, null),
  ],
  'job.changed'({ kind, jobs }) {
    // The type of a job depends on its kind.
    const counts: Readonly<Partial<Record<JobName, (job: never) => JobCounts>>> = jobCounts
    const read = counts[kind] as ((job: object) => JobCounts) | undefined
    if (read === undefined) return []
    return jobs.map((job) => progressOf(job as Pick<JobProgress, 'id' | 'state'>, ...read(job)))
  },
}

function progressOf(
  { id, state }: Pick<JobProgress, 'id' | 'state'>,
  done: number,
  total: number | null,
): JobProgress {
  if (total === null) return { id, state, share: null }
  return { id, state, share: total === 0 ? 1 : Math.min(1, done / total) }
}

/**
 * Follows jobs by their events. The bar shows their mean progress while any of them runs. After a
 * failure it shows the failure until `seen` is called or another job begins.
 */
export function createProgress() {
  const running = new Map<string, JobProgress>()
  let hasFailed = false

  return {
    take({ name, payload }: EventMessage): void {
      const kind = 'kind' in payload ? payload.kind : name
      if (name === 'job.removed') running.delete(`${kind} ${payload.id}`)
      const read = readers[name] as ((payload: unknown) => readonly JobProgress[]) | undefined
      for (const job of read?.(payload) ?? []) {
        const key = `${kind} ${job.id}`
        if (job.state === 'running') {
          if (!running.has(key)) hasFailed = false
          running.set(key, job)
        } else if (running.delete(key) && job.state === 'failed') {
          hasFailed = true
        }
      }
    },
    seen(): void {
      hasFailed = false
    },
    bar(): Bar {
      const jobs = [...running.values()]
      const shares = jobs.flatMap(({ share }) => share ?? [])
      const mean = shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length)
      if (hasFailed) return { value: jobs.length === 0 ? 1 : mean, mode: 'error' }
      if (jobs.length === 0) return noBar
      // Electron treats a value above 1 as unknown progress.
      return shares.length === 0
        ? { value: 2, mode: 'indeterminate' }
        : { value: mean, mode: 'normal' }
    },
  }
}

export function showProgress(events: EventHub, windows: () => readonly BrowserWindow[]): void {
  const progress = createProgress()
  let shown = noBar

  function update(): void {
    // A user who looks at the window sees the failure there, so the bar need not show it.
    if (windows().some((window) => window.isFocused())) progress.seen()
    const bar = progress.bar()
    if (bar.value === shown.value && bar.mode === shown.mode) return
    shown = bar
    for (const window of windows()) window.setProgressBar(bar.value, { mode: bar.mode })
  }

  events.subscribe((messages) => {
    for (const message of messages) progress.take(message)
    update()
  })
  app.on('browser-window-focus', update)
}
