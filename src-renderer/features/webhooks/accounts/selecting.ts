import { attempt } from '../../../app/attempt.ts'
import { formatNumber } from '../../../ui/format.ts'
import { announce } from '../../../ui/live-region.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { rowAt } from '../../../components/list/windows.ts'
import { readRows, subscriptions, useSubscriptions } from './subscriptions.ts'

/** As many as are removed by name at once; more go by what the filter shows. */
const most = 10_000
const pageSize = 500

/** Rows between two indexes, both with them, whether they were fetched yet or not. */
async function accountsBetween(from: number, to: number): Promise<string[]> {
  const accounts: string[] = []
  while (from + accounts.length <= to) {
    const offset = from + accounts.length
    const { rows } = await readRows(offset, Math.min(pageSize, to - offset + 1))
    if (rows.length === 0) break
    accounts.push(...rows.map(({ account }) => account))
  }
  return accounts
}

function select(change: (selected: Set<string>) => void, anchor: number): void {
  const selected = new Set(useSubscriptions.getState().selected)
  change(selected)
  useSubscriptions.setState({ selected, anchor })
  announce(`${formatNumber(selected.size)} selected`)
}

export function toggleRow(index: number): void {
  const state = subscriptions.store.getState()
  const row = state.status === 'ready' ? rowAt(state, index) : null
  if (row === null) return
  select((selected) => {
    if (!selected.delete(row.account)) selected.add(row.account)
  }, index)
}

/** All from the one selected last to this one. */
export async function selectTo(index: number): Promise<void> {
  const { anchor, cursor, of, filter, sort } = useSubscriptions.getState()
  const start = anchor ?? cursor ?? index
  const [from, to] = [Math.min(start, index), Math.max(start, index)]
  if (to - from >= most) {
    tellTooMany()
    return
  }
  // The cursor may move before the rows are there.
  useSubscriptions.setState({ anchor: start })
  const accounts = await attempt('Could not select the rows', () => accountsBetween(from, to))
  const now = useSubscriptions.getState()
  // Something else is shown by now: nothing of it was meant.
  if (now.of !== of || now.filter !== filter || now.sort !== sort) return
  if (accounts === undefined) return
  if (new Set([...now.selected, ...accounts]).size > most) {
    tellTooMany()
    return
  }
  select((selected) => {
    for (const account of accounts) selected.add(account)
  }, start)
}

function tellTooMany(): void {
  showToast({
    title: `At most ${formatNumber(most)} rows can be selected`,
    detail: 'To remove more, filter them and remove all that is shown.',
    tone: 'bad',
  })
}
