import { beforeEach, describe, expect, it } from 'vitest'
import { AppError } from '../../../../src-preload/domain/app-error.ts'
import { emptyQuery } from '../../../../src-renderer/app/route.ts'
import { maxRows } from '../../../../src-renderer/features/captures/capture-rows.ts'
import {
  createCaptureSource,
  readMark,
} from '../../../../src-renderer/features/captures/capture-source.ts'
import { fakeCaptures, fakeClock, rowOf, settle } from './fake-captures.ts'

function setUp(count: number) {
  const captures = fakeCaptures(count)
  const clock = fakeClock()
  let visible = true
  let openId: number | null = null
  const source = createCaptureSource({
    ask: captures.ask,
    later: clock.later,
    isVisible: () => visible,
    openId: () => openId,
    shareCounts: () => undefined,
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
    ...{ captures, clock, source, list, rows },
    ids: () => rows(0, 1e9).map(({ id }) => id),
    held: () => list().rows.size,
    show: (on: boolean) => (visible = on),
    openDetail: (id: number) => (openId = id),
    async open(query = emptyQuery) {
      source.use.setState({ counts: captures.counts() })
      await source.open(query)
      source.show(0, 30)
      await settle()
    },
    async scrollToEnd() {
      const last = list().total - 1
      source.atTop(false)
      source.show(last - 30, last)
      await source.loadOlder()
      await settle()
    },
  }
}

let t: ReturnType<typeof setUp>
const lists = () => t.captures.calls.filter((call) => call.name === 'capture.list')

describe('a capture opened by its link', () => {
  it('is loaded into the list, so that the list can scroll to it', async () => {
    t = setUp(700)
    t.openDetail(250)
    await t.open()
    expect(t.list().cursor).toBe(450)
    expect(lists().length).toBeLessThanOrEqual(6)
  })

  it('is not looked for through all of a large store', async () => {
    t = setUp(20_000)
    t.openDetail(1)
    await t.open()
    expect(t.list().cursor).toBeNull()
    expect(t.list().total).toBe(1000)
  })
})

describe('paging', () => {
  beforeEach(async () => {
    t = setUp(20_000)
    await t.open()
  })

  it('fetches one page to open, whatever the number of captures', () => {
    expect(lists()).toHaveLength(1)
    expect(t.ids().slice(0, 2)).toEqual([20_000, 19_999])
    expect(t.held()).toBe(100)
  })

  it('goes on without gap or overlap, and asks once however often the end is seen', async () => {
    await Promise.all([t.source.loadOlder(), t.source.loadOlder(), t.source.loadOlder()])
    expect(lists()).toHaveLength(2)
    expect(t.ids()).toEqual(Array.from({ length: 200 }, (_, index) => 20_000 - index))
  })

  it('keeps memory bounded and fetches again what was let go', async () => {
    for (let page = 0; page < 80; page += 1) await t.scrollToEnd()
    expect(t.list().total).toBe(8_100)
    expect(t.held()).toBeLessThanOrEqual(maxRows)
    expect(t.rows(0, 30)).toHaveLength(0)

    t.source.show(0, 30)
    await settle()
    expect(t.rows(0, 30).map(({ id }) => id)).toEqual(
      Array.from({ length: 31 }, (_, index) => 20_000 - index),
    )
    expect(t.held()).toBeLessThanOrEqual(maxRows)
    expect(t.source.indexOf(20_000)).toBe(0)
  })

  it('says why older rows did not come and goes on when asked', async () => {
    t.captures.failWith(new Error('gone'))
    await t.source.loadOlder()
    expect(t.list().tail.status).toBe('failed')
    t.captures.failWith(null)
    await t.source.resume()
    expect(t.list().total).toBe(200)
  })
})

describe('late answers', () => {
  it('drops the answer of a search that has been replaced', async () => {
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

  it('drops a late failure too', async () => {
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

  it('keeps what it shows where a search is refused, and goes on with it', async () => {
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

  it('does not put an older page of the former search under the new one', async () => {
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

describe('new captures', () => {
  beforeEach(async () => {
    t = setUp(300)
    await t.open()
  })

  it('come in by themselves while the newest are in sight and nothing is read', async () => {
    t.source.added(t.captures.arrive(3))
    await settle()
    expect(t.ids().slice(0, 4)).toEqual([303, 302, 301, 300])
    expect(t.list().waiting.count).toBe(0)
  })

  it.each<[string, () => unknown]>([
    ['a capture is open', () => t.openDetail(5)],
    ['the list is scrolled', () => t.source.atTop(false)],
    ['a row is chosen', () => t.source.put(1)],
    ['rows are selected', () => t.source.toggle(1)],
  ])('gather behind the bar when %s, and the rows do not move', async (_, read) => {
    read()
    const before = t.list().ids
    t.source.added(t.captures.arrive(12))
    await settle()
    expect(t.list().ids).toBe(before)
    expect(t.list().waiting).toEqual({ count: 12, atLeast: false })

    await t.source.showNew()
    expect(t.ids()[0]).toBe(312)
    expect(t.list().waiting.count).toBe(0)
    expect(t.list().isAtTop).toBe(true)
  })

  it('stay behind the bar when reading began while they were fetched', async () => {
    t.captures.hold(true)
    t.source.added(t.captures.arrive(2))
    await settle()
    t.source.putId(300)
    t.captures.hold(false)
    t.captures.held[0]?.release()
    await settle()
    expect(t.ids()[0]).toBe(300)
    expect(t.list().waiting.count).toBe(2)
  })

  it('more than a page at once starts the list anew, so that no gap is hidden', async () => {
    t.source.added(t.captures.arrive(250))
    await settle()
    expect(t.ids()).toEqual(Array.from({ length: 100 }, (_, index) => 550 - index))
    await t.source.loadOlder()
    expect(t.ids().at(-1)).toBe(351)
  })

  it('cost one question for any number of events until time has passed', async () => {
    const before = lists().length
    for (let event = 0; event < 50; event += 1) t.source.added(t.captures.arrive(20))
    await settle()
    expect(lists().length - before).toBe(1)
    await t.clock.pass()
    expect(lists().length - before).toBe(2)
    expect(t.ids()[0]).toBe(1300)
    expect(t.held()).toBe(100)
  })

  it('are not fetched for a window nobody sees, and are once it is seen', async () => {
    t.show(false)
    const before = lists().length
    t.source.added(t.captures.arrive(5))
    await settle()
    expect(lists()).toHaveLength(before)
    t.show(true)
    await t.clock.pass()
    t.source.catchUp()
    await settle()
    expect(t.ids()[0]).toBe(305)
  })

  it('of a search are counted by what matches, not by what arrived', async () => {
    await t.open({ text: 'needle' })
    t.source.putId(1)
    t.captures.arrive(4)
    t.source.added(t.captures.arrive(2, { summary: 'needle' }))
    await settle()
    expect(t.list().waiting).toEqual({ count: 2, atLeast: false })
  })

  it('fill an empty list at once', async () => {
    t = setUp(0)
    await t.open()
    t.source.added(t.captures.arrive(1))
    await settle()
    expect(t.ids()).toEqual([1])
  })
})

describe('what changes', () => {
  beforeEach(async () => {
    t = setUp(300)
    await t.open()
  })

  it('gives rows in sight their meaning once they are classified', async () => {
    t.source.added(t.captures.arrive(2, { kind: null }))
    await settle()
    t.source.show(0, 30)
    const newest = t.captures.rows.at(-1)
    expect(newest?.kind).toBeNull()
    t.captures.rows.splice(-2, 2, rowOf(301), rowOf(302, { kind: 'invoice' }))
    t.source.classified(302)
    await settle()
    expect(t.rows(0, 1).map((row) => row.kind)).toEqual(['invoice', 'account_tx'])
  })

  it('takes out what was deleted elsewhere', async () => {
    t.captures.rows.splice(297, 1)
    t.source.changed([298], t.captures.counts())
    await settle()
    expect(t.ids().slice(0, 4)).toEqual([300, 299, 297, 296])
  })

  it('brings in what a search finds by what was learnt later, behind the bar while one reads', async () => {
    await t.open({ text: 'needle' })
    expect(t.ids()).toEqual([])
    t.captures.rows.splice(299, 1, rowOf(300, { summary: 'needle' }))
    t.source.changed([300], t.captures.counts())
    await settle()
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

  it('appears although it came to match while the response to the query was on its way', async () => {
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

  it('starts anew after emptyQuery was cleared elsewhere', async () => {
    t.captures.rows.length = 0
    t.source.changed(null, t.captures.counts())
    await settle()
    expect(t.list().total).toBe(0)
    expect(t.list().nextBefore).toBeNull()
  })

  it('counts as read only what was shown in a window that is seen', async () => {
    const marks = () => t.captures.calls.filter((call) => call.name === 'capture.markRead')
    expect(marks().map((call) => call.input)).toEqual([{ upTo: 300 }])
    t.source.atTop(false)
    t.source.added(t.captures.arrive(3))
    await t.clock.pass()
    t.source.show(40, 70)
    await settle()
    expect(marks()).toHaveLength(1)
  })
})

describe('choosing rows', () => {
  beforeEach(async () => {
    t = setUp(10)
    await t.open()
  })

  it('puts the cursor on the row that took the place of a deleted one', () => {
    t.source.putId(8)
    t.source.remove([8])
    expect(t.list().cursorId).toBe(7)
    t.source.putId(1)
    t.source.remove([1])
    expect(t.list().cursorId).toBe(2)
  })

  it('keeps the cursor on its capture when rows above it go', () => {
    t.source.put(3)
    t.source.remove([10])
    expect(t.list()).toMatchObject({ cursor: 2, cursorId: 7 })
    expect(t.source.cursorRow()?.id).toBe(7)
  })

  it('selects one by one, and all from the last selected to another', async () => {
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

  it('takes a pin back when it could not be kept', async () => {
    t.captures.failWith(new Error('disk full'))
    await expect(t.source.pin([10], true)).rejects.toThrow('disk full')
    expect(t.rows(0, 0)[0]?.pinned).toBe(false)
  })
})

describe('the mark of the unread', () => {
  const rows = [9, 8, 6, 5, 4].map((id) => rowOf(id))
  const counts = { total: 5, others: 0, pinned: 0, newestId: 9 }

  it('is the first read row, also where ids have holes', () => {
    expect(readMark(rows, { ...counts, unread: 2 })).toBe(6)
    expect(readMark(rows, { ...counts, unread: 0 })).toBe(9)
  })

  it('does not count what came between the two answers', () => {
    expect(readMark([rowOf(10), ...rows], { ...counts, unread: 2 })).toBe(6)
  })

  it('is as near as can be told where that row is not loaded', () => {
    expect(readMark(rows, { ...counts, unread: 5 })).toBe(4)
  })
})
