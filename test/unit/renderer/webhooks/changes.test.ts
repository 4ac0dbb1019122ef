import { expect, test } from 'vitest'
import type { Change } from '../../../../src-preload/contract/subscription.ts'
import {
  countSettled,
  outcomeOf,
  describeCounts,
  describeUndo,
} from '../../../../src-renderer/features/webhooks/changes/changes.ts'

const endpoint = 'https://a.example/hook'

function change(over: Partial<Change> = {}): Change {
  return {
    id: 1,
    network: 'sandbox',
    kind: 'add',
    name: 'Add 500 accounts',
    createdAt: 0,
    finishedAt: null,
    state: 'done',
    problem: null,
    webhooks: [{ id: '1', endpoint }],
    counts: { total: 500, waiting: 0, done: 480, unchanged: 15, failed: 5 },
    rate: null,
    secondsLeft: null,
    undoes: null,
    undoneBy: null,
    canUndo: true,
    ...over,
  }
}

test('the outcome of a finished change lists done, unchanged and failed steps, and a running change has no outcome', () => {
  expect(outcomeOf(change())).toBe('480 done, 15 unchanged, 5 failed')
  expect(outcomeOf(change({ state: 'running' }))).toBeNull()
  expect(outcomeOf(change({ state: 'paused' }))).toBeNull()
  expect(outcomeOf(change({ state: 'paused', problem: 'The key was refused.' }))).toContain('key')
  expect(outcomeOf(change({ state: 'cancelled' }))).toMatch(/^Stopped: 480 done/)
  expect(describeCounts(change({ counts: { ...change().counts, unchanged: 1, failed: 0 } }))).toBe(
    '480 done, 1 unchanged',
  )
  expect(countSettled(change())).toBe(500)
})

test('the description of an undo lists the inverse of each step by endpoint', () => {
  const step = { act: 'subscribe', what: 'account', endpoint } as const
  const other = { ...step, endpoint: 'https://b.example/hook' }
  expect(
    describeUndo([
      { ...step, act: 'create', what: 'webhook' },
      step,
      step,
      { ...other, act: 'unsubscribe' },
      { ...other, what: 'opcode' },
      { ...other, what: 'mempool' },
      { ...other, what: 'new-contracts', act: 'unsubscribe' },
    ]),
  ).toEqual([
    `Keeps the webhook ${endpoint} that the change created: delete it yourself if you do not need it.`,
    `Unsubscribes 2 accounts from ${endpoint}.`,
    'Subscribes 1 account to https://b.example/hook again.',
    'Unsubscribes 1 opcode from https://b.example/hook.',
    'Switches mempool off for https://b.example/hook.',
    'Switches new contracts on again for https://b.example/hook.',
  ])
})
