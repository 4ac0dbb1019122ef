import type { Network } from '../../../../src-preload/contract/network.ts'
import type { Period } from '../period.ts'
import { BesidePanel } from './beside-panel.tsx'
import type { ShownFigures } from './live.ts'
import { OverTimePanel } from './over-time-panel.tsx'
import styles from './charts.module.css'

/** Two charts at a time, each to be changed for another by its title; the list keeps its room. */
export function Charts({
  network,
  period,
  figures,
}: {
  network: Network
  period: Period
  /** Null until they are known. */
  figures: ShownFigures | null
}) {
  return (
    <div className={styles['charts']}>
      <OverTimePanel network={network} period={period} figures={figures} />
      <BesidePanel network={network} period={period} />
    </div>
  )
}
