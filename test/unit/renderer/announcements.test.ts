import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { reachedQuarter } from '../../../src-renderer/components/jobs/job-kind.tsx'
import { createArrivals } from '../../../src-renderer/features/captures/arrivals.ts'
import { createAnnouncer } from '../../../src-renderer/ui/toast.tsx'

// The address form is read from the storage while modules load.
vi.hoisted(() => vi.stubGlobal('window', { localStorage: { getItem: () => null } }))

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a burst of fifty messages of one kind is announced as its last message', () => {
  const shown: string[] = []
  const announce = createAnnouncer((text) => shown.push(text))
  for (let count = 1; count <= 50; count += 1) announce(`${count} selected`, 'selection')
  announce('Note saved')
  vi.advanceTimersByTime(1000)
  expect(shown).toEqual(['1 selected', '50 selected. Note saved'])
})

test('of many different messages the last three are announced, and none is repeated later', () => {
  const shown: string[] = []
  const announce = createAnnouncer((text) => shown.push(text))
  for (const word of ['a', 'b', 'c', 'd', 'e']) announce(word)
  vi.advanceTimersByTime(5000)
  expect(shown).toEqual(['a', 'c. d. e'])
  announce('a')
  expect(shown.at(-1)).toBe('a')
})

const state = (ids: number[], seenUpTo = ids[0] ?? 0, waiting = 0, status = 'ready') => ({
  ids,
  seenUpTo,
  status,
  waiting: { count: waiting },
})

test('new captures are announced by their number, at most every ten seconds', () => {
  const said: string[] = []
  const { note } = createArrivals((text) => said.push(text))
  note(state([3, 2, 1]))
  note(state([4, 3, 2, 1]))
  for (let id = 5; id <= 104; id += 1) note(state([id, 4, 3, 2, 1]))
  expect(said).toEqual(['1 new capture'])
  vi.advanceTimersByTime(10_000)
  expect(said).toEqual(['1 new capture', '100 new captures'])
  vi.advanceTimersByTime(60_000)
  expect(said).toHaveLength(2)
})

test('captures that waited behind the bar are announced once', () => {
  const said: string[] = []
  const { note } = createArrivals((text) => said.push(text))
  note(state([3, 2, 1]))
  note(state([3, 2, 1], 3, 2))
  note(state([5, 4, 3, 2, 1]))
  vi.advanceTimersByTime(10_000)
  expect(said).toEqual(['2 new captures'])
})

test('captures of another query and of a list that is loading are not announced as new', () => {
  const said: string[] = []
  const { note } = createArrivals((text) => said.push(text))
  note(state([], 0, 0, 'loading'))
  note(state([9, 8]))
  note(state([7, 2], 9))
  expect(said).toEqual([])
})

test('a job announces each quarter once, and not its end', () => {
  const said: number[] = []
  for (let done = 1; done <= 1000; done += 1) {
    const percent = reachedQuarter({ done: done - 1, total: 1000 }, { done, total: 1000 })
    if (percent !== null) said.push(percent)
  }
  expect(said).toEqual([25, 50, 75])
  expect(reachedQuarter({ done: 0, total: 0 }, { done: 0, total: 0 })).toBeNull()
  expect(reachedQuarter({ done: 0, total: 2 }, { done: 2, total: 2 })).toBeNull()
})
