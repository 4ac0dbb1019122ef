import type { Network } from '../../../../src-preload/contract/network.ts'
import { classes } from '../../../ui/classes.ts'
import text from '../../../ui/text.module.css'
import colour from '../../../components/network-colour.module.css'
import styles from './list.module.css'

/** Whose delivery it is: the name in the network's colour, or its first letter where room is short. */
export function NetworkMark({ network }: { network: Network | null }) {
  if (network === null) {
    return (
      <span className={styles['network']} title="Nothing tells whose delivery it is.">
        <span className={styles['letter']} aria-hidden="true">
          ?
        </span>
        <span className={classes(styles['networkName'], text['faint'])}>unknown</span>
      </span>
    )
  }
  return (
    <span
      className={classes(colour[network.kind], styles['network'], styles['known'])}
      title={network.name}
    >
      <span className={styles['letter']} aria-hidden="true">
        {network.name.charAt(0).toUpperCase()}
      </span>
      <span className={classes(styles['networkName'], text['cut'])}>{network.name}</span>
    </span>
  )
}
