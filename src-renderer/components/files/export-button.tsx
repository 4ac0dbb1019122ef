import type { JobState } from '../../../src-preload/contract/lookup.ts'
import { useData } from '../../app/bridge.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/layout.tsx'

/** The routes that list exports. */
export type ExportList = 'captureExport.list' | 'invoiceExport.list'

/** Opens a dialog of exports, and shows how many of them run. */
export function ExportButton({
  list,
  input,
  onPress,
}: {
  list: ExportList
  input?: object
  onPress: () => void
}) {
  const { data = [] } = useData(list as 'captureExport.list', input as undefined)
  const runs: readonly { state: JobState }[] = data
  const running = runs.filter(({ state }) => state === 'running').length
  return (
    <Button icon="download" onClick={onPress}>
      {running === 0 ? 'Export' : running === 1 ? 'Exporting…' : `${running} exports…`} <Kbd>e</Kbd>
    </Button>
  )
}
