import { expect, test } from 'vitest'
import type { Webhook, WebhookMove } from '../../../../src-preload/contract/webhook.ts'
import {
  canFinish,
  canResume,
  canRollBack,
  currentMove,
  movedTo,
  stateOf,
} from '../../../../src-renderer/features/webhooks/move/move-dialog.tsx'
import {
  arrangeWebhooks,
  defaultOrder,
  isFormerlyHere,
} from '../../../../src-renderer/features/webhooks/webhook-rows.ts'

const webhook = (id: string, given: Partial<Webhook> = {}): Webhook => ({
  network: 'sandbox',
  id,
  endpoint: `https://example.com/${id}`,
  status: 'online',
  statusSince: null,
  lastOnlineAt: null,
  failedAttempts: 0,
  accounts: 0,
  opcodes: 0,
  mempool: false,
  newContracts: false,
  tokenHint: null,
  tokenKnown: false,
  isHere: false,
  failing: 0,
  subscriptionsReadAt: null,
  ...given,
})

test('webhooks are filtered by status, id and endpoint, and unknown values are sorted last in both orders', () => {
  const all = [
    webhook('9007199254740993', { accounts: null, status: 'offline' }),
    webhook('12', { accounts: 7, failing: 2 }),
    webhook('1', { accounts: 100_000, endpoint: 'https://Other.example/hook' }),
  ]
  const ids = (choice: Partial<Parameters<typeof arrangeWebhooks>[1]>) =>
    arrangeWebhooks(all, { text: '', only: null, order: defaultOrder, ...choice }).map(
      ({ id }) => id,
    )
  expect(ids({})).toEqual(['9007199254740993', '12', '1'])
  expect(ids({ only: 'offline' })).toEqual(['9007199254740993'])
  expect(ids({ only: 'failing' })).toEqual(['12'])
  // A webhook has one state: a failing webhook is not listed as online.
  expect(ids({ only: 'online' })).not.toContain('12')
  expect(ids({ text: 'OTHER' })).toEqual(['1'])
  expect(ids({ text: '9007199254740992' })).toEqual([])
  const last = '9007199254740993'
  expect(ids({ order: { by: 'accounts', descending: true } })).toEqual(['1', '12', last])
  expect(ids({ order: { by: 'accounts', descending: false } })).toEqual(['12', '1', last])
  expect(ids({ order: { by: 'status', descending: true } })[0]).toBe(last)
})

test("an endpoint with the receiver's secret path on another host is recognized as a former URL", () => {
  const here = 'http://127.0.0.1:4801/hook/9f3c'
  expect(isFormerlyHere('https://old.ngrok.app/hook/9f3c', here)).toBe(true)
  expect(isFormerlyHere('https://example.com/below/hook/9f3c', here)).toBe(true)
  expect(isFormerlyHere('https://old.ngrok.app/hook/0000', here)).toBe(false)
  expect(isFormerlyHere('not a url', here)).toBe(false)
  expect(isFormerlyHere('https://old.ngrok.app/hook/9f3c', null)).toBe(false)
})

const move = (given: Partial<WebhookMove>): WebhookMove => ({
  id: 1,
  network: 'sandbox',
  from: { id: '1', endpoint: 'https://a.example/' },
  to: { id: '2', endpoint: 'https://b.example/' },
  step: 'copy',
  state: 'running',
  problem: null,
  copied: 0,
  total: null,
  undelivered: 0,
  createdAt: 0,
  finishedAt: null,
  ...given,
})

test('the offered actions of a move are the actions that its step allows', () => {
  const drains = move({ step: 'drain', problem: 'It is offline.', undelivered: 3 })
  expect([canFinish(drains), canRollBack(drains), canResume(drains)]).toEqual([true, true, false])
  expect([stateOf('copy', drains), stateOf('drain', drains)]).toEqual(['done', 'waits'])
  const deletes = move({ step: 'delete', state: 'paused', problem: 'Refused.' })
  expect([canFinish(deletes), canRollBack(deletes), canResume(deletes)]).toEqual([
    false,
    false,
    true,
  ])
  // No other webhook exists yet that could replace it.
  const begins = move({ step: 'create', to: { id: null, endpoint: '' }, problem: 'Refused.' })
  expect(canFinish(begins)).toBe(false)
  const back = move({ state: 'rolling-back', problem: 'Refused.' })
  expect([canResume(back), canRollBack(back)]).toEqual([true, false])
})

test('a webhook finds its move from either end, and a deleted webhook finds its successor', () => {
  const over = move({ id: 1, state: 'done', step: 'done' })
  const running = move({ id: 2, from: { id: '2', endpoint: '' }, to: { id: '3', endpoint: '' } })
  const all = [running, over]
  expect(currentMove(all, '2')?.id).toBe(2)
  expect(currentMove(all, '3')?.id).toBe(2)
  expect(currentMove(all, '1')).toBeNull()
  expect(movedTo(all, '1')?.to.id).toBe('2')
  expect(movedTo(all, '2')).toBeNull()
})
