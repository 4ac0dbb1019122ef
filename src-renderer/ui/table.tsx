import { useRef } from 'react'
import { classes } from './classes.ts'
import type { DataColumn } from './data-list.tsx'
import styles from './table.module.css'
import { Text, textClasses } from './text.tsx'
import { useLinkKeys } from './use-link-keys.ts'

/** A short table, with the columns of a `DataList`; a column without a width takes what it needs. */
export function Table<T>({
  label,
  columns,
  rows,
  keyOf,
  boxed = false,
  scroll = false,
  keys = null,
}: {
  label: string
  columns: readonly (Pick<DataColumn<T>, 'name' | 'hideName' | 'look' | 'cell' | 'title'> & {
    width?: number
    /** Its text takes as many lines as it needs; the other cells of the row stand at the top. */
    wraps?: boolean
  })[]
  rows: readonly T[]
  keyOf: (row: T) => string | number
  /** In a frame of limited height, which scrolls. */
  boxed?: boolean
  /** Wider than its place, it scrolls sideways. */
  scroll?: boolean
  /** j and k walk through the links that have `data-walk`; the heading of these keys, and one row. */
  keys?: { readonly group: string; readonly thing: string } | null
}) {
  const body = useRef<HTMLTableSectionElement>(null)
  useLinkKeys(body, keys)
  const table = (
    <table
      className={classes(
        styles['table'],
        styles['sticky'],
        columns.some(({ wraps }) => wraps) && styles['tall'],
      )}
      aria-label={label}
    >
      <thead>
        <tr>
          {columns.map(({ name, hideName = false, look, width }) => (
            <th
              key={name}
              scope="col"
              className={classes(isAtEnd(look) && styles['number'])}
              style={{ width }}
            >
              {hideName ? <Text hidden>{name}</Text> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        {rows.map((row, index) => (
          <tr key={keyOf(row)}>
            {columns.map(({ name, look, cell, title, wraps = false }) => (
              <td
                key={name}
                title={title?.(row)}
                className={classes(
                  isAtEnd(look) && styles['number'],
                  wraps && styles['wraps'],
                  textClasses({
                    mono: look === 'mono' || look === 'amount',
                    tone: look === 'dim' ? 'dim' : undefined,
                    strong: look === 'strong',
                  }),
                )}
              >
                {cell(row, index, () => true)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
  if (!boxed && !scroll) return table
  return (
    <div
      className={styles[boxed ? 'boxed' : 'scroll']}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      {table}
    </div>
  )
}

const isAtEnd = (look: string | undefined) => look === 'number' || look === 'amount'
