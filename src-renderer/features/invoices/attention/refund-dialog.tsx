import { useState } from 'react'
import type { Discrepancy, Refund } from '../../../../src-preload/contract/discrepancy.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { Input } from '../../../../src-preload/contract/routes.ts'
import { decimalsOf, formatAmount, currencyName } from '../../../../src-preload/domain/amount.ts'
import type { chainCodes } from '../../../../src-preload/domain/error-codes.ts'
import { attempt, request, useData, useDataOf } from '../../../app/bridge.ts'
import { readCoins } from '../../../components/amount.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { AccountLink, useAddressText } from '../../../components/chain/account-link.tsx'
import { InvoiceAmount } from '../../../components/invoices/invoice-cells.tsx'
import { useShownNetwork, TargetNetwork } from '../../../components/network-tag.tsx'
import { QrCode } from '../../../components/qr-code.tsx'
import { ActionButton, Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/form.tsx'
import { Columns, Note, Row, Stack, Text, Problem } from '../../../ui/layout.tsx'
import { Skeleton } from '../../../ui/loaded.tsx'
import { CopyButton, showToast } from '../../../ui/toast.tsx'
import { useSettled } from '../../../ui/use-settled.ts'
import { readNow } from '../list/sync-state.tsx'

const badAddress: (typeof chainCodes)['badAddress'] = 'CHAIN_BAD_ADDRESS'

/**
 * Prepares a transfer back to the payer for the user's own wallet: links that open in the wallet,
 * and a message for wallets that sign elsewhere. Tondesk signs and sends nothing.
 */
export function RefundDialog({ matter, onClose }: { matter: Discrepancy; onClose: () => void }) {
  const network = useShownNetwork()
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      title="Prepare a refund"
      detail="Open the link in the wallet that received the payment, and send the refund from that wallet. Tondesk has no wallet key, so it cannot send the refund."
    >
      <Preparation matter={matter} />
      <Row justify="between">
        <TargetNetwork network={network} />
        <Button onClick={onClose}>Close</Button>
      </Row>
    </Dialog>
  )
}

/** The typed values; null means that the proposed value is used. */
type Typed = {
  readonly amount: string | null
  readonly comment: string | null
  readonly to: string | null
}

function Preparation({ matter: { network, currency, key } }: { matter: Discrepancy }) {
  const isSandbox = useShownNetwork().kind === 'sandbox'
  const [typed, setTyped] = useState<Typed>({ amount: null, comment: null, to: null })
  const change = (part: Partial<Typed>) => setTyped({ ...typed, ...part })
  const read = typed.amount === null ? null : readCoins(typed.amount, currency)
  const amountProblem =
    read?.units === '0' ? 'The amount must be above zero.' : (read?.problem ?? null)
  const isNoAddress = typed.to?.trim() === ''
  const requested = JSON.stringify({
    amount: amountProblem === null ? (read?.units ?? null) : null,
    comment: typed.comment,
    to: isNoAddress ? null : typed.to,
  })
  const settled = useSettled(requested)
  const {
    data: refund,
    error,
    isPlaceholderData,
    isFetching,
  } = useDataOf('refund.prepare', {
    network,
    key,
    ...(JSON.parse(settled) as Pick<Input<'refund.prepare'>, 'amount' | 'comment' | 'to'>),
  })
  const payee = useAddressText({ address: refund?.to ?? '', isWallet: true })
  if (refund === undefined && error === null) {
    return <Skeleton rows={5} label="Preparing the refund" />
  }
  // The links and the typed fields must never differ.
  const canUse =
    error === null &&
    !isPlaceholderData &&
    !isFetching &&
    settled === requested &&
    amountProblem === null &&
    !isNoAddress
  const isOfAddress = error?.code === badAddress
  return (
    <>
      <Columns least={220}>
        <TextField
          label="Amount"
          mono
          inputMode="decimal"
          maxLength={60}
          value={
            typed.amount ??
            (refund === undefined ? '' : formatAmount(refund.amount, decimalsOf[currency]))
          }
          onChange={(amount) => change({ amount })}
          error={amountProblem ?? undefined}
          suffix={currencyName(currency)}
        />
        <TextField
          label="Comment"
          maxLength={120}
          value={typed.comment ?? refund?.comment ?? ''}
          onChange={(comment) => change({ comment })}
        />
      </Columns>
      <TextField
        label="To"
        mono
        maxLength={100}
        value={typed.to ?? payee}
        onChange={(to) => change({ to })}
        error={isNoAddress ? 'Enter the refund address.' : isOfAddress ? error.message : undefined}
        hint="Enter the payer’s address. If the payment came from an exchange, the exchange might not credit a refund to the payer."
      />
      <Problem>{!isOfAddress && error?.message}</Problem>
      {refund !== undefined && (
        <>
          {refund.warnings.length > 0 && (
            <Note tone="warn">
              <ul aria-label="Warnings about the refund">
                {refund.warnings.map((warning) => (
                  <UntrustedText as="li" key={warning} text={warning} />
                ))}
              </ul>
            </Note>
          )}
          <Links refund={refund} canUse={canUse} />
          {isSandbox && <SandboxSend network={network} refund={refund} canSend={canUse} />}
        </>
      )}
    </>
  )
}

/** Shows the refund as a QR code, as links and as a message. */
function Links({ refund, canUse }: { refund: Refund; canUse: boolean }) {
  const { links, boc, message, from, amount, currency } = refund
  const target = useAddressText({ address: message.to, isWallet: currency === 'TON' })
  return (
    <Row align="start" gap="l" aria-busy={!canUse} inert={!canUse}>
      <QrCode text={links.web} title="Refund link for a phone wallet" name="refund" size={132} />
      <Stack grow>
        <p>
          <b>
            <InvoiceAmount units={amount} currency={currency} />
          </b>{' '}
          from <AccountLink account={{ address: from, isWallet: true }} />
        </p>
        <Row wrap>
          <CopyButton text={links.web} what="Refund link" label="Copy link" />
          <CopyButton text={links.ton} what="ton:// link" label="Copy ton:// link" />
          <CopyButton text={links.tonkeeper} what="Tonkeeper link" label="Copy tonkeeper:// link" />
        </Row>
        <details>
          <summary>Use a wallet that signs a BOC</summary>
          <Stack gap="s">
            <Text as="p" over="break">
              Send <InvoiceAmount units={message.value} currency="TON" /> to <code>{target}</code>{' '}
              with this message:
            </Text>
            <CodeBlock label="Refund message as BOC" rows={4} wrap>
              {boc}
            </CodeBlock>
            <CopyButton text={boc} what="Message as BOC" label="Copy BOC" />
          </Stack>
        </details>
      </Stack>
    </Row>
  )
}

/** Sends the refund on the sandbox, whose receiving wallet is a test wallet that Tondesk can send from. */
function SandboxSend({
  network,
  refund: { from, to, amount, currency, comment },
  canSend,
}: {
  network: NetworkId
  refund: Refund
  canSend: boolean
}) {
  const { data } = useData('sandbox.chain', { network: 'mainnet' })
  const [isSent, setSent] = useState(false)
  const name = data?.wallets.find(({ address }) => address === from)?.name
  if (name === undefined) return null
  const send = async () => {
    const done = await attempt('Could not send the refund', () =>
      request('sandbox.send', { from: name, to, amount, currency, comment }),
    )
    if (done === undefined) return
    setSent(true)
    showToast({ title: 'Refund sent on the sandbox' })
    // No webhook delivers outgoing transfers, so a sync has to find the refund.
    void readNow(network)
  }
  return (
    <Row wrap>
      The sandbox wallet {name} received the payment.
      <ActionButton disabled={!canSend || isSent} action={send}>
        {isSent ? 'Sent' : `Send from ${name}`}
      </ActionButton>
    </Row>
  )
}
