/** Tests ends of jobs that cannot be stored on a full disk, or that follow a decision of the user. */
import { expect, test } from 'vitest'
import { createJobs } from '../../../src-main/jobs/jobs.ts'
import type { JobControl } from '../../../src-main/jobs/job-run.ts'
import type { StoredJob } from '../../../src-main/jobs/store/job-table.ts'

const diskIsFull = () => Object.assign(new Error('database or disk is full'), { errcode: 13 })

function openJobs() {
  let stored: StoredJob = { id: 1, state: 'running', problem: null }
  let isFull = false
  let left = 3
  let onNext: () => void = () => undefined
  const bugs: unknown[] = []
  const shown: StoredJob[] = []
  const ended: string[] = []
  const write = () => {
    if (isFull) throw diskIsFull()
  }
  const resources = new AsyncDisposableStack()
  const engine = createJobs<{ lookup: StoredJob }>({
    now: Date.now,
    wait: (_ms, signal) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('ended'))),
      ),
    onBug: (error) => bugs.push(error),
    resources,
    events: {
      emit(_name, payload) {
        if ('jobs' in payload) shown.push(...payload.jobs)
      },
    },
  })
  const jobs = engine.add('lookup', {
    noun: 'lookup',
    unknownCode: 'LOOKUP_UNKNOWN',
    table: {
      get: (id: number) => (id === 1 ? stored : null),
      list: () => [stored],
      setState(_id: number, change: Pick<StoredJob, 'state' | 'problem'>) {
        write()
        stored = { ...stored, ...change }
      },
      remove: () => undefined,
    },
    work: (_job: StoredJob, { halt }: JobControl) => ({
      next() {
        onNext()
        if (left === 0 || halt.aborted) return null
        return Promise.resolve().then(() => {
          write()
          left -= 1
          return null
        })
      },
    }),
    left: () => left,
    onEnd: ({ state }: StoredJob) => ended.push(state),
    show: ({ id, state, problem }) => ({ id, state, problem }),
  })
  return {
    jobs,
    bugs,
    shown,
    setFull: (full: boolean) => (isFull = full),
    left: () => left,
    stored: () => stored,
    /** Calls the function whenever the run looks for the next item. */
    onNext: (call: () => void) => (onNext = call),
    store: (change: Partial<StoredJob>) => (stored = { ...stored, ...change }),
    ended: () => ended,
    /** Resolves when no run is left. */
    stop: () => resources.disposeAsync(),
  }
}

test('a job that cannot be stored as paused on a full disk is shown as paused with a solution, and can be resumed', async () => {
  const desk = openJobs()
  desk.setFull(true)
  await desk.jobs.begin(1)
  const paused = {
    state: 'paused',
    problem: expect.stringMatching(/disk is full.*Free some space.*resume the lookup/) as string,
  }
  await expect.poll(() => desk.jobs.get(1)).toMatchObject(paused)
  expect(desk.jobs.list()).toMatchObject([paused])
  expect(desk.stored().state).toBe('running')
  // No job runs, so there is nothing to pause, and no space to store another state.
  expect(await desk.jobs.pause(1)).toMatchObject(paused)
  await expect(desk.jobs.resume(1)).rejects.toMatchObject({ errcode: 13 })
  await expect(desk.jobs.cancel(1)).rejects.toMatchObject({ errcode: 13 })
  expect(desk.jobs.get(1)).toMatchObject(paused)

  desk.setFull(false)
  await desk.jobs.resume(1)
  await expect
    .poll(() => desk.jobs.get(1))
    .toMatchObject({
      state: 'done',
      problem: null,
    })
  expect(desk.left()).toBe(0)
  expect(desk.bugs).toEqual([])
})

test.each(['paused', 'cancelled', 'failed'] as const)(
  'the state %s that is stored while the last item ends is not overwritten by the end of the run',
  async (state) => {
    const desk = openJobs()
    desk.onNext(() => {
      if (desk.left() === 0) desk.store({ state, problem: 'The user decided.' })
    })
    await desk.jobs.begin(1)
    await expect.poll(desk.left).toBe(0)
    await desk.stop()
    expect(desk.stored()).toMatchObject({ state, problem: 'The user decided.' })
    expect(desk.ended()).toEqual([])
  },
)

test('a run that ends with its last item is stored as done, and reported once', async () => {
  const desk = openJobs()
  await desk.jobs.begin(1)
  await expect.poll(desk.left).toBe(0)
  await desk.stop()
  expect(desk.stored().state).toBe('done')
  expect(desk.ended()).toEqual(['done'])
})
