import { useEffect } from 'react'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import { attempt } from '../../../app/attempt.ts'
import { NetworkTag } from '../../../components/network-tag.tsx'
import { closeExport, openExport, useExportDialog } from './dialog-state.ts'
import { InvoiceExportForm } from './export-form.tsx'
import { ExportList } from './export-list.tsx'
import { followExports, invoiceExports, listExports, reloadAfterLoss } from './exports.ts'

/** Its button, which tells what runs, and the dialog. What runs goes on when the page is left. */
export function ExportDialog({ network }: { network: Network }) {
  const isOpen = useExportDialog((state) => state.isOpen)
  const running = invoiceExports.useRuns(
    ({ list }) =>
      list.filter((each) => each.network === network.id && each.state === 'running').length,
  )
  useEffect(() => {
    followExports()
    void attempt('Could not list the exports', () => listExports(network.id))
    return reloadAfterLoss(network.id)
  }, [network.id])
  useEffect(() => closeExport, [])
  useShortcuts([{ keys: ['e'], label: 'Export…', group: 'Invoices', run: () => openExport() }])
  return (
    <>
      <Button icon="download" onClick={() => openExport()}>
        {running === 0 ? 'Export' : running === 1 ? 'Exporting…' : `${running} exports…`}{' '}
        <Kbd>e</Kbd>
      </Button>
      <Dialog
        open={isOpen}
        onClose={closeExport}
        wide
        title="Export invoices"
        detail={
          <>
            From the local ledger of <NetworkTag id={network.id} />, also without a network.
          </>
        }
      >
        <InvoiceExportForm network={network} />
        <ExportList network={network} />
      </Dialog>
    </>
  )
}
