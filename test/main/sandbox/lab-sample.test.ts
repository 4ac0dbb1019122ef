import { expect, test } from 'vitest'
import { runSampleLab } from '../../fixtures/lab-run.ts'

test('the lab names the rule that the sample handler breaks, and finds nothing else', async () => {
  const only = ['counterfeit-usdt', 'hash-in-capitals', 'gateway-500', 'paid-twice', 'above-2-53']
  const { found, passed, others } = await runSampleLab('node', { only, defect: 'symbol-only' })
  expect({ found, others }).toEqual({ found: { 'counterfeit-usdt': [0] }, others: [] })
  expect(passed.toSorted()).toEqual(only.filter((id) => id !== 'counterfeit-usdt').toSorted())
})
