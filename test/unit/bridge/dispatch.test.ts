import { expect, test } from 'vitest'
import { createDispatch } from '../../../src-main/bridge/dispatch.ts'
import type { Output } from '../../../src-preload/contract/routes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { handlersWith } from '../../fixtures/handlers.ts'

const counts = { total: 2, others: 0, unread: 1, readTo: 0, pinned: 0, newestId: 2 }

test('a route that is not in the contract is refused with ROUTE_NOT_FOUND', async () => {
  const dispatch = createDispatch(handlersWith({}))
  expect(await dispatch('capture.steal', {})).toEqual({
    ok: false,
    error: { code: 'ROUTE_NOT_FOUND', message: 'Unknown route.' },
  })
})

test.each(['toString', '__proto__', 'constructor', 'hasOwnProperty', '', 7, null, undefined, {}])(
  'an inherited property name or a missing name is not found as a route: %s',
  async (name) => {
    const answer = await createDispatch(handlersWith({}))(name, undefined)
    expect(answer).toMatchObject({ ok: false, error: { code: 'ROUTE_NOT_FOUND' } })
  },
)

test('a symbol as a route name is refused without an exception', async () => {
  const answer = await createDispatch(handlersWith({}))(Symbol('capture.counts'), undefined)
  expect(answer).toMatchObject({ ok: false, error: { code: 'ROUTE_NOT_FOUND' } })
})

test('invalid input never reaches the handler, and the error names each invalid field', async () => {
  const dispatch = createDispatch(handlersWith({}))
  const answer = await dispatch('capture.note', { id: -1, note: 5 })
  expect(answer).toMatchObject({
    ok: false,
    error: { code: 'INVALID_INPUT', data: [{ path: 'id' }, { path: 'note' }] },
  })
})

test('the error of a nested field names its path', async () => {
  const answer = await createDispatch(handlersWith({}))('settings.change', {
    receiver: { port: 80 },
  })
  expect(answer).toEqual({
    ok: false,
    error: {
      code: 'INVALID_INPUT',
      message: 'Choose a port from 1024 to 65535.',
      data: [{ path: 'receiver.port', message: 'Choose a port from 1024 to 65535.' }],
    },
  })
})

test('input to a route without input is refused', async () => {
  const dispatch = createDispatch(handlersWith({ 'capture.counts': () => counts }))
  expect(await dispatch('capture.counts', { id: 1 })).toMatchObject({ ok: false })
  expect(await dispatch('capture.counts', undefined)).toEqual({ ok: true, data: counts })
})

test('the handler receives its input with the defaults filled in', async () => {
  let seen: unknown
  const empty = { rows: [], nextBefore: null, scannedBack: null, notYetSearchable: 0 }
  const dispatch = createDispatch(
    handlersWith({
      'capture.list'(input) {
        seen = input
        return empty
      },
    }),
  )
  await dispatch('capture.list', {})
  expect(seen).toEqual({ query: { text: '' }, limit: 100 })
})

test('an expected error keeps its code, message and data', async () => {
  const bugs: unknown[] = []
  const dispatch = createDispatch(
    handlersWith({
      'capture.counts': () =>
        Promise.reject(new AppError('CAPTURE_NOT_FOUND', 'It is gone.', { data: { id: 5 } })),
    }),
    { onBug: (...bug) => bugs.push(bug) },
  )
  expect(await dispatch('capture.counts', undefined)).toEqual({
    ok: false,
    error: { code: 'CAPTURE_NOT_FOUND', message: 'It is gone.', data: { id: 5 } },
  })
  expect(bugs).toEqual([])
})

test('an unexpected error is logged in full, and its caller learns no detail', async () => {
  const bugs: unknown[] = []
  const error = new TypeError('cannot read /home/ann/secret of undefined')
  const dispatch = createDispatch(
    handlersWith({
      'capture.counts'() {
        throw error
      },
    }),
    { onBug: (...bug) => bugs.push(bug) },
  )
  const answer = await dispatch('capture.counts', undefined)
  expect(answer).toMatchObject({ ok: false, error: { code: 'INTERNAL' } })
  expect(JSON.stringify(answer)).not.toMatch(/secret|home|TypeError/)
  expect(bugs).toEqual([['capture.counts', error]])
})

test('a rejection with null becomes an INTERNAL error', async () => {
  const dispatch = createDispatch(
    handlersWith({
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- what a library might do
      'capture.counts': () => Promise.reject(null),
    }),
  )
  expect(await dispatch('capture.counts', undefined)).toMatchObject({
    ok: false,
    error: { code: 'INTERNAL' },
  })
})

test('a result that breaks the contract is refused only where results are checked', async () => {
  const wrong = { ...counts, unread: 'many' } as unknown as Output<'capture.counts'>
  const handlers = handlersWith({ 'capture.counts': () => wrong })
  expect(
    await createDispatch(handlers, { checkOutput: true })('capture.counts', undefined),
  ).toMatchObject({
    ok: false,
    error: { code: 'INTERNAL' },
  })
  expect(await createDispatch(handlers)('capture.counts', undefined)).toMatchObject({ ok: true })
})
