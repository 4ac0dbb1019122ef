import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/layout.tsx'
import { useJobs } from '../jobs/job-kind.tsx'

export type ExportName = 'captureExport' | 'invoiceExport'

/** Opens a dialog of exports, and shows the number of running ones. */
export function ExportButton({
  kind,
  network,
  onPress,
}: {
  kind: ExportName
  /** The network whose exports are counted; absent for all. */
  network?: NetworkId
  onPress: () => void
}) {
  const { data = [] } = useJobs(kind, network)
  const running = data.filter(({ state }) => state === 'running').length
  return (
    <Button icon="download" onClick={onPress}>
      {running === 0 ? 'Export' : running === 1 ? 'Exporting…' : `${running} exports…`} <Kbd>e</Kbd>
    </Button>
  )
}
