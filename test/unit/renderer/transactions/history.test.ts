import { describe, expect, it } from 'vitest'
import type { HistoryPage, HistoryRow } from '../../../../src-preload/contract/chain.ts'
import { emptyFilter } from '../../../../src-renderer/app/chain-route.ts'
import { createHistory } from '../../../../src-renderer/features/explorer/account/history.ts'

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
  }
}

function page(lts: readonly number[], part: Partial<HistoryPage> = {}): HistoryPage {
  const newest = lts[0]
  return {
    network: 'sandbox',
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

const question = { network: 'sandbox', address: '0:0', filter: emptyFilter }

/** A history whose questions are answered one after another; each is noted as it was asked. */
function historyOf(...answers: readonly (HistoryPage | Error)[]) {
  const asked: unknown[] = []
  const history = createHistory(question, (place) => {
    asked.push(place)
    const answer = answers[asked.length - 1]
    if (answer === undefined) throw new Error('asked too often')
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
  })
  const seen = () => {
    const state = history.store.getState()
    if (state.status !== 'ready') return state.status
    const lts = (rows: readonly HistoryRow[]) => rows.map(({ lt }) => Number(lt))
    return { rows: lts(state.pages.rows), waiting: lts(state.pages.waiting) }
  }
  return { history, asked, seen }
}

const never = () => false
const always = () => true

describe('the history of an account', () => {
  it('goes back page by page and shows none twice where pages overlap', async () => {
    const { history, asked, seen } = historyOf(
      page([9, 8], { older: '8' }),
      page([8, 7], { older: null }),
    )
    await history.load()
    await history.loadOlder()
    await history.loadOlder()
    expect(seen()).toEqual({ rows: [9, 8, 7], waiting: [] })
    expect(asked).toEqual([{}, { before: '8' }])
  })

  it('leaves no gap where it is loaded anew while an older page is on its way', async () => {
    const late = Promise.withResolvers<HistoryPage>()
    const answers = [page([9], { older: '9' }), late.promise, page([12, 11], { older: '11' })]
    const history = createHistory(question, () => Promise.resolve(answers.shift() ?? page([])))
    await history.load()
    const older = history.loadOlder()
    await history.load()
    late.resolve(page([8], { older: '8' }))
    await older
    expect(history.store.getState()).toMatchObject({
      pages: { rows: [{ lt: '12' }, { lt: '11' }], older: '11' },
    })
  })

  it('gathers what is new while one reads, until it is asked for', async () => {
    const { history, seen } = historyOf(page([5]), page([7, 6]), page([], { newer: '7' }))
    await history.load()
    await history.poll(never)
    expect(seen()).toEqual({ rows: [5], waiting: [7, 6] })
    history.showNew()
    expect(seen()).toEqual({ rows: [7, 6, 5], waiting: [] })
  })

  it('shows what is new at once to one who looks at the top', async () => {
    const { history, seen } = historyOf(page([5]), page([6]), page([], { newer: '6' }))
    await history.load()
    await history.poll(always)
    expect(seen()).toEqual({ rows: [6, 5], waiting: [] })
  })

  it('follows a filter that lets nothing of the new through, and does not ask for it again', async () => {
    const { history, asked } = historyOf(
      page([5]),
      page([], { newer: '9', scanned: 4 }),
      page([], { newer: '9' }),
    )
    await history.load()
    await history.poll(never)
    await history.poll(never)
    expect(asked).toEqual([{}, { after: '5' }, { after: '9' }])
    const state = history.store.getState()
    expect(state.status === 'ready' && state.pages.scanned).toBe(5)
  })

  it('sees the first transaction of an account that had none', async () => {
    const { history, seen } = historyOf(page([]), page([3]))
    await history.load()
    await history.poll(never)
    expect(seen()).toEqual({ rows: [3], waiting: [] })
  })

  it('keeps what it has when a page cannot be had, and goes on from there', async () => {
    const { history, asked, seen } = historyOf(
      page([9], { older: '9' }),
      new Error('away'),
      page([8]),
    )
    await history.load()
    await history.loadOlder()
    const failed = history.store.getState()
    expect(failed.status === 'ready' && failed.olderProblem).not.toBeNull()
    await history.loadOlder()
    expect(seen()).toEqual({ rows: [9, 8], waiting: [] })
    expect(asked[2]).toEqual({ before: '9' })
    const mended = history.store.getState()
    expect(mended.status === 'ready' && mended.olderProblem).toBeNull()
  })

  it('does not go on by itself where a filter finds nothing: that is the person’s choice', async () => {
    const { history } = historyOf(page([9], { older: '9' }), page([], { older: '2', scanned: 500 }))
    await history.load()
    await history.loadOlder()
    const state = history.store.getState()
    expect(state.status === 'ready' && state.pages).toMatchObject({ isSparse: true, scanned: 501 })
  })
})
