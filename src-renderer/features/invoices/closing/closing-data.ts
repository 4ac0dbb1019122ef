import { useEffect, useMemo } from 'react'
import type { Closing, ClosingRow } from '../../../../src-preload/contract/matter.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { on, onReconnect, request } from '../../../app/bridge.ts'
import { throttle } from '../../../ui/throttle.ts'
import { type Answer, useAnswer } from '../../../app/use-answer.ts'
import { type WindowList, createWindowList } from '../../../components/list/windows.ts'
import type { ClosedSpan } from './closing-span.ts'

export type ClosingList = WindowList<ClosingRow, null>

/** What is being reconciled tells of many changes within a moment. */
const restMs = 1000

/** The statement and its rows, kept current while they are on the screen. */
export function useClosing(
  network: NetworkId,
  { from, to, zone }: Pick<ClosedSpan, 'from' | 'to' | 'zone'>,
  onlyDifferences: boolean,
): Answer<Closing> & { readonly rows: ClosingList } {
  const rows = useMemo(() => createWindowList<ClosingRow, null>(), [])
  const answer = useAnswer('closing.read', { network, from, to, zone })
  const { resource } = answer
  useEffect(() => {
    rows.open(
      async (offset, limit) => {
        const asked = { network, from, to, zone, onlyDifferences, offset, limit }
        const page = await request('closing.rows', asked)
        return { total: page.total, rows: page.rows, extra: null }
      },
      { keep: true },
    )
  }, [rows, network, from, to, zone, onlyDifferences])
  useEffect(() => {
    const look = throttle(() => {
      void resource.reload()
      rows.refresh()
    }, restMs)
    const mine = (change: { readonly network: string }) => {
      if (change.network === network) look.call()
    }
    const stops = [
      on('invoice.changed', mine),
      on('payment.changed', mine),
      on('matter.changed', mine),
      onReconnect(() => rows.refresh()),
    ]
    return () => {
      for (const stop of stops) stop()
      look.cancel()
    }
  }, [rows, network, resource])
  return { ...answer, rows }
}
