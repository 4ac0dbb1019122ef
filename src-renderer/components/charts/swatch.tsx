import { classes } from '../../ui/classes.ts'
import type { Series } from './series.ts'
import styles from './chart.module.css'

/** Shows the color of a series: dashed if it is drawn dashed, empty if it is not drawn. */
export function Swatch({ series: { colour, shown } }: { series: Series }) {
  return (
    <span
      className={classes(styles['swatch'], shown !== undefined && styles[shown])}
      style={{ color: `var(--series-${colour})` }}
    />
  )
}
