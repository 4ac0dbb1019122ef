import { expect, test } from 'vitest'
import type { Plan } from '../../../../src-preload/contract/subscription.ts'
import { readFile } from '../../../../src-main/webhooks/file/read-file.ts'
import {
  commandLine,
  exampleOf,
  formatOf,
  describeApply,
  describePlan,
} from '../../../../src-renderer/features/webhooks/file/plan.ts'

test('the format of a file is detected by its name, and of pasted text by its beginning', () => {
  expect(formatOf('wanted.YML', 'endpoint,kind')).toBe('yaml')
  expect(formatOf('wanted.csv', 'webhooks:')).toBe('csv')
  expect(formatOf('', exampleOf('yaml', 'mainnet'))).toBe('yaml')
  expect(formatOf('', exampleOf('csv', 'mainnet'))).toBe('csv')
  expect(formatOf('wanted.txt', '# mine\n\nwebhooks:\r\n')).toBe('yaml')
  expect(formatOf('', '{"webhooks": []}')).toBe('yaml')
  expect(formatOf('', '\ufeffendpoint;kind;value')).toBe('csv')
  // The text has no header, and the colon of the endpoint does not make it a YAML key.
  expect(formatOf('', 'https://a.example/hook,account,EQ…')).toBe('csv')
  expect(formatOf('', '"https://a.example/hook",account,EQ…')).toBe('csv')
})

test('the examples of both formats are parsed without a refused line', () => {
  for (const format of ['yaml', 'csv'] as const) {
    const { webhooks } = readFile([Buffer.from(exampleOf(format, 'mainnet'))], format, false)
    expect(webhooks.flatMap(({ faults }) => faults)).toEqual([])
    expect(webhooks[0]?.accounts?.map(({ label }) => label)).toEqual([null, 'Treasury'])
  }
})

test('a file name with spaces and quotation marks is one argument of the displayed command', () => {
  expect(commandLine('plan', 'a/b-1.yaml', 'sandbox')).toBe(
    'tondesk webhooks plan a/b-1.yaml --network sandbox',
  )
  expect(commandLine('apply', "it's; rm -rf ~", 'testnet')).toBe(
    String.raw`tondesk webhooks apply 'it'\''s; rm -rf ~' --network testnet`,
  )
})

const webhook = {
  id: '1',
  endpoint: 'https://a.example',
  wanted: 2,
  actual: 1,
  missing: 0,
  extra: 0,
}
const counts = { missing: 0, extra: 0, 'wrong-network': 0, duplicate: 0, invalid: 0 }
const plan: Plan = {
  id: 'p',
  network: 'sandbox',
  file: 'wanted.yaml',
  format: 'yaml',
  comparedAt: 0,
  webhooks: [webhook],
  untouched: [],
  counts,
  same: 3,
  refusal: null,
}

test('the effect of a plan is described for each changed webhook and for no other', () => {
  const webhooks = [
    webhook,
    { ...webhook, endpoint: 'https://b.example', missing: 1500, extra: 2 },
    { ...webhook, id: null, endpoint: 'https://c.example', missing: 1 },
  ]
  expect(describeApply({ ...plan, webhooks })).toEqual([
    'https://b.example: 1\u202f500 subscriptions added, 2 subscriptions removed',
    'https://c.example: webhook created, 1 subscription added',
  ])
  expect(describePlan(plan)).toBe('No differences in 3 subscriptions')
  expect(describePlan({ ...plan, counts: { ...counts, extra: 4, invalid: 1 } })).toBe(
    '4 extra, 1 invalid',
  )
})
