import { expect, test } from 'vitest'
import { type ListState, createLiveList, windowSize } from '../../../src-renderer/ui/live-list.ts'

type Held = { readonly offset: number; answer(): Promise<void>; fail(): Promise<void> }

/** Simulates a source of numbers that replies when the test releases the reply. */
function otherSide(total: () => number, version: () => number) {
  const held: Held[] = []
  const load = (offset: number, limit: number) =>
    new Promise<{ total: number; rows: string[]; extra: number }>((resolve, reject) => {
      const settle = async (work: () => void) => {
        held.splice(held.indexOf(entry), 1)
        work()
        for (let turn = 0; turn < 5; turn += 1) await Promise.resolve()
      }
      // Rows are read at the time of the request, as from a database, so later changes are missing.
      const rows = Array.from(
        { length: Math.max(0, Math.min(limit, total() - offset)) },
        (_, index) => `${offset + index} v${version()}`,
      )
      const read = { total: total(), rows, extra: version() }
      const entry: Held = {
        offset,
        answer: () => settle(() => resolve(read)),
        fail: () => settle(() => reject(new Error('away'))),
      }
      held.push(entry)
    })
  return { held, load, offsets: () => held.map(({ offset }) => offset) }
}

/** The query selects the source. */
function listOf(side: ReturnType<typeof otherSide>, other = side) {
  return createLiveList<'first' | 'other', string, number>({
    load: (question, offset, limit) => (question === 'first' ? side : other).load(offset, limit),
    idOf: (row) => row.split(' ')[0] ?? '',
    pollMs: 0,
  })
}

type List = ReturnType<typeof listOf>

function ready(list: List): ListState<'first' | 'other', string, number> {
  const state = list.use.getState()
  if (state.status !== 'ready') throw new Error(state.status)
  return state
}

const settle = () => new Promise(setImmediate)

test('scrolling past many windows loads only the window where it stops', async () => {
  const side = otherSide(
    () => 100_000,
    () => 1,
  )
  const list = listOf(side)
  list.open('first')
  await side.held[0]?.answer()
  list.show(500, 520)
  for (let at = 600; at <= 90_000; at += 100) list.show(at, at + 20)
  expect(side.offsets()).toEqual([500])
  await side.held[0]?.answer()
  expect(side.offsets()).toEqual([90_000])
  await side.held[0]?.answer()
  expect(side.offsets()).toEqual([])
  expect(list.rowAt(90_007)).toBe('90007 v1')
  expect(list.rowAt(700)).toBeNull()
})

test('distant windows are released from memory', async () => {
  const side = otherSide(
    () => 100_000,
    () => 1,
  )
  const list = listOf(side)
  list.open('first')
  await side.held[0]?.answer()
  for (let at = 0; at < 60; at += 1) {
    list.show(at * windowSize, at * windowSize + 10)
    await side.held[0]?.answer()
  }
  const { held } = ready(list)
  expect(held.size).toBeLessThanOrEqual(20)
  expect(held.has(59)).toBe(true)
  expect(held.has(0)).toBe(false)
})

test('a late response to an earlier query is not shown for the newer query', async () => {
  const first = otherSide(
    () => 10,
    () => 1,
  )
  const second = otherSide(
    () => 3,
    () => 2,
  )
  const list = listOf(first, second)
  list.open('first')
  list.open('other')
  await first.held[0]?.answer()
  expect(list.use.getState().status).toBe('loading')
  await second.held[0]?.answer()
  expect(ready(list)).toMatchObject({ total: 3, extra: 2 })
})

test('a change during a request causes another request', async () => {
  let version = 1
  const side = otherSide(
    () => 50,
    () => version,
  )
  const list = listOf(side)
  list.open('first')
  await side.held[0]?.answer()
  list.refresh()
  version = 2
  list.refresh()
  await side.held[0]?.answer()
  expect(list.rowAt(0)).toBe('0 v1')
  await side.held[0]?.answer()
  expect(list.rowAt(0)).toBe('0 v2')
  expect(side.offsets()).toEqual([])
})

test('a window that is loaded during a change is loaded again', async () => {
  let version = 1
  const side = otherSide(
    () => 1000,
    () => version,
  )
  const list = listOf(side)
  list.open('first')
  await side.held[0]?.answer()
  list.show(400, 420)
  version = 2
  // The window that is being loaded is not in the list yet.
  list.refresh()
  await side.held[0]?.answer()
  expect(list.rowAt(400)).toBe('400 v1')
  await side.held[0]?.answer()
  expect(list.rowAt(400)).toBe('400 v2')
})

test('a failed request leaves the loaded rows in place, is not repeated automatically, and can be repeated', async () => {
  const side = otherSide(
    () => 1000,
    () => 1,
  )
  const list = listOf(side)
  list.open('first')
  await side.held[0]?.answer()
  list.show(400, 420)
  await side.held[0]?.fail()
  expect(side.offsets()).toEqual([])
  expect(ready(list).error).not.toBeNull()
  expect(list.rowAt(5)).toBe('5 v1')
  list.refresh()
  await side.held[0]?.answer()
  expect(ready(list).error).toBeNull()
  expect(list.rowAt(400)).toBe('400 v1')
})

test('a list that became shorter is loaded at its new end', async () => {
  let total = 1000
  const side = otherSide(
    () => total,
    () => 1,
  )
  const list = listOf(side)
  list.open('first')
  await side.held[0]?.answer()
  list.show(500, 520)
  await side.held[0]?.answer()
  list.show(980, 999)
  await side.held[0]?.answer()
  total = 120
  list.refresh()
  await side.held[0]?.answer()
  expect(ready(list).total).toBe(120)
  // Rows beyond the end are not found in windows that were loaded before.
  expect([list.indexOf('985'), list.rowAt(985)]).toEqual([null, null])
  expect([list.indexOf('505'), list.rowAt(505)]).toEqual([null, null])
  expect(side.offsets()).toEqual([100])
})

test('a newer version of a row replaces the older one in every loaded window without a request', async () => {
  const side = otherSide(
    () => 1000,
    () => 1,
  )
  const list = listOf(side)
  list.open('first')
  await side.held[0]?.answer()
  list.show(400, 420)
  await side.held[0]?.answer()
  list.update(['401 v2'])
  expect([400, 401, 402].map((index) => list.rowAt(index))).toEqual(['400 v1', '401 v2', '402 v1'])
  expect(side.offsets()).toEqual([])
})

/** A list of names that the test changes. */
async function namesList(names: string[]) {
  const shown = { names }
  const list = createLiveList<string, string>({
    load: (_question, offset, limit) =>
      Promise.resolve({
        total: shown.names.length,
        rows: shown.names.slice(offset, offset + limit),
        extra: null,
      }),
    idOf: (row) => row,
    pollMs: 0,
    mostSelected: 3,
  })
  list.open('all')
  await settle()
  return { list, shown }
}

test('new rows are shown at once at the top of the list, and wait behind the bar while a row is selected', async () => {
  const { list, shown } = await namesList(['b', 'c'])
  shown.names = ['a', 'b', 'c']
  list.note()
  await settle()
  expect(list.use.getState()).toMatchObject({ total: 3, news: null })

  list.put(1)
  shown.names = ['z', 'a', 'b', 'c']
  list.note()
  await expect.poll(() => [list.rowAt(0), list.use.getState().news]).toEqual(['a', 1])
  list.refresh()
  await settle()
  expect([list.rowAt(0), list.use.getState().news]).toEqual(['z', null])
})

test('a changed row that new rows have moved out of the reloaded window is loaded by its id', async () => {
  let pushed = 0
  let version = 1
  const list = createLiveList<string, string>({
    load: (_question, offset, limit) =>
      Promise.resolve({
        total: 500 + pushed,
        rows: Array.from({ length: limit }, (_, at) => `${offset + at - pushed} v${version}`),
        extra: null,
      }),
    idOf: (row) => row.split(' ')[0] ?? '',
    loadOne: (_question, id) => Promise.resolve(`${id} v${version}`),
    pollMs: 0,
  })
  list.open('all')
  await settle()
  list.put(10)
  pushed = 30
  version = 2
  list.note(['95', '5', '9999'])
  await expect.poll(() => list.rowAt(95)).toBe('95 v2')
  expect([list.rowAt(5), list.rowAt(96), list.use.getState().news]).toEqual(['5 v2', '96 v1', 30])
})

test('the cursor moves with its row when rows are inserted above', async () => {
  const { list, shown } = await namesList(['b', 'c'])
  list.put(1)
  shown.names = ['a', 'b', 'c']
  list.refresh()
  await settle()
  expect([list.use.getState().cursor, list.cursorRow()]).toEqual([2, 'c'])
  shown.names = ['a', 'b', 'd']
  list.refresh()
  await settle()
  expect([list.use.getState().cursor, list.cursorRow()]).toEqual([2, 'd'])
})

test('a range is selected from the last selected row, and a selection beyond the limit is refused', async () => {
  const { list } = await namesList(['a', 'b', 'c', 'd', 'e'])
  expect(list.toggle(1)).toBe(true)
  expect(await list.selectTo(3)).toBe(true)
  expect([...list.use.getState().selected.keys()]).toEqual(['b', 'c', 'd'])
  expect(list.toggle(4)).toBe(false)
  expect(list.toggle(2)).toBe(true)
  expect([...list.use.getState().selected.keys()]).toEqual(['b', 'd'])
  list.open('others')
  expect(list.use.getState().selected.size).toBe(0)
})

test('a row that is opened by its address is found outside the loaded windows, unless the user has moved the cursor', async () => {
  const side = otherSide(
    () => 3000,
    () => 1,
  )
  const list = listOf(side)
  const answerAll = async () => {
    for (let at = 0; at < 10 && side.held.length > 0; at += 1) await side.held[0]?.answer()
    await settle()
  }
  list.open('first')
  await answerAll()
  void list.seek('1234')
  await answerAll()
  expect(list.use.getState()).toMatchObject({ cursor: 1234, cursorId: '1234' })
  // The list scrolls to the row and loads it.
  list.show(1220, 1240)
  await answerAll()
  expect(list.cursorRow()).toBe('1234 v1')
  void list.seek('1234')
  expect(side.offsets()).toEqual([])

  void list.seek('2900')
  list.put(3)
  await answerAll()
  expect(list.use.getState()).toMatchObject({ cursor: 3, cursorId: '3' })
  void list.seek('missing')
  await answerAll()
  expect(list.use.getState()).toMatchObject({ cursor: 3, cursorId: '3' })
})
