import { type ReactNode, Fragment, useRef, useState } from 'react'
import { IconButton } from './button.tsx'
import { classes } from './classes.ts'
import type { DataColumn } from './data-list.tsx'
import surface from './surface.module.css'
import styles from './table.module.css'
import { Row, Text, textClasses } from './layout.tsx'
import { useLinkKeys } from './keyboard.ts'

export type TableColumn<T> = Pick<
  DataColumn<T>,
  'name' | 'hideName' | 'look' | 'cell' | 'title' | 'grow'
> & {
  readonly width?: number
  /** True if the text may take several lines; the other cells of the row are aligned to the top. */
  readonly wraps?: boolean
}

/** A column by its name, its form and the content of its cells. */
export function column<T>(
  name: string,
  form: Omit<TableColumn<T>, 'name' | 'cell'>,
  cell: TableColumn<T>['cell'],
): TableColumn<T> {
  return { name, ...form, cell }
}

type TableProps<T> = {
  label: string
  columns: readonly TableColumn<T>[]
  rows: readonly T[]
  keyOf: (row: T) => string | number
  /** True for a frame with limited height, which scrolls. */
  boxed?: boolean
  /** True to scroll sideways if the table is too wide. */
  scroll?: boolean
  /** The heading of the keys, and the name of one row: j and k move through the links with `data-walk`. */
  keys?: { readonly group: string; readonly thing: string } | null
  /** Returns whether this row is the selected one. */
  isCurrent?: (row: T) => boolean
  /** Renders content across the table below a row; null for none. */
  more?: (row: T) => ReactNode
  /** Like `more`, but shown by a button in the first cell of a row, for one row at a time. */
  fold?: { readonly name: (row: T) => string; readonly content: (row: T) => ReactNode }
}

/**
 * A short table with the columns of a `DataList`. A column without a width takes what it needs; one
 * that grows takes its share of the remaining width, and its text is cut.
 */
export function Table<T>({
  label,
  columns,
  rows,
  keyOf,
  boxed = false,
  scroll = false,
  keys = null,
  isCurrent,
  more,
  fold,
}: TableProps<T>) {
  const [openKey, setOpenKey] = useState<string | number | null>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  useLinkKeys(body, keys)
  const table = (
    <table
      className={classes(styles['table'], columns.some(({ wraps }) => wraps) && styles['tall'])}
      aria-label={label}
    >
      <Head columns={columns} />
      <tbody ref={body}>
        {rows.map((row, index) => {
          const key = keyOf(row)
          const isOpen = key === openKey
          const below = (isOpen ? fold?.content(row) : more?.(row)) ?? false
          const opener = fold !== undefined && (
            <IconButton
              icon={isOpen ? 'down' : 'right'}
              label={fold.name(row)}
              aria-expanded={isOpen}
              onClick={() => setOpenKey(isOpen ? null : key)}
            />
          )
          return (
            <Fragment key={key}>
              <tr
                className={classes(
                  isCurrent?.(row) === true && surface['chosen'],
                  below !== false && styles['joined'],
                )}
              >
                {columns.map(({ name, look, grow, wraps = false, cell, title }, at) => (
                  <td
                    key={name}
                    title={title?.(row)}
                    className={classes(
                      isAtEnd(look) && styles['number'],
                      wraps && styles['wraps'],
                      grow !== undefined && styles['grow'],
                      textClasses({
                        mono: look === 'mono' || look === 'amount',
                        tone: look === 'dim' ? 'dim' : undefined,
                        strong: look === 'strong',
                        ...(grow !== undefined && { over: 'cut' }),
                      }),
                    )}
                  >
                    {at === 0 && opener !== false ? (
                      <Row gap="none">
                        {opener}
                        {cell(row, index, () => true)}
                      </Row>
                    ) : (
                      cell(row, index, () => true)
                    )}
                  </td>
                ))}
              </tr>
              {below !== false && (
                <tr>
                  <td colSpan={columns.length} className={styles['below']}>
                    {below}
                  </td>
                </tr>
              )}
            </Fragment>
          )
        })}
      </tbody>
    </table>
  )
  if (!boxed && !scroll) return table
  return (
    <div
      className={styles[boxed ? 'boxed' : 'scroll']}
      tabIndex={0}
      role="group"
      aria-label={label}
    >
      {table}
    </div>
  )
}

function Head<T>({ columns }: { columns: readonly TableColumn<T>[] }) {
  const shares = columns.reduce((sum, { grow = 0 }) => sum + grow, 0)
  const sizeOf = ({ width, grow }: TableColumn<T>) =>
    grow === undefined ? { width } : { width: `${(100 * grow) / shares}%`, minWidth: width }
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th
            key={column.name}
            scope="col"
            className={classes(isAtEnd(column.look) && styles['number'])}
            style={sizeOf(column)}
          >
            {column.hideName === true ? <Text hidden>{column.name}</Text> : column.name}
          </th>
        ))}
      </tr>
    </thead>
  )
}

const isAtEnd = (look: string | undefined) => look === 'number' || look === 'amount'
