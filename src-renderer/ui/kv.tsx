import { type ReactNode, Fragment } from 'react'
import { classes } from './classes.ts'
import styles from './kv.module.css'

/** Names and values, two columns. A pair with a null value is left out. */
export function KeyValues({
  label,
  pairs,
  wide = false,
  mono = false,
  className,
}: {
  label?: string
  pairs: readonly (readonly [name: ReactNode, value: ReactNode])[]
  /** The names take the width they need. */
  wide?: boolean
  /** Text of a program: headers, parameters. The names are shown whole. */
  mono?: boolean
  className?: string | undefined
}) {
  return (
    <dl
      className={classes(styles['kv'], wide && styles['wide'], mono && styles['mono'], className)}
      aria-label={label}
    >
      {pairs.map(
        ([name, value], index) =>
          value !== null && (
            // Pairs never change places, and a name may occur twice.
            <Fragment key={index}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ),
      )}
    </dl>
  )
}
