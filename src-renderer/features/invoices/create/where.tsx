import type { Network } from '../../../../src-preload/contract/network.ts'
import { classes } from '../../../ui/classes.ts'
import colour from '../../../components/network-colour.module.css'
import { isReal } from '../../../components/network-confirm.tsx'
import styles from './create.module.css'

/** On which network it will be, at the button that does it; where coins are real it says so. */
export function Where({
  network,
  className,
}: {
  network: Network
  className?: string | undefined
}) {
  const { kind, name } = network
  return (
    <span
      className={classes(
        colour[kind],
        styles['where'],
        isReal(network) && styles['real'],
        className,
      )}
    >
      <span className={colour['dot']} />
      on {name}
      {isReal(network) && ': real coins'}
    </span>
  )
}
