import { beforeEach, describe, expect, it } from 'vitest'
import type { CaptureRow } from '../../../../src-preload/contract/capture.ts'
import { AppError } from '../../../../src-preload/domain/app-error.ts'
import { emptyQuery } from '../../../../src-renderer/app/route.ts'
import { maxRows } from '../../../../src-renderer/features/captures/capture-rows.ts'
import { CaptureSource } from '../../../../src-renderer/features/captures/capture-source.ts'
import { formatNumber } from '../../../../src-renderer/ui/format.ts'
import { fakeCaptures, fakeClock, rowOf, processResponses } from './fake-captures.ts'

function setUp(count: number) {
  const captures = fakeCaptures(count)
  const clock = fakeClock()
  let visible = true
  let openId: number | null = null
  const source = new CaptureSource({
    ask: captures.ask,
    later: clock.later,
    isVisible: () => visible,
    openId: () => openId,
    patchOpen: () => undefined,
  })
  const list = () => {
    const state = source.use.getState()
    if (state.status !== 'ready') throw new Error(`the list is ${state.status}`)
    return state
  }
  const rows = (first: number, last: number) =>
    Array.from({ length: Math.min(last, list().total - 1) - first + 1 }, (_, index) =>
      source.rowAt(first + index),
    ).filter((row) => row !== null)
  return {
    captures,
    clock,
    source,
    list,
    rows,
    ids: () => rows(0, 1e9).map(({ id }) => id),
    held: () => list().rows.size,
    show: (on: boolean) => (visible = on),
    openDetail: (id: number) => (openId = id),
    async open(query = emptyQuery) {
      source.use.setState({ counts: captures.counts() })
      await source.open(query)
      source.show(0, 30)
      await processResponses()
    },
    async scrollToEnd() {
      const last = list().total - 1
      source.atTop(false)
      source.show(last - 30, last)
      await source.loadOlder()
      await processResponses()
    },
  }
}

let t: ReturnType<typeof setUp>
const lists = () => t.captures.calls.filter((call) => call.name === 'capture.list')

describe('a capture that is opened by its link', () => {
  it('a capture that is opened by its link is loaded into the list', async () => {
    t = setUp(700)
    t.openDetail(250)
    await t.open()
    expect(t.list().cursor).toBe(450)
    expect(lists().length).toBeLessThanOrEqual(6)
  })

  it('the list begins shortly before a capture that is far from the newest, and offers the newer ones', async () => {
    t = setUp(20_000)
    t.openDetail(500)
    await t.open()
    await t.clock.pass()
    expect(t.source.rowAt(t.list().cursor)?.id).toBe(500)
    expect(lists().length).toBeLessThanOrEqual(12)
    t.source.catchUp()
    await t.clock.pass()
    expect(t.list().news).toBe(`${formatNumber(20_000 - 549)} new`)
    await t.source.showNew()
    expect(t.ids()[0]).toBe(20_000)
  })

  it('a capture that does not match the query leaves the list as it is', async () => {
    t = setUp(20_000)
    for (const row of t.captures.rows) if (row.id !== 500) Object.assign(row, { summary: 'order' })
    t.openDetail(500)
    await t.open({ text: 'order' })
    expect(t.list().cursor).toBeNull()
    expect(t.ids()[0]).toBe(20_000)
  })

  it('a link that is followed while the list is shown reaches its capture too', async () => {
    t = setUp(20_000)
    await t.open()
    t.source.putId(300)
    await t.source.reach(300)
    expect(t.source.rowAt(t.list().cursor)?.id).toBe(300)
  })
})

describe('the pages of the list', () => {
  beforeEach(async () => {
    t = setUp(20_000)
    await t.open()
  })

  it('opening the list fetches one page, whatever the number of captures', () => {
    expect(lists()).toHaveLength(1)
    expect(t.ids().slice(0, 2)).toEqual([20_000, 19_999])
    expect(t.held()).toBe(100)
  })

  it('older pages continue without a gap or an overlap, with one request at a time', async () => {
    await Promise.all([t.source.loadOlder(), t.source.loadOlder(), t.source.loadOlder()])
    expect(lists()).toHaveLength(2)
    expect(t.ids()).toEqual(Array.from({ length: 200 }, (_, index) => 20_000 - index))
  })

  it('the list holds a limited number of rows, and fetches released rows again', async () => {
    for (let page = 0; page < 80; page += 1) await t.scrollToEnd()
    expect(t.list().total).toBe(8_100)
    expect(t.held()).toBeLessThanOrEqual(maxRows)
    expect(t.rows(0, 30)).toHaveLength(0)

    t.source.show(0, 30)
    await processResponses()
    expect(t.rows(0, 30).map(({ id }) => id)).toEqual(
      Array.from({ length: 31 }, (_, index) => 20_000 - index),
    )
    expect(t.held()).toBeLessThanOrEqual(maxRows)
    expect(t.source.indexOf(20_000)).toBe(0)
  })

  it('a failed request for older rows is shown, and is repeated on request', async () => {
    t.captures.failWith(new Error('gone'))
    await t.source.loadOlder()
    expect(t.list().tail.status).toBe('failed')
    t.captures.failWith(null)
    await t.source.resume()
    expect(t.list().total).toBe(200)
  })
})

describe('late responses of the list', () => {
  it('the response to a replaced search is discarded', async () => {
    t = setUp(0)
    t.captures.arrive(3, { summary: 'one' })
    t.captures.arrive(2, { summary: 'two' })
    t.captures.hold(true)
    const first = t.source.open({ text: 'one' })
    const second = t.source.open({ text: 'two' })
    t.captures.held[1]?.release()
    await second
    t.captures.held[0]?.release()
    await first
    expect(t.list().query.text).toBe('two')
    expect(t.ids()).toEqual([5, 4])
  })

  it('the late failure of a replaced search is discarded', async () => {
    t = setUp(5)
    t.captures.hold(true)
    const first = t.source.open({ text: 'x' })
    const second = t.source.open(emptyQuery)
    t.captures.held[1]?.release()
    await second
    t.captures.held[0]?.fail(new Error('too late'))
    await first
    expect(t.ids()).toEqual([5, 4, 3, 2, 1])
  })

  it('a refused search leaves the former list in place', async () => {
    t = setUp(300)
    await t.open()
    t.captures.failWith(new AppError('QUERY_INVALID', 'No such field.'))
    await t.source.open({ text: 'nonsense:1' })
    expect(t.list().refusal?.error.message).toBe('No such field.')
    t.captures.failWith(null)
    await t.source.loadOlder()
    expect(t.list().total).toBe(200)
    await t.source.open({ text: 'x' })
    expect(t.list().refusal).toBeNull()
    expect(t.list().query.text).toBe('x')
  })

  it('an older page of the former search is not appended to the new list', async () => {
    t = setUp(300)
    await t.open()
    t.captures.hold(true)
    const older = t.source.loadOlder()
    t.captures.hold(false)
    await t.source.open(emptyQuery)
    t.captures.held[0]?.release()
    await older
    expect(t.list().total).toBe(100)
    expect(t.list().tail.status).toBe('idle')
  })
})

describe('new captures in the list', () => {
  beforeEach(async () => {
    t = setUp(300)
    await t.open()
  })

  it('new captures appear at once while the newest row is visible and nothing is selected', async () => {
    t.source.added(t.captures.arrive(3))
    await processResponses()
    expect(t.ids().slice(0, 4)).toEqual([303, 302, 301, 300])
    expect(t.list().waiting.count).toBe(0)
  })

  it.each<[string, () => unknown]>([
    ['a capture is open', () => t.openDetail(5)],
    ['the list is scrolled', () => t.source.atTop(false)],
    ['the cursor is on a row', () => t.source.put(1)],
    ['rows are selected', () => t.source.toggle(1)],
  ])('new captures wait behind the bar when %s, and the rows do not move', async (_, read) => {
    read()
    const before = t.list().ids
    t.source.added(t.captures.arrive(12))
    await processResponses()
    expect(t.list().ids).toBe(before)
    expect(t.list().waiting).toEqual({ count: 12, atLeast: false })

    await t.source.showNew()
    expect(t.ids()[0]).toBe(312)
    expect(t.list().waiting.count).toBe(0)
    expect(t.list().isAtTop).toBe(true)
  })

  it('new captures stay behind the bar if the cursor was moved while they were fetched', async () => {
    t.captures.hold(true)
    t.source.added(t.captures.arrive(2))
    await processResponses()
    t.source.putId(300)
    t.captures.hold(false)
    t.captures.held[0]?.release()
    await processResponses()
    expect(t.ids()[0]).toBe(300)
    expect(t.list().waiting.count).toBe(2)
  })

  it('more new captures than a page replace the list, so that no gap is hidden', async () => {
    t.source.added(t.captures.arrive(250))
    await processResponses()
    expect(t.ids()).toEqual(Array.from({ length: 100 }, (_, index) => 550 - index))
    await t.source.loadOlder()
    expect(t.ids().at(-1)).toBe(351)
  })

  it('any number of events within a period causes one request', async () => {
    const before = lists().length
    for (let event = 0; event < 50; event += 1) t.source.added(t.captures.arrive(20))
    await processResponses()
    expect(lists().length - before).toBe(1)
    await t.clock.pass()
    expect(lists().length - before).toBe(2)
    expect(t.ids()[0]).toBe(1300)
    expect(t.held()).toBe(100)
  })

  it('new captures are not fetched for an invisible window, and are fetched once the window is visible', async () => {
    t.show(false)
    const before = lists().length
    t.source.added(t.captures.arrive(5))
    await processResponses()
    expect(lists()).toHaveLength(before)
    t.show(true)
    await t.clock.pass()
    t.source.catchUp()
    await processResponses()
    expect(t.ids()[0]).toBe(305)
  })

  it('new captures of a search are counted by their matches', async () => {
    await t.open({ text: 'needle' })
    t.source.putId(1)
    t.captures.arrive(4)
    t.source.added(t.captures.arrive(2, { summary: 'needle' }))
    await processResponses()
    expect(t.list().waiting).toEqual({ count: 2, atLeast: false })
  })

  it('new captures fill an empty list at once', async () => {
    t = setUp(0)
    await t.open()
    t.source.added(t.captures.arrive(1))
    await processResponses()
    expect(t.ids()).toEqual([1])
  })
})

describe('changes in the list', () => {
  beforeEach(async () => {
    t = setUp(300)
    await t.open()
  })

  it('visible rows are updated once they are classified', async () => {
    t.source.added(t.captures.arrive(2, { kind: null }))
    await processResponses()
    t.source.show(0, 30)
    const newest = t.captures.rows.at(-1)
    expect(newest?.kind).toBeNull()
    t.captures.rows.splice(-2, 2, rowOf(301), rowOf(302, { kind: 'invoice' }))
    t.source.classified(302)
    await processResponses()
    expect(t.rows(0, 1).map((row) => row.kind)).toEqual(['invoice', 'account_tx'])
  })

  it('a capture that was deleted elsewhere is removed from the list', async () => {
    t.captures.rows.splice(297, 1)
    t.source.changed([298], t.captures.counts())
    await processResponses()
    expect(t.ids().slice(0, 4)).toEqual([300, 299, 297, 296])
  })

  it('a capture that matches the search later is added, or waits behind the bar while the cursor is on a row', async () => {
    await t.open({ text: 'needle' })
    expect(t.ids()).toEqual([])
    t.captures.rows.splice(299, 1, rowOf(300, { summary: 'needle' }))
    t.source.changed([300], t.captures.counts())
    await processResponses()
    expect(t.ids()).toEqual([300])
    await t.clock.pass()
    t.source.putId(300)
    t.source.added(t.captures.arrive(2))
    await t.clock.pass()
    t.captures.rows.splice(301, 1, rowOf(302, { summary: 'needle' }))
    t.source.changed([302], t.captures.counts())
    await t.clock.pass()
    expect(t.ids()).toEqual([300])
    expect(t.list().waiting.count).toBe(1)
  })

  it('a capture that came to match during the request of the search is added', async () => {
    t.captures.hold(true)
    const opening = t.open({ text: 'needle' })
    t.captures.hold(false)
    t.captures.rows.splice(299, 1, rowOf(300, { summary: 'needle' }))
    t.source.changed([300], t.captures.counts())
    await t.clock.pass()
    for (const { release } of t.captures.held) release()
    await opening
    await t.clock.pass()
    expect(t.ids()).toEqual([300])
  })

  it('the list is empty after all captures were deleted elsewhere', async () => {
    t.captures.rows.length = 0
    t.source.changed(null, t.captures.counts())
    await processResponses()
    expect(t.list().total).toBe(0)
    expect(t.list().nextBefore).toBeNull()
  })

  it('captures are marked as read only if they were shown at the top of the list', async () => {
    const marks = () => t.captures.calls.filter((call) => call.name === 'capture.markRead')
    expect(marks().map((call) => call.input)).toEqual([{ upTo: 300 }])
    t.source.atTop(false)
    t.source.added(t.captures.arrive(3))
    await t.clock.pass()
    t.source.show(40, 70)
    await processResponses()
    expect(marks()).toHaveLength(1)
  })
})

it('a capture is shown whose event arrives before the response to an earlier mark', async () => {
  t = setUp(10)
  await t.open()
  await t.clock.pass()
  t.source.added(t.captures.arrive(1))
  await processResponses()
  t.captures.hold(true)
  t.source.show(0, 11)
  t.source.added(t.captures.arrive(1))
  t.captures.hold(false)
  expect(t.captures.held.map(({ call }) => call.name)).toEqual(['capture.markRead'])
  t.captures.held[0]?.release()
  await processResponses()
  await t.clock.pass()
  expect(t.ids()[0]).toBe(12)
})

describe('the cursor and the selection of the list', () => {
  beforeEach(async () => {
    t = setUp(10)
    await t.open()
  })

  it('the cursor moves to the row that follows a deleted row', () => {
    t.source.putId(8)
    t.source.remove([8])
    expect(t.list().cursorId).toBe(7)
    t.source.putId(1)
    t.source.remove([1])
    expect(t.list().cursorId).toBe(2)
  })

  it('the cursor stays on its capture when rows above it are removed', () => {
    t.source.put(3)
    t.source.remove([10])
    expect(t.list()).toMatchObject({ cursor: 2, cursorId: 7 })
    expect(t.source.cursorRow()?.id).toBe(7)
  })

  it('captures are selected individually, and as a range from the last selected capture', async () => {
    t.source.toggle(1)
    t.source.toggle(1)
    expect(t.source.targets()).toEqual([])
    t.source.toggle(2)
    await t.source.selectTo(4)
    expect(t.source.targets()).toEqual([8, 7, 6])
    t.source.selectNone()
    t.source.putId(5)
    expect(t.source.targets()).toEqual([5])
  })

  it('a pin that could not be stored is removed', async () => {
    t.captures.failWith(new Error('disk full'))
    await expect(t.source.pin([10], true)).rejects.toThrow('disk full')
    expect(t.rows(0, 0)[0]?.pinned).toBe(false)
  })
})

describe('one row per payment', () => {
  const payment = (trace: string, deliveries = 2) => ({ payment: { trace, deliveries } })
  const received = {
    state: 'known' as const,
    amount: {
      units: '5',
      direction: 'in' as const,
      asset: { jetton: null, symbol: 'TON', decimals: 9 },
    },
  }
  const groupOf = (id: number) => t.list().shown.groups.get(id)
  /** Captures 1 and 3 belong to one payment, 5 and 6 to another; 2 and 4 to none. */
  beforeEach(async () => {
    t = setUp(6)
    const { rows } = t.captures
    Object.assign(rows[0] as CaptureRow, payment('a'))
    Object.assign(rows[2] as CaptureRow, payment('a'))
    Object.assign(rows[4] as CaptureRow, payment('b'))
    const { meaning } = rowOf(6)
    Object.assign(rows[5] as CaptureRow, {
      ...payment('b'),
      meaning: { ...meaning, ...received },
    })
    await t.open()
  })

  it('deliveries of one trace are one row at the place of the newest, and what the recipient got stands for them', () => {
    expect(t.ids()).toEqual([6, 4, 1, 2])
    expect(groupOf(5)).toMatchObject({ ids: [6, 5], deliveries: 2, isExpanded: false })
    expect(t.source.indexOf(5)).toBe(0)
    t.source.group(false)
    expect(t.ids()).toEqual([6, 5, 4, 3, 2, 1])
  })

  it('an expanded payment lists its deliveries below each other, and the cursor stays with its payment', () => {
    t.source.putId(1)
    t.source.toggleGroup(1)
    expect(t.ids()).toEqual([6, 4, 1, 3, 2])
    t.source.putId(3)
    t.source.toggleGroup(3)
    expect(t.ids()).toEqual([6, 4, 1, 2])
    expect(t.list().cursor).toBe(2)
  })

  it('selecting a collapsed payment selects its deliveries, an expanded one only the row', async () => {
    t.source.toggle(0)
    expect([...t.list().selected].sort()).toEqual([5, 6])
    t.source.toggle(0)
    expect(t.list().selected.size).toBe(0)
    t.source.toggle(1)
    await t.source.selectTo(2)
    expect([...t.list().selected].sort()).toEqual([1, 3, 4])
    t.source.selectNone()
    t.source.toggleGroup(6)
    t.source.toggle(0)
    expect([...t.list().selected]).toEqual([6])
    t.source.selectNone()
    t.source.putId(6)
    expect(t.source.targets()).toEqual([6])
    t.source.toggleGroup(6)
    expect(t.source.targets()).toEqual([6, 5])
    t.openDetail(5)
    expect(t.source.targets()).toEqual([5])
  })

  it('a delivery that arrives later joins its payment, which becomes the newest row', async () => {
    const counts = t.captures.arrive(1, payment('a', 3))
    t.source.added(counts)
    await t.clock.pass()
    expect(t.ids()).toEqual([1, 6, 4, 2])
    expect(groupOf(1)).toMatchObject({ ids: [1, 7, 3], deliveries: 3 })
  })

  it('a payment knows how many of its deliveries the query leaves out or a page has not brought yet', async () => {
    Object.assign(t.captures.rows[0] as CaptureRow, { summary: 'order' })
    await t.open({ text: 'order' })
    expect(t.ids()).toEqual([1])
    expect(groupOf(1)).toMatchObject({ ids: [1], deliveries: 2 })
  })

  it('the pages of a list of payments continue, although their rows have left the memory', async () => {
    t = setUp(20_000)
    for (const row of t.captures.rows) {
      Object.assign(row, payment(String(Math.floor((row.id - 1) / 4)), 4))
    }
    await t.open()
    for (let page = 0; page < 80; page += 1) await t.scrollToEnd()
    expect(t.held()).toBeLessThanOrEqual(maxRows)
    expect(t.list().total).toBe(t.list().ids.length / 4)
    t.source.show(0, 30)
    await processResponses()
    expect(t.rows(0, 30)).toHaveLength(31)
  })

  it('the mark of unread captures goes from a payment that was opened', () => {
    t.source.noteOpened(6)
    expect([...t.list().opened].sort()).toEqual([5, 6])
  })
})
