import type { ElementType } from 'react'
import type { DataColumn } from '../../ui/data-list.tsx'
import { Text, type TextProps } from '../../ui/layout.tsx'
import { visibleRuns } from './visible-text.ts'
import styles from './body.module.css'

/**
 * Shows text from outside as text nodes only, with every invisible character made visible. With a
 * style or another property of `Text`, they are inside such an element.
 */
export function UntrustedText<E extends ElementType = 'span'>({
  text,
  ...look
}: TextProps<E> & { text: string }) {
  const runs = visibleRuns(text).map((run, index) =>
    run.stands === null ? (
      run.text
    ) : (
      <span key={index} className={styles['unseen']} title={run.stands}>
        {run.text}
      </span>
    ),
  )
  const style: object = look
  return Object.keys(style).length === 0 ? runs : <Text {...style}>{runs}</Text>
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
