import type { KeyboardEvent } from 'react'
import type { InvoiceDetail, InvoiceEvent } from '../../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { request } from '../../../app/bridge.ts'
import { captureHref } from '../../../app/route.ts'
import { useForm } from '../../../app/use-form.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { transactionHref } from '../../../components/chain/chain-links.ts'
import { InvoiceMoment } from '../../../components/invoices/invoice-parts.tsx'
import { sourceWords } from '../../../components/invoices/invoice-words.ts'
import { Button } from '../../../ui/button.tsx'
import { Form, TextArea } from '../../../ui/form.tsx'
import { formatDuration, fromMs } from '../../../ui/format.ts'
import { Row, Section, Stack, Text } from '../../../ui/layout.tsx'
import { announce } from '../../../ui/toast.tsx'
import { useOpener } from '../../../ui/dialog.tsx'

/** The history of the invoice, the newest event last, with your own notes. */
export function Timeline({
  invoice,
  onChanged,
}: {
  invoice: InvoiceDetail
  onChanged: (invoice: InvoiceDetail) => void
}) {
  const { isOpen, setOpen, button } = useOpener()
  return (
    <Section
      title="Timeline"
      actions={
        !isOpen && (
          <Row last>
            <Button ref={button} kind="quiet" icon="note" onClick={() => setOpen(true)}>
              Add a note
            </Button>
          </Row>
        )
      }
    >
      <Stack as="ol" gap="s">
        {invoice.events.map((event, index) => (
          <Event key={index} event={event} network={invoice.network} />
        ))}
      </Stack>
      {isOpen && (
        <NoteForm
          invoice={invoice}
          onDone={(detail) => {
            if (detail !== null) onChanged(detail)
            setOpen(false)
          }}
        />
      )}
    </Section>
  )
}

/** A longer delay between an event and its discovery is shown, in milliseconds. */
const maxDelayMs = 60_000

function Event({ event, network }: { event: InvoiceEvent; network: NetworkId }) {
  const { at, seenAt, source, text, capture, transaction } = event
  const delay = seenAt - at
  return (
    <Stack as="li" gap="none">
      <Row align="baseline" wrap>
        <Text size="s" tone="faint">
          <InvoiceMoment at={at} seconds />
        </Text>
        <Text size="s" over="break">
          <UntrustedText text={text} />
        </Text>
      </Row>
      <Text size="s" tone="faint">
        {sourceWords[source]}
        {delay > maxDelayMs && `, ${formatDuration(fromMs(delay))} later`}
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
      </Text>
    </Stack>
  )
}

function NoteForm({
  invoice: { network, id },
  onDone,
}: {
  invoice: InvoiceDetail
  onDone: (detail: InvoiceDetail | null) => void
}) {
  const form = useForm({ text: '' }, async ({ text }) => {
    if (text.trim() === '') return { text: 'Enter a note.' }
    const detail = await request('invoice.setNote', { network, id, text: text.trim() })
    announce('Note added')
    onDone(detail)
    return undefined
  })
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.stopPropagation()
      onDone(null)
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      form.submit()
    }
  }
  return (
    <div onKeyDown={press}>
      <Form form={form} action="Add the note" label="Note" onCancel={() => onDone(null)}>
        <TextArea
          label="Note"
          hideLabel
          autoFocus
          rows={3}
          maxLength={2000}
          placeholder="What you did about this invoice"
          {...form.field('text')}
        />
      </Form>
    </div>
  )
}
