import { useState } from 'react'
import type { InvoiceColumn } from '../../../../src-preload/contract/invoice-export.ts'
import { formatNumber } from '../../../ui/format.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import files from '../../../components/files/export.module.css'
import {
  type ChosenColumn,
  changeForm,
  isUsual,
  moveColumn,
  toggleColumn,
  usualColumns,
} from './export-choice.ts'
import styles from './export.module.css'

/** Which columns the file has, in which order. Folded: most take all of them. */
export function ColumnChoice({ columns }: { columns: readonly ChosenColumn[] }) {
  const [isOpen, setOpen] = useState(false)
  const isIn = columns.filter((each) => each.isIn).length
  const change = (next: readonly ChosenColumn[]) => changeForm({ columns: next })
  return (
    <div className={styles['columns']}>
      <div className={files['line']}>
        <Button
          kind="quiet"
          icon={isOpen ? 'down' : 'right'}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          Columns: {isIn === columns.length ? 'all' : `${formatNumber(isIn)} of`}{' '}
          {formatNumber(columns.length)}
        </Button>
        {!isUsual(columns) && (
          <Button kind="link" onClick={() => change(usualColumns)}>
            All, in the usual order
          </Button>
        )}
        {isIn === 0 && (
          <span className={files['bad']} role="alert">
            Choose at least one.
          </span>
        )}
      </div>
      {isOpen && (
        <ol className={styles['columnList']} aria-label="Columns">
          {columns.map((each, index) => (
            <Column
              key={each.column}
              chosen={each}
              isFirst={index === 0}
              isLast={index === columns.length - 1}
              onToggle={(column) => change(toggleColumn(columns, column))}
              onMove={(column, step) => change(moveColumn(columns, column, step))}
            />
          ))}
        </ol>
      )}
    </div>
  )
}

function Column({
  chosen: { column, isIn },
  isFirst,
  isLast,
  onToggle,
  onMove,
}: {
  chosen: ChosenColumn
  isFirst: boolean
  isLast: boolean
  onToggle: (column: InvoiceColumn) => void
  onMove: (column: InvoiceColumn, step: 1 | -1) => void
}) {
  return (
    <li className={styles['column']}>
      <label className={styles['check']}>
        <input type="checkbox" checked={isIn} onChange={() => onToggle(column)} />
        {column}
      </label>
      <span className={styles['moves']}>
        <span className={styles['up']}>
          <IconButton
            icon="down"
            label={`${column} earlier`}
            // It keeps the focus at the end, so that it is not lost there.
            aria-disabled={isFirst}
            onClick={() => onMove(column, -1)}
          />
        </span>
        <IconButton
          icon="down"
          label={`${column} later`}
          aria-disabled={isLast}
          onClick={() => onMove(column, 1)}
        />
      </span>
    </li>
  )
}
