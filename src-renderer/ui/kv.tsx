import { type ReactNode, Fragment } from 'react'
import { classes } from './classes.ts'
import styles from './kv.module.css'

/** Names and values, two columns. A pair with a null value is left out. */
export function KeyValues({
  pairs,
  wide = false,
  className,
}: {
  pairs: readonly (readonly [name: string, value: ReactNode])[]
  /** The names take the width they need. */
  wide?: boolean
  className?: string | undefined
}) {
  return (
    <dl className={classes(styles['kv'], wide && styles['wide'], className)}>
      {pairs.map(
        ([name, value]) =>
          value !== null && (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ),
      )}
    </dl>
  )
}
