import { type ReactNode, useState } from 'react'
import type { CaptureRow } from '../../../src-preload/contract/capture.ts'
import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import { describeMoney } from '../../../src-preload/contract/invoice-money.ts'
import type { CaptureExplanation } from '../../../src-preload/contract/explanation.ts'
import type { Network } from '../../../src-preload/contract/network.ts'
import { attempt, request, put, useData } from '../../app/bridge.ts'
import { invoiceRoute } from '../../app/invoices-route.ts'
import { routeHref } from '../../app/route.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { AccountLink } from '../../components/chain/account-link.tsx'
import {
  Amount,
  HashText,
  LtText,
  OpcodeTag,
  describeCode,
} from '../../components/chain/chain-text.tsx'
import { transactionHref } from '../../components/chain/chain-links.ts'
import { OfNetwork, NetworkTag, useNetwork } from '../../components/network-tag.tsx'
import { SentenceView } from '../../components/chain/sentence-view.tsx'
import { AdvicePanel } from '../../components/invoices/advice-panel.tsx'
import { InvoiceAmount, InvoiceState, StateTag } from '../../components/invoices/invoice-cells.tsx'
import { EventActions } from '../../components/trace/event-actions.tsx'
import { MessageTree } from '../../components/trace/message-tree.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { EmptyState, Loaded } from '../../ui/loaded.tsx'
import { fromMs } from '../../ui/format.ts'
import { Fold, Tag, Text, Note, Row, Section, Stack } from '../../ui/layout.tsx'
import { KeyValues } from '../../ui/values.tsx'
import { assignNetwork } from './captures-state.ts'
import { ExactTime } from './detail-tabs.tsx'
import { NetworkMenu } from './network-menu.tsx'

/** The explanation of a capture: its transaction, and the invoice that it reports or pays. */
export function ExplanationTab({ capture: { id, kind } }: { capture: CaptureRow }) {
  const query = useData('explanation.get', { id })
  const [isRefetching, setRefetching] = useState(false)
  if (kind === 'unknown') {
    return (
      <EmptyState
        title="Not a gateway delivery"
        detail="Tondesk can explain only deliveries from a gateway. Look at the body and the headers of this request instead."
      />
    )
  }
  const refetch = async () => {
    setRefetching(true)
    const newer = await attempt('Could not reload the transaction', () =>
      request('explanation.get', { id, again: true }),
    )
    if (newer !== undefined) put('explanation.get', { id }, newer)
    setRefetching(false)
  }
  return (
    <Loaded query={query} of="the explanation" rows={7}>
      {(explanation) =>
        explanation.network === null ? (
          <EmptyState title="Unknown network" detail={explanation.problem ?? undefined}>
            <NetworkMenu
              label="Choose the network"
              current={null}
              onChoose={(network) => void assignNetwork([id], network)}
            />
            <a href="#/webhooks">Webhooks</a>
          </EmptyState>
        ) : (
          <Explanation
            explanation={explanation}
            network={explanation.network}
            isRefetching={isRefetching}
            onRefetch={() => void refetch()}
          />
        )
      }
    </Loaded>
  )
}

/** The heights of the heading and of a row of the message tree, in pixels. */
const treeHead = 40
const treeRow = 30

function Explanation({
  explanation,
  network: networkId,
  isRefetching,
  onRefetch,
}: {
  explanation: CaptureExplanation
  network: string
  isRefetching: boolean
  onRefetch: () => void
}) {
  const network = useNetwork(networkId)
  const { transaction: found, invoice, facts, problem } = explanation
  const trace = found?.trace ?? null
  const isWaiting = facts.state === 'waiting' && found === null && invoice === null
  return (
    <OfNetwork network={network}>
      {trace !== null && trace.sentence.length > 0 && (
        <Stack pad="m" line="below">
          <SentenceView parts={trace.sentence} />
        </Stack>
      )}
      {(problem !== null || isWaiting) && (
        <Note tone="warn">
          <Row justify="between" role="status">
            <UntrustedText text={problem ?? 'The transaction is being fetched.'} />
            <Button icon="refresh" busy={isRefetching} onClick={onRefetch}>
              Refetch from {network.name}
            </Button>
          </Row>
        </Note>
      )}
      {invoice !== null && <InvoicePart network={network} invoice={invoice} />}
      <Stack pad="l">
        <Facts explanation={explanation} network={network} />
      </Stack>
      {found !== null && trace !== null && (
        <Stack
          line="above"
          style={{ height: treeHead + treeRow * Math.min(10, trace.nodes.length) }}
        >
          <MessageTree key={found.transaction.hash} trace={trace} here={found.transaction.hash} />
        </Stack>
      )}
      {found !== null && (
        <Row pad="m" wrap justify="between">
          <a href={transactionHref(found.transaction.hash, network.id)}>
            Open the transaction and its trace
          </a>
          {problem === null && (
            <Button kind="quiet" icon="refresh" busy={isRefetching} onClick={onRefetch}>
              Reload the transaction
            </Button>
          )}
        </Row>
      )}
      {found !== null && (
        <Stack pad="m" line="above">
          {/* Each event costs a request, so it is loaded only when the user opens this part. */}
          <Fold lazy summary="Event of this transaction">
            <EventOf transaction={found} network={network.id} />
          </Fold>
        </Stack>
      )}
    </OfNetwork>
  )
}

function EventOf({
  transaction: { transaction, trace },
  network,
}: {
  transaction: NonNullable<CaptureExplanation['transaction']>
  network: string
}) {
  const query = useData('transaction.event', { network, id: transaction.hash })
  return <EventActions query={query} transaction={transaction.hash} trace={trace} />
}

/** Shows the amount, the accounts and the result of the transaction. */
function Facts({ explanation, network }: { explanation: CaptureExplanation; network: Network }) {
  const { facts, account, sender, recipient, transaction: found, networkWhy } = explanation
  const transaction = found?.transaction ?? null
  const isOther = account?.address !== sender?.address && account?.address !== recipient?.address
  return (
    <KeyValues
      pairs={[
        ['Amount', describeAmount(explanation)],
        ['From', sender && <AccountLink account={sender} />],
        ['To', recipient && <AccountLink account={recipient} />],
        ['Account', account && isOther ? <AccountLink account={account} /> : null],
        ['Comment', facts.comment && <Comment text={facts.comment} />],
        [
          'Opcode',
          facts.opcode && (
            <OpcodeTag
              operation={transaction?.inMessage?.operation ?? null}
              opcode={facts.opcode}
            />
          ),
        ],
        ['Result', describeResult(explanation)],
        ['Fees with forward fee', transaction && <Amount units={transaction.fees} />],
        [
          'Transaction',
          transaction && (
            <HashText
              hash={transaction.hash}
              href={transactionHref(transaction.hash, network.id)}
              what="Transaction hash"
            />
          ),
        ],
        ['Logical time', transaction && <LtText lt={transaction.lt} canCopy />],
        ['Block time', transaction && <ExactTime at={fromMs(transaction.at)} />],
        [
          'Network',
          <Row gap="s" wrap>
            <NetworkTag id={network.id} />
            {networkWhy !== null && <Text tone="faint">{networkWhy}</Text>}
            <NetworkMenu
              label="Change network"
              current={network.id}
              onChoose={(id) => void assignNetwork([explanation.capture], id)}
            />
          </Row>,
        ],
      ]}
    />
  )
}

function Comment({ text }: { text: string }) {
  return (
    <Row as="span" gap="xs">
      <Text over="lines">
        <UntrustedText text={text} />
      </Text>
      <CopyButton text={text} what="Comment" iconOnly kind="quiet" />
    </Row>
  )
}

function describeAmount({ facts: { amount }, invoice }: CaptureExplanation): ReactNode {
  if (amount === null) return null
  const isOut = amount.direction === 'out' && /[1-9]/.test(amount.units)
  // The delivery of an invoice contains the requested amount, which has arrived only if the invoice is paid.
  const isIncome = invoice?.relation !== 'told' || invoice.told?.status === 'paid'
  const units = isOut ? `-${amount.units}` : amount.units
  return <Amount units={units} asset={amount.asset} signed={isIncome} />
}

function describeResult({
  facts: { success, exitCode },
  transaction,
}: CaptureExplanation): ReactNode {
  if (success === null && exitCode === null) return null
  const { compute, action } = transaction?.transaction.phases ?? {}
  const words =
    exitCode === compute?.exitCode
      ? compute.exitWords
      : exitCode === action?.resultCode
        ? action.resultWords
        : null
  const skipped = compute?.skipped ?? null
  return (
    <>
      {success !== null && (
        <Tag tone={success ? 'ok' : 'bad'}>{success ? 'success' : 'failed'}</Tag>
      )}{' '}
      {exitCode !== null && <>exit code {describeCode(exitCode, words ?? null)}</>}
      {exitCode === null && skipped !== null && <>compute phase skipped: {skipped}</>}
    </>
  )
}

type ReportedInvoice = NonNullable<CaptureExplanation['invoice']>

/** Shows the invoice that a delivery reports or that its transaction pays, with the possible actions. */
function InvoicePart({
  network,
  invoice: { id, relation, told, detail },
}: {
  network: Network
  invoice: ReportedInvoice
}) {
  const href = routeHref({ ...invoiceRoute(id), network: network.id })
  return (
    <>
      <Section
        title={relation === 'told' ? 'Invoice' : 'Pays invoice'}
        actions={
          <>
            <Text as="a" mono over="cut" href={href} title={id}>
              <UntrustedText text={id} />
            </Text>
            {detail !== null && <InvoiceState invoice={detail} />}
          </>
        }
      >
        <KeyValues
          pairs={[
            [
              'Reported',
              told && (
                <Row as="span" gap="s">
                  <StateTag status={told.status} /> <ReportedAmount {...told} />
                </Row>
              ),
            ],
            [
              'Requested',
              detail && <InvoiceAmount units={detail.amount} currency={detail.currency} />,
            ],
            ['Received', detail && describeMoney(detail)],
            [
              'Description',
              detail === null || detail.description === '' ? null : (
                <UntrustedText text={detail.description} />
              ),
            ],
          ]}
        />
      </Section>
      {detail !== null && <AdvicePanel invoice={detail} />}
    </>
  )
}

/** Shows an amount that a delivery claims; its currency may be unknown to Tondesk. */
function ReportedAmount({ units, currency }: NonNullable<ReportedInvoice['told']>) {
  if (isCurrency(currency) && /^\d{1,30}$/.test(units)) {
    return <InvoiceAmount units={units} currency={currency} />
  }
  return (
    <Text mono>
      <UntrustedText text={`${units} ${currency}`} />
    </Text>
  )
}

function isCurrency(currency: string): currency is InvoiceCurrency {
  return currency === 'TON' || currency === 'USDT'
}
