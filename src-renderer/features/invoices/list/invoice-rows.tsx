import { type CSSProperties, useMemo, useRef, useState } from 'react'
import type { Invoice } from '../../../../src-preload/contract/invoice.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { printRoute } from '../../../app/route.ts'
import type { Column } from '../../../ui/virtual-grid.tsx'
import { directionOf } from '../../../components/list/sort.ts'
import { WindowGrid } from '../../../components/list/window-grid.tsx'
import type { ReadyWindows } from '../../../components/list/windows.ts'
import { columnGap, columnInset, columnsThatFit, noSigns, signsOf, templateOf } from './columns.ts'
import { useHiddenColumns } from './hidden-columns.ts'
import { changeQuery, listRoute, openInvoice, routeOfInvoice } from './go.ts'
import { InvoiceCells } from './invoice-cells.tsx'
import { invoices, putCursor, useInvoiceList } from './invoice-list.ts'
import { nextInvoiceSort } from './invoice-query.ts'
import { selectTo, toggleRow } from './selecting.ts'
import { useWidth } from './use-width.ts'
import styles from './list.module.css'

/** The invoices that the filter lets through. */
export function InvoiceRows({
  network,
  state,
}: {
  network: Network
  state: ReadyWindows<Invoice, null>
}) {
  const query = useInvoiceList((each) => each.query)
  const cursor = useInvoiceList((each) => each.cursor)
  const selected = useInvoiceList((each) => each.selected)
  const hidden = useHiddenColumns((each) => each.hidden)
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  // They only grow: the columns are not to change their widths while one scrolls.
  const [signs, setSigns] = useState(noSigns)
  const needed = useMemo(() => signsOf([...state.held.values()].flat(), signs), [state.held, signs])
  if (needed !== signs) setSigns(needed)
  const columns = useMemo(() => columnsThatFit(width, hidden, needed), [width, hidden, needed])
  const template = {
    '--columns': templateOf(columns),
    '--column-gap': `${columnGap}px`,
    '--inset': `${columnInset}px`,
  } as CSSProperties
  const { sort } = query
  const heads = columns.map(({ id, name, end = false, sort: by }): Column => ({
    name,
    end,
    hideName: id === 'select',
    className: id === 'description' ? styles['afterNumber'] : undefined,
    ...(by !== undefined && {
      sort: {
        direction: directionOf(sort, by),
        onSort: () => changeQuery({ sort: nextInvoiceSort(sort, by) }, true),
      },
    }),
  }))
  return (
    <div ref={box} className={styles['rows']} style={template}>
      {width > 0 && (
        <WindowGrid
          label="Invoices"
          className={undefined}
          columns={heads}
          list={invoices}
          state={state}
          cursor={cursor}
          onCursor={(index, by) => {
            const row = putCursor(index)
            if (row === null) return
            if (by === 'row') openInvoice(network, row.id)
            // Beside an open one, what one goes to while selecting is shown in its place.
            else if (by === 'select' && listRoute().id !== null) openInvoice(network, row.id, true)
          }}
          onTop={(atTop) => {
            if (useInvoiceList.getState().atTop !== atTop) useInvoiceList.setState({ atTop })
          }}
          isSelected={({ id }) => selected.has(id)}
          onSelect={(index, reach) => {
            if (reach === 'range') void selectTo(index)
            else toggleRow(index)
          }}
          cells={(invoice, index) => (
            <InvoiceCells
              columns={columns}
              invoice={invoice}
              index={index}
              isSelected={selected.has(invoice.id)}
              href={printRoute(routeOfInvoice(network, invoice.id, query))}
            />
          )}
        />
      )}
    </div>
  )
}
