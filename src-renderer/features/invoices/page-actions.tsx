import type { Network } from '../../../src-preload/contract/index.ts'
import { CreateDialog } from './create/create-dialog.tsx'
import { ExportDialog } from './export/export-dialog.tsx'

/** What can be done from any view of the page: Needs attention, Export, New invoice. */
export function PageActions({ network }: { network: Network }) {
  return (
    <>
      <ExportDialog network={network} />
      <CreateDialog network={network} />
    </>
  )
}
