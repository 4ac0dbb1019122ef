import { expect, test, vi } from 'vitest'
import { createProgress } from '../../../src-main/desktop/progress.ts'
import type { CaptureExport } from '../../../src-preload/contract/capture-files.ts'
import type { EventMessage } from '../../../src-preload/contract/routes.ts'

// The functions under test need no Electron, but their module imports it.
vi.mock('electron', () => ({}))

function exporting(id: number, state: CaptureExport['state'], captures = 0): EventMessage {
  const total = 10
  const run = { id, state, captures, total, format: 'har', problem: null, bytes: 0, file: null }
  return { name: 'job.changed', payload: { kind: 'captureExport', jobs: [run as CaptureExport] } }
}

function importing(state: 'reading' | 'done'): EventMessage {
  return { name: 'captureImport.changed', payload: { id: 'x', state } as never }
}

test('the progress bar shows the mean of all running jobs and disappears when they have ended', () => {
  const progress = createProgress()
  progress.take(exporting(1, 'running', 2))
  progress.take(exporting(2, 'running', 6))
  expect(progress.bar()).toEqual({ value: 0.4, mode: 'normal' })
  progress.take(exporting(1, 'done', 10))
  expect(progress.bar()).toEqual({ value: 0.6, mode: 'normal' })
  progress.take(exporting(2, 'paused', 6))
  expect(progress.bar()).toEqual({ value: -1, mode: 'none' })
})

test('a job of unknown length shows an indeterminate progress bar', () => {
  const progress = createProgress()
  progress.take(importing('reading'))
  expect(progress.bar()).toEqual({ value: 2, mode: 'indeterminate' })
  progress.take(importing('done'))
  expect(progress.bar().mode).toBe('none')
})

test('a failure stays on the progress bar until the user sees it or another job begins, and an old failure is not shown', () => {
  const progress = createProgress()
  progress.take(exporting(1, 'failed'))
  expect(progress.bar().mode).toBe('none')
  progress.take(exporting(2, 'running', 5))
  progress.take(exporting(2, 'failed', 5))
  expect(progress.bar()).toEqual({ value: 1, mode: 'error' })
  progress.take(exporting(3, 'running', 5))
  expect(progress.bar()).toEqual({ value: 0.5, mode: 'normal' })
  progress.take(exporting(3, 'failed', 5))
  progress.seen()
  expect(progress.bar().mode).toBe('none')
})
