import { create } from 'zustand'
import type { LedgerEvent, Verdict } from '../../../../src-preload/contract/ledger.ts'
import { request } from '../../../app/bridge.ts'
import { createWindowList } from '../../../components/list/windows.ts'

type EventsState = {
  readonly check: number | null
  readonly verdict: Verdict | null
  readonly text: string
  /** The row that is open, by its place in the list. */
  readonly cursor: number | null
}

/** Which events of which check are shown; it stays while one looks at other pages. */
export const useEvents = create<EventsState>(() => ({
  check: null,
  verdict: null,
  text: '',
  cursor: null,
}))

export const events = createWindowList<LedgerEvent, null>()

function load({ keep }: { keep: boolean }): void {
  const { check: id, verdict, text } = useEvents.getState()
  if (id === null) return
  events.open(
    async (offset, limit) => {
      const page = await request('ledger.events', { id, filter: { verdict, text }, offset, limit })
      return { total: page.total, rows: page.events, extra: null }
    },
    { keep },
  )
}

export function openEvents(check: number): void {
  if (useEvents.getState().check === check) {
    events.refresh()
    return
  }
  useEvents.setState({ check, verdict: null, text: '', cursor: null })
  load({ keep: false })
}

export function filterEvents(change: { verdict?: Verdict | null; text?: string }): void {
  useEvents.setState({ ...change, cursor: null })
  load({ keep: true })
}
