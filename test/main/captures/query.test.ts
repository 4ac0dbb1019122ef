/**
 * Tests queries over stored captures through the routes; test/long/query-model.test.ts compares the
 * index.
 */
import { expect, test } from 'vitest'
import { startApp } from '../../fixtures/app.ts'
import { testAccount, bearerHeader, otherAccount, transactionEvent } from '../../fixtures/bodies.ts'

test('queries are parsed, counted, completed and saved as views, and an invalid query is refused with its position', async () => {
  await using app = await startApp()
  await app.request('label.set', { network: 'testnet', address: testAccount, name: 'My Shop' })
  await app.post(transactionEvent({ account: testAccount, lt: '10' }), {
    headers: bearerHeader('a-secret-token'),
  })
  await app.post(transactionEvent({ account: otherAccount, lt: '20' }))
  await app.post('order-42', { path: '/orders', headers: { 'x-till': 'kiosk 7' } })
  await app.classified()
  const list = async (text: string) =>
    (await app.request('capture.list', { query: { text } })).rows.map(({ id }) => id)

  // An invalid query is reported with its position, and not executed.
  const wrong = await app.request('captureQuery.read', { text: 'lt:>5 statsu:500' })
  expect(wrong).toMatchObject({ parts: [{ field: 'lt' }, {}], problems: [{ from: 6, to: 13 }] })
  for (const query of [{ text: 'statsu:500' }, { text: 'x '.repeat(100) }]) {
    expect(await app.refusal('capture.list', { query })).toBe('QUERY_INVALID')
    expect(await app.refusal('captureQuery.count', { query })).toBe('QUERY_INVALID')
  }
  expect(await app.refusal('capture.list', { query: { text: 'x'.repeat(2001) } })).toBe(
    'INVALID_INPUT',
  )
  const slow = await app.request('captureQuery.read', { text: 'token:wrong contains:x' })
  expect(slow.parts.map((part) => part.slow)).toEqual([false, true])

  const offered = async (text: string) => {
    const { completion } = await app.request('captureQuery.read', { text, cursor: text.length })
    return completion.choices.map((choice) => choice.text)
  }
  expect(await offered('header.x-')).toEqual(['header.x-till:'])
  expect(await offered('header.x-till:')).toEqual(['"kiosk 7"'])
  expect(await offered('account:my')).toEqual(['"My Shop"'])
  expect(await offered('header.authorization:')).toEqual([])

  expect(await list('account:"my shop"')).toEqual([1])
  expect(await list('header.x-till:"kiosk 7" -event:account_tx')).toEqual([3])
  const count = (text: string) => app.request('captureQuery.count', { query: { text } })
  expect(await count('event:account_tx')).toEqual({ count: 2, isExact: true })
  expect(await count('')).toEqual({ count: 3, isExact: true })
  await app.request('capture.note', { id: 2, note: 'seen by Ann' })
  expect(await list('note:ann')).toEqual([2])
  expect(await list('ann')).toEqual([2])

  const bars = await app.request('captureQuery.histogram', {
    query: { text: 'lt:<=10' },
    from: (Date.now() - 3_600_000) * 1000,
    to: Date.now() * 1000 + 1_000_000,
    buckets: 2,
  })
  expect(bars.buckets.map(({ total, matching }) => [total, matching])).toEqual([
    [0, 0],
    [3, 1],
  ])

  const view = await app.request('captureView.save', { name: 'Shop', text: 'account:"my shop"' })
  const other = await app.request('captureView.save', { name: 'All', text: '' })
  const renamed = { ...other, name: 'Everything' }
  expect(await app.request('captureView.save', renamed)).toEqual(renamed)
  expect(await app.request('captureView.list')).toEqual([view, renamed])
  expect(await app.refusal('captureView.save', { name: 'Bad', text: 'lt:x' })).toBe('QUERY_INVALID')
  await app.request('label.set', { network: 'testnet', address: testAccount, name: '' })
  expect(await app.request('captureView.counts')).toEqual([
    // The label that the view uses is deleted.
    { id: view.id, count: null },
    { id: other.id, count: 3 },
  ])
  await app.request('captureView.remove', { id: view.id })
  expect(await app.refusal('captureView.remove', { id: view.id })).toBe('CAPTURE_VIEW_UNKNOWN')

  // Values of deleted captures are no longer suggested.
  await app.request('capture.clear', { keepPinned: false })
  expect(await list('event:account_tx')).toEqual([])
  expect(await offered('header.x-')).toEqual([])
})
