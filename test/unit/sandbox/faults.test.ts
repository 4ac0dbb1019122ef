import { expect, test } from 'vitest'
import { createFaults } from '../../../src-main/sandbox/roots.ts'
import { faultSchema } from '../../../src-preload/contract/sandbox-control.ts'

const never = new AbortController().signal

function faultsOf(...faults: unknown[]) {
  let now = 0
  const made = createFaults(() => now)
  made.set(faults.map((fault) => faultSchema.parse(fault)))
  return {
    meet: (root: 'query' | 'invoices', key: string | null = null) => made.meet(root, key, never),
    pass(ms: number) {
      now += ms
    },
  }
}

test('a fault applies to its own API only', async () => {
  const faults = faultsOf({ root: 'query', kind: 'status', status: 503 })
  expect(await faults.meet('query')).toEqual({ kind: 'status', status: 503 })
  expect(await faults.meet('invoices')).toBeNull()
})

test('a share of failing requests is spread evenly, so that each run fails the same requests', async () => {
  const faults = faultsOf({ root: 'query', kind: 'reset', share: 0.25 })
  const met = []
  for (let request = 0; request < 8; request += 1) met.push((await faults.meet('query'))?.kind)
  expect(met.map((kind) => kind ?? '-').join(' ')).toBe('- - - reset - - - reset')
})

test('a share of one third loses no request to rounding', async () => {
  const faults = faultsOf({ root: 'query', kind: 'reset', share: 1 / 3 })
  let met = 0
  for (let request = 0; request < 300; request += 1) met += (await faults.meet('query')) ? 1 : 0
  expect(met).toBe(100)
})

test('the rate limit fault allows one request in four seconds without a key, and one per second with a key', async () => {
  const faults = faultsOf({ root: 'query', kind: 'rate-limit' })
  const statusOf = async (key: string | null) => (await faults.meet('query', key)) !== null
  expect([await statusOf(null), await statusOf('key')]).toEqual([false, false])
  expect([await statusOf(null), await statusOf('key')]).toEqual([true, true])
  faults.pass(1000)
  expect([await statusOf(null), await statusOf('key')]).toEqual([true, false])
  faults.pass(3000)
  expect(await statusOf(null)).toBe(false)
})

test('a delay lets the request continue to the next fault', async () => {
  const faults = faultsOf(
    { root: 'query', kind: 'delay', delayMs: 1 },
    { root: 'query', kind: 'status', status: 500 },
  )
  expect(await faults.meet('query')).toEqual({ kind: 'status', status: 500 })
})

test('an impossible fault is refused', () => {
  for (const fault of [
    { root: 'control', kind: 'reset' },
    { root: 'query', kind: 'status', status: 200 },
    { root: 'query', kind: 'status' },
    { root: 'query', kind: 'delay', delayMs: -1 },
    { root: 'query', kind: 'reset', share: 1.5 },
    { root: 'query', kind: 'reset', delayMs: 5 },
  ]) {
    expect(faultSchema.safeParse(fault).success, JSON.stringify(fault)).toBe(false)
  }
})
