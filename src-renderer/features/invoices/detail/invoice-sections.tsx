import { useState } from 'react'
import type { InvoiceDetail } from '../../../../src-preload/contract/invoice.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import type { Resource } from '../../../app/resource.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import pane from '../../../ui/pane.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import warning from '../../../ui/warning.module.css'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { TreeView } from '../../../components/body/tree-view.tsx'
import { ReportedTag, TimeLeft } from '../invoice-state.tsx'
import { printState, wholeTone } from '../invoice-words.ts'
import { closeInvoice } from '../list/go.ts'
import { fetchInvoice } from './advice-acts.ts'
import { AdvicePanel } from './advice-panel.tsx'
import { Facts } from './facts.tsx'
import { LinkSection } from './link-section.tsx'
import { PaymentsSection } from './payments-section.tsx'
import { ReportsSection } from './reports-section.tsx'
import { Timeline } from './timeline.tsx'
import styles from './detail.module.css'

/** All that is known of one invoice, what to do about it first. */
export function InvoiceSections({
  network,
  invoice,
  problem,
  resource,
  isFormer = false,
}: {
  network: Network
  invoice: InvoiceDetail
  /** Why what is shown may be old. */
  problem: string | null
  resource: Resource<InvoiceDetail>
  /** Another is on its way: nothing can be done with this one. */
  isFormer?: boolean
}) {
  const { id } = invoice
  return (
    <section
      className={classes(styles['detail'], isFormer && styles['former'])}
      aria-label={`Invoice ${id}`}
      aria-busy={isFormer}
      inert={isFormer}
    >
      <Head network={network} invoice={invoice} resource={resource} />
      <div className={styles['sections']} tabIndex={0} role="region" aria-label={`All of ${id}`}>
        {problem !== null && (
          <p className={warning['bar']} role="alert">
            What you see may be old: {problem}{' '}
            <Button onClick={() => void resource.reload()}>Try again</Button>
          </p>
        )}
        <AdvicePanel
          network={network}
          invoice={invoice}
          onFetched={(fetched) => resource.set(fetched)}
        />
        <LinkSection invoice={invoice} />
        <Facts network={network} invoice={invoice} />
        <PaymentsSection invoice={invoice} />
        <Timeline invoice={invoice} resource={resource} />
        <ReportsSection invoice={invoice} />
        <Raw invoice={invoice} />
      </div>
    </section>
  )
}

function Head({
  network,
  invoice,
  resource,
}: {
  network: Network
  invoice: InvoiceDetail
  resource: Resource<InvoiceDetail>
}) {
  const [isAsking, setIsAsking] = useState(false)
  const { id, status, expiresAt } = invoice
  const ask = async () => {
    setIsAsking(true)
    await fetchInvoice(network.id, id, (fetched) => resource.set(fetched))
    setIsAsking(false)
  }
  return (
    <div className={pane['head']}>
      <h2 className={classes(pane['title'], text['mono'], styles['id'])} title={id}>
        <UntrustedText text={id} />
      </h2>
      <CopyButton text={id} what="Id" iconOnly kind="quiet" />
      <Tag tone={wholeTone(invoice)}>
        <UntrustedText text={printState(invoice)} />
      </Tag>
      <ReportedTag invoice={invoice} />
      {status === 'pending' && <TimeLeft until={expiresAt} />}
      <span className={styles['end']}>
        <IconButton
          icon="refresh"
          label="Ask the gateway for it now"
          busy={isAsking}
          onClick={() => void ask()}
        />
        <IconButton icon="close" label="Close (Esc)" onClick={closeInvoice} />
      </span>
    </div>
  )
}

function Raw({ invoice: { raw } }: { invoice: InvoiceDetail }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details
      className={styles['fold']}
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>Raw JSON</summary>
      <div className={styles['rawTools']}>
        <span className={text['faint']}>The gateway’s last answer</span>
        <CopyButton text={raw} what="JSON" label="Copy all" kind="quiet" />
      </div>
      {isOpen && (
        <div className={styles['raw']}>
          <TreeView text={raw} label="Answer as a tree" />
        </div>
      )}
    </details>
  )
}
