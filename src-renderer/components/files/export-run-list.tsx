import type { ReactNode } from 'react'
import type { JobState } from '../../../src-preload/contract/lookup.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Tag } from '../../ui/tag.tsx'
import text from '../../ui/text.module.css'
import { stateTones, stateWords } from '../jobs/job-state.ts'
import styles from './export.module.css'

/** What runs and what is done since the app was started; several may run. */
export function ExportRunList<T extends { readonly id: number }>({
  runs,
  render,
}: {
  runs: readonly T[]
  render: (run: T) => ReactNode
}) {
  if (runs.length === 0) return null
  return (
    <section className={styles['runs']} aria-label="Exports">
      <ul>{runs.map(render)}</ul>
    </section>
  )
}

/** One of them; inside stand its progress, or its files. */
export function ExportRunItem({
  name,
  run,
  figures,
  runs,
  children,
}: {
  name: string
  run: { readonly id: number; readonly state: JobState; readonly problem: string | null }
  /** How much it holds, or how far it has come. */
  figures: string
  runs: { cancel(id: number): Promise<void>; putAway(id: number): void }
  children: ReactNode
}) {
  const { id, state, problem } = run
  return (
    <li className={styles['run']} aria-label={name}>
      <div className={styles['line']}>
        <b className={text['cut']} title={name}>
          {name}
        </b>
        <Tag tone={stateTones[state]}>{stateWords[state]}</Tag>
        <span className={styles['figures']}>{figures}</span>
        <span className={styles['end']}>
          {state === 'running' ? (
            <Button onClick={() => void runs.cancel(id)}>Cancel</Button>
          ) : (
            <IconButton icon="close" label={`Put away: ${name}`} onClick={() => runs.putAway(id)} />
          )}
        </span>
      </div>
      {children}
      {problem !== null && (
        <p className={styles['bad']} role="status">
          {problem}
        </p>
      )}
    </li>
  )
}
