import { expect, test } from 'vitest'
import { runSampleLab } from '../../fixtures/lab-run.ts'

const some = ['counterfeit-usdt', 'hash-in-capitals', 'gateway-500', 'paid-twice', 'above-2-53']

test('the lab finds nothing in the sound sample handler', async () => {
  const { found, passed, others } = await runSampleLab('node', { only: some })
  expect({ found, others }).toEqual({ found: {}, others: [] })
  expect(passed.toSorted()).toEqual(some.toSorted())
})

test('the lab names the rule that a handler breaks, and no other', async () => {
  const { found, others } = await runSampleLab('node', { only: some, defect: 'symbol-only' })
  expect({ found, others }).toEqual({ found: { 'counterfeit-usdt': [0] }, others: [] })
})
