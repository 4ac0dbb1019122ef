import { useRef, useState } from 'react'
import type { InvoiceDetail, InvoiceEvent } from '../../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { request, toAppError } from '../../../app/bridge.ts'
import { formatDuration, fromMs } from '../../../ui/format.ts'
import type { Resource } from '../../../app/resource.ts'
import { captureHref } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { announce } from '../../../ui/live-region.tsx'
import pane from '../../../ui/pane.module.css'
import { TextArea } from '../../../ui/text-field.tsx'
import { useOpener } from '../../../ui/use-opener.ts'
import { transactionHref } from '../../../components/chain/chain-links.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { InvoiceMoment } from '../invoice-moment.tsx'
import { sourceWords } from '../invoice-words.ts'
import styles from './detail.module.css'

/** What became of it, each with how that was learnt; the newest last, below it one's own notes go on. */
export function Timeline({
  invoice,
  resource,
}: {
  invoice: InvoiceDetail
  resource: Resource<InvoiceDetail>
}) {
  const { isOpen, setOpen, button } = useOpener()
  return (
    <div className={pane['section']}>
      <h3>
        Timeline
        <span className={styles['end']}>
          {!isOpen && (
            <Button ref={button} kind="quiet" icon="note" onClick={() => setOpen(true)}>
              Add a note
            </Button>
          )}
        </span>
      </h3>
      <ol className={styles['timeline']}>
        {invoice.events.map((event, index) => (
          <Event key={index} event={event} network={invoice.network} />
        ))}
      </ol>
      {isOpen && (
        <NoteForm
          invoice={invoice}
          onDone={(detail) => {
            if (detail !== null) resource.set(detail)
            setOpen(false)
          }}
        />
      )}
    </div>
  )
}

/** Learnt this much later than it happened, that is worth a word. */
const lateMs = 60_000

function Event({ event, network }: { event: InvoiceEvent; network: NetworkId }) {
  const { at, seenAt, source, text: line, capture, transaction } = event
  const late = seenAt - at
  return (
    <li className={styles['event']}>
      <InvoiceMoment at={at} className={styles['eventAt']} />
      <div>
        <span className={styles['text']}>
          <UntrustedText text={line} />
        </span>
        <span className={styles['source']}>
          {sourceWords[source]}
          {late > lateMs && `, ${formatDuration(fromMs(late))} later`}
          {capture !== null && (
            <>
              {' · '}
              <a href={captureHref(capture)}>capture {capture}</a>
            </>
          )}
          {transaction !== null && (
            <>
              {' · '}
              <a href={transactionHref(transaction, network)}>transaction</a>
            </>
          )}
        </span>
      </div>
    </li>
  )
}

function NoteForm({
  invoice: { network, id },
  onDone,
}: {
  invoice: InvoiceDetail
  onDone: (detail: InvoiceDetail | null) => void
}) {
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const [isBusy, setIsBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const save = async () => {
    if (typed.trim() === '') {
      setProblem('Write something first.')
      return
    }
    setIsBusy(true)
    try {
      const detail = await request('invoice.setNote', { network, id, text: typed.trim() })
      announce('Note added')
      onDone(detail)
    } catch (error) {
      setIsBusy(false)
      setProblem(toAppError(error).message)
    }
  }
  return (
    <form
      ref={form}
      className={styles['note']}
      aria-label="Note"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) void save()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation()
          onDone(null)
        } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          form.current?.requestSubmit()
        }
      }}
    >
      <TextArea
        label="Note"
        hideLabel
        autoFocus
        rows={3}
        maxLength={2000}
        placeholder="What was done about it, for whoever looks later"
        value={typed}
        error={problem}
        onChange={(next) => {
          setTyped(next)
          setProblem(undefined)
        }}
      />
      <div className={styles['acts']}>
        <Button kind="main" type="submit" busy={isBusy}>
          Add the note
        </Button>
        <Button onClick={() => onDone(null)}>Cancel</Button>
      </div>
    </form>
  )
}
