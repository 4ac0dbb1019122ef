import type { Network } from '../../../../src-preload/contract/index.ts'
import { useResource, valueOf } from '../../../resource.ts'
import { Button } from '../../../ui/button.tsx'
import { invoiceCounts } from '../invoices.ts'
import { usePeriod } from '../period.ts'
import { BesidePanel } from './beside-panel.tsx'
import { chooseCharts, useChartChoice } from './chart-choice.ts'
import { OverTimePanel } from './over-time-panel.tsx'
import styles from './charts.module.css'

/** Two charts at a time, each to be changed for another by its title; the list keeps its room. */
export function Charts({ network }: { network: Network }) {
  const isHidden = useChartChoice((choice) => choice.isHidden)
  const counts = valueOf(useResource(invoiceCounts(network.id)))
  const period = usePeriod()
  // The list says what is to be done first.
  if (counts?.total === 0) return null
  if (isHidden) {
    return (
      <div className={styles['hidden']}>
        <Button kind="quiet" icon="down" onClick={() => chooseCharts({ isHidden: false })}>
          Show the charts
        </Button>
      </div>
    )
  }
  return (
    <div className={styles['charts']}>
      <OverTimePanel network={network} period={period} />
      <BesidePanel network={network} period={period} />
    </div>
  )
}
