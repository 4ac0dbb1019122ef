import { classes } from '../../ui/classes.ts'
import surface from '../../ui/surface.module.css'
import styles from './chart.module.css'

/** The ranges of a chart as links: the range is part of the address. */
export function RangeLinks<Name extends string>({
  ranges,
  current,
  hrefOf,
}: {
  ranges: readonly { readonly name: Name; readonly label: string }[]
  current: Name
  hrefOf: (name: Name) => string
}) {
  return (
    <nav className={styles['ranges']} aria-label="Time range">
      {ranges.map(({ name, label }) => (
        <a
          key={name}
          className={classes(surface['hover'], surface['navLink'], styles['range'])}
          href={hrefOf(name)}
          aria-current={name === current ? 'true' : undefined}
        >
          {label}
        </a>
      ))}
    </nav>
  )
}
