import { describe, expect, it, vi } from 'vitest'
import type { HistoryPage, HistoryRow } from '../../../../src-preload/contract/chain/account.ts'
import { emptyFilter } from '../../../../src-renderer/app/chain-route.ts'
import { createHistory } from '../../../../src-renderer/features/explorer/history.ts'
import { withoutAmount } from '../../../../src-renderer/features/explorer/history-list.tsx'

// The address form is read from the storage while modules load.
vi.hoisted(() => vi.stubGlobal('window', { localStorage: { getItem: () => null } }))

function row(lt: number): HistoryRow {
  return {
    hash: lt.toString(16).padStart(64, '0'),
    lt: String(lt),
    at: lt * 1000,
    direction: 'in',
    success: true,
    peer: null,
    change: null,
    opcode: null,
    operation: null,
    comment: null,
    fees: '0',
    outMessages: 0,
    failure: null,
    event: null,
  }
}

function page(lts: readonly number[], part: Partial<HistoryPage> = {}): HistoryPage {
  const newest = lts[0]
  return {
    network: 'sandbox',
    view: 'transactions',
    viewProblem: null,
    rows: lts.map(row),
    older: null,
    newer: newest === undefined ? null : String(newest),
    scanned: lts.length,
    isBeginning: false,
    unread: [],
    offline: null,
    ...part,
  }
}

const question = {
  network: 'sandbox',
  address: '0:0',
  filter: emptyFilter,
  view: 'transactions' as const,
  hidesSpam: false,
}

/** Creates a history whose requests get these responses in order. */
function historyOf(...answers: readonly (HistoryPage | Error)[]) {
  const asked: unknown[] = []
  const history = createHistory((_, place) => {
    asked.push(place)
    const answer = answers[asked.length - 1]
    if (answer === undefined) throw new Error('requested too often')
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
  })
  const { source } = history
  const lts = (rows: readonly HistoryRow[]) => rows.map(({ lt }) => Number(lt))
  const seen = () => ({
    rows: lts(source.use.getState().rows.flatMap((line) => (line.kind === 'row' ? line.row : []))),
    waiting: lts(history.use.getState().waiting),
    news: source.use.getState().news,
  })
  /** The user has scrolled away from the top. */
  const scrollDown = () => source.atTop(false)
  return { history, source, asked, seen, scrollDown }
}

describe('the history of an account', () => {
  it('the history loads older pages and shows overlapping rows once', async () => {
    const { history, asked, seen } = historyOf(
      page([9, 8], { older: '8' }),
      page([8, 7], { older: null }),
    )
    await history.open(question)
    await history.loadOlder()
    await history.loadOlder()
    expect(seen().rows).toEqual([9, 8, 7])
    expect(asked).toEqual([{}, { before: '8' }])
  })

  it('the number of rows is known only at the end, and more rows are loaded when the last rows become visible', async () => {
    const { history, source, asked } = historyOf(
      page([9, 8], { older: '8' }),
      page([7], { older: null }),
    )
    await history.open(question)
    expect(source.use.getState().rowCount).toBeNull()
    source.show(0, 1)
    await expect.poll(() => source.use.getState().rowCount).toBe(3)
    source.show(0, 2)
    expect(asked).toHaveLength(2)
  })

  it('an older page that arrives after a reload is discarded', async () => {
    const late = Promise.withResolvers<HistoryPage>()
    const answers = [page([9], { older: '9' }), late.promise, page([12, 11], { older: '11' })]
    const history = createHistory(() => Promise.resolve(answers.shift() ?? page([])))
    await history.open(question)
    const older = history.loadOlder()
    await history.reload()
    late.resolve(page([8], { older: '8' }))
    await older
    expect(history.use.getState().rows).toMatchObject([{ lt: '12' }, { lt: '11' }])
    expect(history.use.getState().older).toBe('11')
  })

  it('the late response for an account that was left is discarded', async () => {
    const late = Promise.withResolvers<HistoryPage>()
    const answers = [late.promise, page([3])]
    const history = createHistory(() => Promise.resolve(answers.shift() ?? page([])))
    const first = history.open(question)
    await history.open({ ...question, address: '0:1' })
    late.resolve(page([9]))
    await first
    expect(history.use.getState().rows).toMatchObject([{ lt: '3' }])
  })

  it('new rows wait while the list is scrolled, until the user requests them', async () => {
    const { history, source, seen, scrollDown } = historyOf(
      page([5]),
      page([7, 6]),
      page([], { newer: '7' }),
    )
    await history.open(question)
    scrollDown()
    await history.poll()
    expect(seen()).toEqual({ rows: [5], waiting: [7, 6], news: 2 })
    source.refresh()
    expect(seen()).toEqual({ rows: [7, 6, 5], waiting: [], news: null })
  })

  it('the cursor stays on its row when new rows arrive', async () => {
    const { history, source, seen } = historyOf(page([5]), page([6]), page([], { newer: '6' }))
    await history.open(question)
    source.put(0)
    await history.poll()
    expect(seen()).toEqual({ rows: [5], waiting: [6], news: 1 })
    source.refresh()
    expect(source.use.getState().cursor).toBe(1)
    expect(source.cursorRow()).toMatchObject({ row: { lt: '5' } })
  })

  it('new rows appear at once while the list is at its top', async () => {
    const { history, seen } = historyOf(page([5]), page([6]), page([], { newer: '6' }))
    await history.open(question)
    await history.poll()
    expect(seen()).toEqual({ rows: [6, 5], waiting: [], news: null })
  })

  it('reopening the history requests new rows', async () => {
    const { history, asked, seen } = historyOf(page([5]), page([6]), page([], { newer: '6' }))
    await history.open(question)
    await history.open({ ...question })
    expect(seen().rows).toEqual([6, 5])
    expect(asked).toEqual([{}, { after: '5' }, { after: '6' }])
  })

  it('the next request continues after new transactions that do not pass the filter', async () => {
    const { history, asked } = historyOf(
      page([5]),
      page([], { newer: '9', scanned: 4 }),
      page([], { newer: '9' }),
    )
    await history.open(question)
    await history.poll()
    await history.poll()
    expect(asked).toEqual([{}, { after: '5' }, { after: '9' }])
    expect(history.use.getState().scanned).toBe(5)
  })

  it('the first transaction of an empty account is shown', async () => {
    const { history, seen } = historyOf(page([]), page([3]))
    await history.open(question)
    await history.poll()
    expect(seen().rows).toEqual([3])
  })

  it('a failed older page leaves the rows in place, and is requested again on request', async () => {
    const { history, source, asked, seen } = historyOf(
      page([9], { older: '9' }),
      new Error('away'),
      page([8]),
    )
    await history.open(question)
    await history.loadOlder()
    expect(history.use.getState().olderProblem).not.toBeNull()
    // The failure is shown with a button, and scrolling does not repeat the request.
    source.show(0, 0)
    expect(asked).toHaveLength(2)
    await history.loadOlder()
    expect(seen().rows).toEqual([9, 8])
    expect(asked[2]).toEqual({ before: '9' })
    expect(history.use.getState().olderProblem).toBeNull()
  })

  it('a failed first page is shown as a failure, and can be loaded again', async () => {
    const { history, source, seen } = historyOf(new Error('away'), page([4]))
    await history.open(question)
    expect(source.use.getState().status).toBe('failed')
    source.refresh()
    await expect.poll(() => seen().rows).toEqual([4])
  })

  it('the search does not continue automatically when a page has no match', async () => {
    const { history, source, asked } = historyOf(
      page([9], { older: '9' }),
      page([], { older: '2', scanned: 500 }),
    )
    await history.open(question)
    await history.loadOlder()
    expect(history.use.getState()).toMatchObject({ isSparse: true, scanned: 501 })
    source.show(0, 0)
    expect(asked).toHaveLength(2)
  })

  // An event must not stay in progress, and spam must not be hidden without being counted.
  it('the newest events are loaded again, and spam is hidden and counted if the user chooses so', async () => {
    const event = (lt: number, part: object = {}): HistoryRow => ({
      ...row(lt),
      event: {
        id: row(lt).hash,
        isScam: false,
        inProgress: false,
        actions: [],
        changes: [],
        extra: '0',
        ...part,
      },
    })
    const events = (...rows: HistoryRow[]) => page([], { rows, view: 'events' })
    const { history, asked, seen } = historyOf(
      events(event(9, { inProgress: true }), event(7, { isScam: true })),
      events(event(9), event(8), event(7, { isScam: true })),
    )
    await history.open({ ...question, view: 'events' })
    await history.poll()
    expect(asked).toEqual([{}, {}])
    expect(seen().rows).toEqual([9, 8, 7])
    expect(history.use.getState().rows.map((each) => each.event?.inProgress)).toEqual([
      ...[false, false, false],
    ])
    await history.open({ ...question, view: 'events', hidesSpam: true })
    expect(seen().rows).toEqual([9, 8])
    expect(history.use.getState().hiddenCount).toBe(1)
    expect(asked).toHaveLength(2)
  })
})

describe('the sentence of an event beside its amount', () => {
  const words = (text: string) => ({ kind: 'words', text }) as const
  const amount = { kind: 'amount', units: '1500000000', asset: {} } as never
  const wallet = { kind: 'account', account: { address: '0:5' } } as never
  const quote = { kind: 'quote', text: 'order-1' } as const
  const told = (...sentence: readonly object[]) =>
    withoutAmount({ sentence } as never)
      .sentence.map((part) => (part.kind === 'words' ? part.text : part.kind))
      .join('')

  it('the comment comes first, and the amount is not repeated', () => {
    const from = [words('Received '), amount, words(' from '), wallet]
    expect(told(...from, words(' with the comment '), quote, words('.'))).toBe(
      'quote · Received from account.',
    )
    expect(told(...from, words('.'))).toBe('Received from account.')
  })

  it('words keep their spaces beside an account', () => {
    expect(told(wallet, words(' sent '), amount, words(' to '), wallet, words('.'))).toBe(
      'account sent to account.',
    )
  })
})
