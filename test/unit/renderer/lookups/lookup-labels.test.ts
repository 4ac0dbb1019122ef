import { expect, test } from 'vitest'
import type { LookupJob } from '../../../../src-preload/contract/lookup.ts'
import { peek, put } from '../../../../src-renderer/app/bridge.ts'
import { formatLines } from '../../../../src-renderer/components/address-list/line-labels.ts'
import {
  actionsOf,
  formatPace,
  storeJobs,
} from '../../../../src-renderer/components/jobs/job-kind.tsx'
import {
  outcomeOf,
  formatLookupProgress,
} from '../../../../src-renderer/features/lookups/lookups.tsx'
import { nextSort } from '../../../../src-renderer/ui/data-list.tsx'
import { formatDecimal } from '../../../../src-renderer/components/amount.ts'
import { readText } from '../../../../src-renderer/components/files/read-file.ts'

function job(over: Partial<LookupJob> = {}): LookupJob {
  return {
    id: 1,
    jettons: [],
    network: 'sandbox',
    name: '',
    createdAt: 0,
    finishedAt: null,
    state: 'running',
    problem: null,
    counts: { valid: 10_000, duplicate: 1, wrongNetwork: 0, invalid: 2, lines: 10_003, beyond: 0 },
    answered: 0,
    failed: 0,
    currency: null,
    columns: [],
    rate: null,
    secondsLeft: null,
    chunk: null,
    requests: 0,
    comparedTo: null,
    ...over,
  }
}

const plain = (text: string) => text.replaceAll('\u202f', ' ')

test('failed accounts of a lookup count as done', () => {
  expect(plain(formatLookupProgress(job({ answered: 8499, failed: 1 })))).toBe('8 500 of 10 000')
  expect(plain(formatLookupProgress(job({ answered: 9999, failed: 1, state: 'done' })))).toBe(
    '10 000',
  )
})

test('the rate of a lookup is shown only while it runs', () => {
  const pace = { rate: 120.4, secondsLeft: 191.2 }
  expect(formatPace(job(pace))).toBe('120 per second, 3 min 12 s left')
  expect(formatPace(job({ rate: 0.25, secondsLeft: null }))).toBe('0.3 per second')
  expect(formatPace(job({ ...pace, state: 'paused' }))).toBe('')
})

test('a lookup paused by the user announces no outcome, and a lookup paused by a problem announces the problem', () => {
  expect(outcomeOf(job({ state: 'paused' }))).toBeNull()
  expect(outcomeOf(job({ state: 'paused', problem: 'The key is gone.' }))).toContain('key is gone')
})

test('the available actions of a lookup fit its state', () => {
  expect(actionsOf(job({ state: 'failed' }))).toMatchObject({ canResume: true, canPause: false })
  expect(actionsOf(job({ state: 'cancelled' }))).toMatchObject({ canResume: false })
  expect(actionsOf(job())).toMatchObject({ canStop: true })
})

test('an event replaces its lookup in the list, newest first', () => {
  const lookups = { kind: 'lookup' } as const
  put('job.list', lookups, [job({ id: 2 }), job({ id: 1 })])
  storeJobs('lookup', [job({ id: 3 }), job({ id: 1, answered: 5 })])
  const merged = peek('job.list', lookups) as readonly LookupJob[]
  expect(merged.map(({ id, answered }) => [id, answered])).toEqual([
    [3, 0],
    [2, 0],
    [1, 5],
  ])
})

test('balances sort largest first and names from A, and a third click restores the order of the list', () => {
  type By = 'index' | 'balance' | 'name'
  const usual = { by: 'index' as By, descending: false }
  const next = (sort: typeof usual, by: By) =>
    nextSort<By>(sort, by, { usual, largeFirst: new Set<By>(['balance']) })
  const once = next(usual, 'balance')
  expect(once).toEqual({ by: 'balance', descending: true })
  expect(next(once, 'balance')).toEqual({ by: 'balance', descending: false })
  expect(next(next(once, 'balance'), 'balance')).toEqual(usual)
  expect(next(usual, 'name')).toEqual({ by: 'name', descending: false })
})

test.each([
  ['1234567.5', '1 234 567.50'],
  ['0.0000012345', '0.00000123'],
  ['0', '0.00'],
  ['-3', '−3.00'],
  ['0.999999999', '1.00000000'],
  // One value is a float of the gateway, the other has more digits than a float can have.
  ['11.100000000000001', '11.10'],
  ['12345678901234567890.995', '12 345 678 901 234 567 891.00'],
  ['3e-7', '3e-7'],
])('the amount %s of a currency is rounded once for display', (given, shown) => {
  expect(plain(formatDecimal(given))).toBe(shown)
})

test('copied lines contain their line numbers', () => {
  const base = { status: 'invalid' as const, address: null, others: [] }
  const lines = [
    { ...base, index: 0, line: 7, text: 'EQx', reason: 'Its checksum is wrong.' },
    { ...base, index: 1, line: 9, text: 'EQy', reason: null },
  ]
  expect(formatLines(lines)).toBe('7\tEQx\tIts checksum is wrong.\n9\tEQy')
})

test('a label file in UTF-16 is read as text, and a file beyond the limit is not read', async () => {
  const utf16 = new Blob([Buffer.from('\ufeffaddress,name\n0:aa,Мост', 'utf16le')])
  expect(await readText({ name: 'a.csv', blob: utf16 }, 100)).toBe('address,name\n0:aa,Мост')
  expect(await readText({ name: 'a.csv', blob: new Blob(['x'.repeat(11)]) }, 10)).toBeNull()
  expect(await readText({ name: 'a.csv', blob: new Blob([new Uint8Array(1000)]) }, 10)).toBeNull()
})
