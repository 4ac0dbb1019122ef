import { classes } from './classes.ts'
import type { DataColumn } from './data-list.tsx'
import styles from './table.module.css'
import { Text, textClasses } from './text.tsx'

/** A short table, with the columns of a `DataList`; a column without a width takes what it needs. */
export function Table<T>({
  label,
  columns,
  rows,
  keyOf,
  boxed = false,
  scroll = false,
}: {
  label: string
  columns: readonly (Pick<DataColumn<T>, 'name' | 'hideName' | 'look' | 'cell' | 'title'> & {
    width?: number
  })[]
  rows: readonly T[]
  keyOf: (row: T) => string | number
  /** In a frame of limited height, which scrolls. */
  boxed?: boolean
  /** Wider than its place, it scrolls sideways. */
  scroll?: boolean
}) {
  const table = (
    <table className={classes(styles['table'], styles['sticky'])} aria-label={label}>
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
      <tbody>
        {rows.map((row, index) => (
          <tr key={keyOf(row)}>
            {columns.map(({ name, look, cell, title }) => (
              <td
                key={name}
                title={title?.(row)}
                className={classes(
                  isAtEnd(look) && styles['number'],
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
