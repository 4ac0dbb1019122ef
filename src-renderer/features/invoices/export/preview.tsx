import { useEffect, useMemo, useState } from 'react'
import type { Input, Output } from '../../../../src-preload/contract/routes.ts'
import type { InvoiceExportFormat } from '../../../../src-preload/contract/invoice-export.ts'
import { on } from '../../../app/bridge.ts'
import { formatCount } from '../../../ui/format.ts'
import { throttle } from '../../../ui/throttle.ts'
import { type Answer, useAnswer } from '../../../app/use-answer.ts'
import { useSettled } from '../../../ui/use-settled.ts'
import { Button } from '../../../ui/button.tsx'
import files from '../../../components/files/export.module.css'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import styles from './export.module.css'

type Order = Input<'invoiceExport.start'>
type First = Output<'invoiceExport.preview'>

/** What the file would begin with; while the form cannot be sent, as it last could. */
export function usePreview(order: Order, isReady: boolean): Answer<First> {
  // A zone that is being typed is none yet.
  const asked = isReady ? order : { ...order, options: { ...order.options, zone: 'UTC' } }
  // Of millions of rows each answer takes its time.
  const settled = useSettled(JSON.stringify(asked))
  const answer = useAnswer('invoiceExport.preview', JSON.parse(settled) as Order)
  const { resource } = answer
  const look = useMemo(() => throttle(() => void resource.reload(), 2000), [resource])
  useEffect(() => {
    const stop = on('invoice.changed', (change) => {
      if (change.network === order.network) look.call()
    })
    return () => {
      stop()
      look.cancel()
    }
  }, [look, order.network])
  return answer
}

export function Preview({
  format,
  answer: { state, resource },
  isReady,
}: {
  format: InvoiceExportFormat
  answer: Answer<First>
  isReady: boolean
}) {
  // What was there stays, dimmed, until the next is.
  const [last, keep] = useState<readonly string[]>([])
  if (state.status === 'ready' && state.value.lines !== last) keep(state.value.lines)
  if (state.status === 'failed') {
    return (
      <p className={files['bad']} role="alert">
        The first lines cannot be shown: {state.error.message}{' '}
        <Button kind="link" onClick={() => void resource.reload()}>
          Try again
        </Button>
      </p>
    )
  }
  const first = state.status === 'ready' ? state.value : null
  const lines = first?.lines ?? last
  return (
    <div className={styles['preview']}>
      <span className={styles['label']} role="status">
        {first === null ? 'Counting…' : formatCount(first.total, 'row')}
        {first !== null && format !== 'pdf' && first.total > 0 && '; the first lines:'}
      </span>
      {format === 'pdf' ? (
        <p className={files['hint']}>
          A page with the totals, then the list; signs outside of Latin and Cyrillic are marked.
        </p>
      ) : (
        <pre
          className={styles['lines']}
          tabIndex={0}
          aria-label="The first lines of the file"
          data-dim={!isReady || first === null}
        >
          {lines.map((line, index) => (
            <div key={index}>
              <UntrustedText text={line.replaceAll('\t', ' ⇥ ')} />
            </div>
          ))}
        </pre>
      )}
    </div>
  )
}
