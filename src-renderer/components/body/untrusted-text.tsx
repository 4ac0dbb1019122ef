import type { DataColumn } from '../../ui/data-list.tsx'
import { visibleRuns } from './visible-text.ts'
import styles from './body.module.css'

/** Shows text from outside as text nodes only, with every invisible character made visible. */
export function UntrustedText({ text }: { text: string }) {
  return visibleRuns(text).map((run, index) =>
    run.stands === null ? (
      run.text
    ) : (
      <span key={index} className={styles['unseen']} title={run.stands}>
        {run.text}
      </span>
    ),
  )
}

/** A column of text from outside, whose tooltip has the whole text. */
export function untrustedColumn<T, K extends string = string>(
  column: Omit<DataColumn<T, K>, 'cell' | 'title'>,
  textOf: (row: T) => string | null,
): DataColumn<T, K> {
  return {
    ...column,
    cell: (row) => <UntrustedText text={textOf(row) ?? ''} />,
    title: (row) => textOf(row) || undefined,
  }
}
