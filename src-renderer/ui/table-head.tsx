import { classes } from './classes.ts'
import styles from './table.module.css'
import text from './text.module.css'

type HeadCell = {
  readonly name: string
  /** Numbers stand at the end of their cell. */
  readonly number?: boolean
  /** For those who see no heading. */
  readonly hideName?: boolean
  readonly className?: string | undefined
  /** In pixels; without it, it takes what room is left. */
  readonly width?: number
}

/** The headings of a table. */
export function TableHead({ cells }: { cells: readonly HeadCell[] }) {
  return (
    <thead>
      <tr>
        {cells.map(({ name, number = false, hideName = false, className, width }) => (
          <th
            key={name}
            scope="col"
            className={classes(number && styles['number'], className)}
            style={{ width }}
          >
            {hideName ? <span className={text['hidden']}>{name}</span> : name}
          </th>
        ))}
      </tr>
    </thead>
  )
}
