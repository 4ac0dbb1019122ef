import type { Network } from '../../../../src-preload/contract/index.ts'
import { usePeriod } from '../period.ts'
import { BesidePanel } from './beside-panel.tsx'
import { OverTimePanel } from './over-time-panel.tsx'
import styles from './charts.module.css'

/** Two charts at a time, each to be changed for another by its title; the list keeps its room. */
export function Charts({ network }: { network: Network }) {
  const period = usePeriod()
  return (
    <div className={styles['charts']}>
      <OverTimePanel network={network} period={period} />
      <BesidePanel network={network} period={period} />
    </div>
  )
}
