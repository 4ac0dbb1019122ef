import { type ComponentProps, type ReactNode, useRef } from 'react'
import type { JobState } from '../../../src-preload/contract/lookup.ts'
import { Moment } from '../../ui/moment.tsx'
import { type Route, printRoute } from '../../app/route.ts'
import { classes } from '../../ui/classes.ts'
import { TableHead } from '../../ui/table-head.tsx'
import table from '../../ui/table.module.css'
import { type Tone, Tag } from '../../ui/tag.tsx'
import text from '../../ui/text.module.css'
import { useLinkKeys } from '../../ui/use-link-keys.ts'
import { stateTones, stateWords } from './job-state.ts'
import styles from './jobs-table.module.css'

/** A column without a width has room for a name. */
const leastOf = (head: ComponentProps<typeof TableHead>['cells']) =>
  head.reduce((sum, { width = 180 }) => sum + width, 0)

/** Long work as a list, newest first; walked with the keyboard. */
export function JobsTable<T>({
  jobs,
  head,
  className,
  keys,
  children,
}: {
  jobs: readonly T[]
  head: ComponentProps<typeof TableHead>['cells']
  /** Its least width, as `--least`. */
  className?: string | undefined
  keys: { group: string; thing: string }
  children: (job: T) => ReactNode
}) {
  const body = useRef<HTMLTableSectionElement>(null)
  useLinkKeys(body, keys)
  return (
    <table
      className={classes(table['table'], table['sticky'], styles['table'], className)}
      style={className === undefined ? { minWidth: leastOf(head) } : undefined}
    >
      <TableHead cells={head} />
      <tbody ref={body}>{jobs.map(children)}</tbody>
    </table>
  )
}

export function JobRow({
  job: { state, problem },
  title,
  route,
  note,
  beforeState,
  tone = stateTones[state],
  createdAt,
  actions,
  children,
}: {
  job: { readonly state: JobState; readonly problem: string | null }
  title: ReactNode
  route: Route
  note?: ReactNode
  /** Cells. */
  beforeState?: ReactNode
  tone?: Tone
  /** Microseconds. */
  createdAt: number
  actions: ReactNode
  /** Cells behind the state: how far it has come. */
  children: ReactNode
}) {
  return (
    <tr className={styles['row']}>
      <td className={styles['name']}>
        <a data-walk className={styles['link']} href={printRoute(route)}>
          {title}
        </a>
        {typeof note === 'string' ? <span className={styles['note']}>{note}</span> : note}
        {problem !== null && (
          <p className={classes(styles['problem'], state === 'failed' && styles['bad'])}>
            {problem}
          </p>
        )}
      </td>
      {beforeState}
      <td>
        <Tag tone={tone}>{stateWords[state]}</Tag>
      </td>
      {children}
      <td className={text['dim']}>
        <Moment at={createdAt} />
      </td>
      <td className={styles['actionsCell']}>
        <span className={styles['actions']}>{actions}</span>
      </td>
    </tr>
  )
}
