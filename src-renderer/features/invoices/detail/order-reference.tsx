/** The user's own reference of the order, and the form that changes it. */
import { useState } from 'react'
import type { InvoiceDetail } from '../../../../src-preload/contract/invoice.ts'
import { maxOrderReference } from '../../../../src-preload/domain/invoice-values.ts'
import { request } from '../../../app/bridge.ts'
import { useForm } from '../../../app/use-form.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { Button } from '../../../ui/button.tsx'
import { Form, TextField } from '../../../ui/form.tsx'
import { Row, Text } from '../../../ui/layout.tsx'
import { announce } from '../../../ui/toast.tsx'

type OfInvoice = {
  invoice: InvoiceDetail
  onChanged: (detail: InvoiceDetail) => void
}

export function OrderReference({ invoice, onChanged }: OfInvoice) {
  const [isOpen, setOpen] = useState(false)
  const { orderReference } = invoice
  if (isOpen) {
    const done = (detail: InvoiceDetail | null) => {
      setOpen(false)
      if (detail !== null) onChanged(detail)
    }
    return <ReferenceForm invoice={invoice} onDone={done} />
  }
  return (
    <Row gap="xs">
      {orderReference !== '' && (
        <Text over="break">
          <UntrustedText text={orderReference} />
        </Text>
      )}
      <Button kind="link" onClick={() => setOpen(true)}>
        {orderReference === '' ? 'Set order reference' : 'Change order reference'}
      </Button>
    </Row>
  )
}

function ReferenceForm({
  invoice: { network, id, orderReference },
  onDone,
}: {
  invoice: InvoiceDetail
  onDone: (detail: InvoiceDetail | null) => void
}) {
  const form = useForm({ reference: orderReference }, async ({ reference }) => {
    const detail = await request('invoice.setOrder', { network, id, reference })
    announce('Order reference saved')
    onDone(detail)
    return undefined
  })
  return (
    <Form inline form={form} action="Save" label="Order reference" onCancel={() => onDone(null)}>
      <TextField
        label="Order reference"
        hideLabel
        autoFocus
        maxLength={maxOrderReference}
        hint="Stored on this computer only. Leave the field empty to remove the reference."
        {...form.field('reference')}
      />
    </Form>
  )
}
