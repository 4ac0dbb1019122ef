/**
 * Shows advice on the next step for an invoice. The actions belong to the Invoices page, which
 * provides them.
 */
import { type ComponentType, type ReactNode, useState } from 'react'
import type { Advice, InvoiceDetail } from '../../../src-preload/contract/invoice.ts'
import type { Discrepancy } from '../../../src-preload/contract/discrepancy.ts'
import type { Network } from '../../../src-preload/contract/network.ts'
import { ActionButton } from '../../ui/button.tsx'
import { Note, Row, Stack, type Tone } from '../../ui/layout.tsx'
import { UntrustedText } from '../body/untrusted-text.tsx'
import { useShownNetwork } from '../network-tag.tsx'

export type Act = Advice['acts'][number]

const actionLabels: Readonly<Record<Act, string>> = {
  'share-link': 'Copy the link',
  cancel: 'Cancel invoice…',
  'prepare-refund': 'Prepare refund…',
  'mark-handled': 'Mark as handled',
  fetch: 'Load from the gateway',
  'read-chain': 'Sync now',
  'find-payment': 'Find the payment',
  'issue-again': 'Reissue…',
  'issue-rest': 'New invoice for the rest…',
}

export type InvoiceActing = {
  readonly network: Network
  readonly invoice: InvoiceDetail
  /** Shows how to refund the payment. */
  readonly onRefund: (discrepancy: Discrepancy) => void
}

type InvoiceActions = {
  readonly runAct: (act: Act, acting: InvoiceActing) => Promise<void>
  readonly RefundDialog: ComponentType<{ matter: Discrepancy; onClose: () => void }>
}

let loadActions: () => Promise<InvoiceActions> = () =>
  Promise.reject(new Error('provideInvoiceActions() has not been called.'))

/** Called once, before the first component. */
export function provideInvoiceActions(load: () => Promise<InvoiceActions>): void {
  loadActions = load
}

const tones: Record<Advice['tone'], Tone> = {
  good: 'ok',
  act: 'bad',
  wait: 'plain',
  neutral: 'plain',
}

/** Shows advice on the next step, with a button for each action. */
export function AdviceNote({
  advice: { tone, title, text },
  acts,
  isSettled = false,
  onAct,
  children,
}: {
  advice: Advice
  acts: readonly Act[]
  /** True if nothing needs to be done any more. */
  isSettled?: boolean
  onAct: (act: Act) => Promise<void>
  /** Content after the buttons. */
  children?: ReactNode
}) {
  return (
    <Note tone={isSettled ? 'plain' : tones[tone]} role="region" label="What to do next">
      <Stack gap="s">
        <UntrustedText as="h3" size="m" strong over="break" text={title} />
        {text !== '' && <UntrustedText as="p" size="m" tone="dim" over="break" text={text} />}
        <Row wrap gap="s">
          {acts.map((act) => (
            <ActionButton key={act} action={() => onAct(act)}>
              {actionLabels[act]}
            </ActionButton>
          ))}
          {children}
        </Row>
      </Stack>
    </Note>
  )
}

export function AdvicePanel({ invoice }: { invoice: InvoiceDetail }) {
  const network = useShownNetwork()
  const [refund, setRefund] = useState<{ matter: Discrepancy; actions: InvoiceActions } | null>(
    null,
  )
  const run = async (act: Act) => {
    const actions = await loadActions()
    const onRefund = (discrepancy: Discrepancy) => setRefund({ matter: discrepancy, actions })
    await actions.runAct(act, { network, invoice, onRefund })
  }
  return (
    <>
      <AdviceNote advice={invoice.advice} acts={invoice.advice.acts} onAct={run} />
      {refund !== null && (
        <refund.actions.RefundDialog matter={refund.matter} onClose={() => setRefund(null)} />
      )}
    </>
  )
}
