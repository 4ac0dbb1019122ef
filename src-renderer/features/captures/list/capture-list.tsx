import { type MouseEvent, useEffect, useRef } from 'react'
import { useNow } from '../../../ui/moment.tsx'
import { useResource, valueOf } from '../../../app/resource.ts'
import { VirtualGrid, useRowsInSight } from '../../../ui/virtual-grid.tsx'
import type { CaptureRow } from '../../../../src-preload/contract/capture.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { useAccountLabels, useLabelsOf } from '../../../app/account-labels.ts'
import { useAddressForm } from '../../../components/address.tsx'
import { networks } from '../../../app/networks.ts'
import { openRow } from '../inspector-commands.ts'
import { type ReadyList, openId } from '../inspector-state.ts'
import { choices, live, loading, useInspector } from '../inspector.ts'
import { countRows, indexOfId, rowAt, rowsBetween } from './capture-pages.ts'
import { AbsentRow, CaptureListRow, rowElementId } from './capture-row.tsx'
import { isEverything } from './list-loading.ts'
import { ListFoot } from './list-foot.tsx'
import styles from './list.module.css'

/** Rows before the end at which the next page is fetched. */
const nearEnd = 60

const columns = [
  { name: 'Time' },
  { name: 'Event' },
  { name: 'Network', className: styles['networkHead'] },
  { name: 'Account', className: styles['account'] },
  { name: 'Amount', className: styles['amount'] },
  { name: 'Meaning' },
  { name: 'Answer' },
  { name: 'Forwarded', className: styles['forward'] },
  { name: 'Took', className: styles['took'] },
  { name: 'Marks', hideName: true, className: styles['marks'] },
]

const noNetworks: readonly Network[] = []

/** The captures as a grid of which only what is in sight exists. */
export function CaptureList({ list }: { list: ReadyList }) {
  const { query, counts, readUpTo, cursor, marked, topAsked } = useInspector()
  const open = useInspector((state) => openId(state.detail))
  const pressed = useRef<number | null>(null)
  const now = useNow()
  const known = valueOf(useResource(networks))?.networks ?? noNetworks
  const form = useAddressForm((state) => state.form)
  const books = useAccountLabels((state) => state.books)
  const count = countRows(list.pages)
  const inSight = useRowsInSight(count, topAsked)
  const { first, last, virtual } = inSight

  useLabelsOf(
    rowsBetween(list.pages, first, last).flatMap((row) =>
      row.network === null ? [] : [row.network],
    ),
  )

  useEffect(() => {
    live.showRange(first, last)
    if (last + nearEnd >= count) void loading.loadOlder()
  }, [first, last, count, list.pages])

  useEffect(() => {
    const index = choices.cursorIndex()
    if (index >= 0) virtual.scrollToIndex(index, { align: 'auto' })
  }, [cursor, virtual])

  const cursorIndex = cursor === null ? -1 : indexOfId(list.pages, cursor)
  const cursorShown = cursorIndex >= first && cursorIndex <= last && count > 0
  const total = isEverything(query) ? (counts?.total ?? count) : count
  const isWhole = isEverything(query) || list.nextBefore === null

  const click = (event: MouseEvent) => {
    const id = pressed.current ?? idAt(event.target)
    pressed.current = null
    if (id === null) return
    if (event.ctrlKey || event.metaKey) choices.toggleMark(id)
    else openRow(id)
  }

  return (
    <VirtualGrid
      inSight={inSight}
      aria-label="Captures"
      rowCount={isWhole ? total : null}
      columns={columns}
      aria-multiselectable="true"
      aria-activedescendant={cursorShown && cursor !== null ? rowElementId(cursor) : undefined}
      className={styles['grid']}
      onTop={noteTop}
      // New rows may move what is under the pointer between press and release.
      onPointerDown={(event) => (pressed.current = idAt(event.target))}
      onClick={click}
      row={(index, top) => {
        const row = rowAt(list.pages, index)
        if (row === null) return <AbsentRow key={`absent-${index}`} index={index} top={top} />
        const network = known.find(({ id }) => id === row.network) ?? null
        return (
          <CaptureListRow
            key={row.id}
            row={row}
            index={index}
            top={top}
            now={Math.max(now, row.receivedAt)}
            network={network}
            label={labelOf(books, row)}
            form={form}
            isUnread={row.origin === 'received' && readUpTo !== null && row.id > readUpTo}
            isOpen={row.id === open}
            hasCursor={row.id === cursor}
            isMarked={marked.has(row.id)}
          />
        )
      }}
      foot={<ListFoot list={list} count={count} />}
    />
  )
}

function labelOf(
  books: Readonly<Record<string, ReadonlyMap<string, string>>>,
  { network, account }: CaptureRow,
): string | null {
  if (network === null || account === null) return null
  return books[network]?.get(account) ?? null
}

function idAt(target: EventTarget): number | null {
  const row = target instanceof Element ? target.closest('[data-id]') : null
  const id = Number(row?.getAttribute('data-id') ?? '')
  return id > 0 ? id : null
}

function noteTop(atTop: boolean): void {
  if (useInspector.getState().atTop === atTop) return
  useInspector.setState({ atTop })
  if (atTop) live.catchUp()
}
