import type { Network } from '../../../src-preload/contract/network.ts'
import { formatNumber } from '../../ui/format.ts'
import { invoicesHome } from '../../app/invoices-route.ts'
import { useShortcuts } from '../../ui/keyboard.ts'
import { useResource, valueOf } from '../../app/resource.ts'
import { printRoute } from '../../app/route.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { CreateDialog } from './create/new-invoice.tsx'
import { openCreate } from './create/issuing.ts'
import { ExportDialog } from './export/export-dialog.tsx'
import { invoiceCounts } from './invoices.ts'
import styles from './page-actions.module.css'

/** What can be done from any view of the page: Needs attention, Export, New invoice. */
export function PageActions({ network }: { network: Network }) {
  const counts = valueOf(useResource(invoiceCounts(network.id)))
  useShortcuts([{ keys: ['n'], label: 'New invoice', group: 'Invoices', run: () => openCreate() }])
  return (
    <>
      {counts !== null && counts.matters > 0 && (
        <a
          className={styles['attention']}
          href={printRoute({ ...invoicesHome, view: 'attention', matter: null })}
        >
          Needs attention <b>{formatNumber(counts.matters)}</b>
        </a>
      )}
      <ExportDialog network={network} />
      {/* An empty list offers the same at its heart. */}
      <Button
        icon="plus"
        kind={counts?.total === 0 ? 'plain' : 'main'}
        onClick={() => openCreate()}
      >
        New invoice <Kbd>n</Kbd>
      </Button>
      <CreateDialog network={network} />
    </>
  )
}
