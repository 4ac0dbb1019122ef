import { useState } from 'react'
import type {
  RawCheck,
  TransactionResult,
  WalletOrder,
} from '../../../src-preload/contract/chain/transaction.ts'
import { reload } from '../../app/bridge.ts'
import { newWindowLabel, openInNewWindow } from '../../app/host-window.ts'
import { queryHref } from '../../app/route.ts'
import { BocView } from '../../components/body/boc-view.tsx'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { AccountLink } from '../../components/chain/account-link.tsx'
import { Amount, HashText, LtText, TransactionHash } from '../../components/chain/chain-text.tsx'
import { blockHref } from '../../components/chain/chain-links.ts'
import { useShownNetwork } from '../../components/network-tag.tsx'
import { SentenceView } from '../../components/chain/sentence-view.tsx'
import { ListSplitter } from '../../components/list-splitter.tsx'
import { queryTerm } from '../../components/query-term.ts'
import { EventActions } from '../../components/trace/event-actions.tsx'
import { MessageTree } from '../../components/trace/message-tree.tsx'
import { ValueFlowTable } from '../../components/trace/value-flow.tsx'
import { IconButton } from '../../ui/button.tsx'
import { CopyButton, copyText } from '../../ui/toast.tsx'
import { EmptyState, FailedState } from '../../ui/loaded.tsx'
import { fromMs, formatCount } from '../../ui/format.ts'
import { shortcutsOf, useShortcuts } from '../../ui/keyboard.ts'
import { Tag, Text, Note, Pane, Row, Section, Stack, Small, SmallLink } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { KeyValues } from '../../ui/values.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import {
  ChainLoaded,
  ExplorerLink,
  StaleNote,
  useChainTick,
  useReloadOnceAvailable,
  useChainData,
  useTransaction,
} from './chain-data.tsx'
import { Messages, Phases } from './transaction-tabs.tsx'
import { describeState, describeType } from './labels.ts'
import { formatUnits } from '../../components/amount.ts'
import { Table } from '../../ui/table.tsx'

const group = 'Transaction'

type Tab = 'overview' | 'messages' | 'raw'

/** Shows one transaction with its trace. `id` is its hash or the hash of one of its messages. */
export function TransactionView({ id }: { id: string }) {
  const network = useShownNetwork().id
  const { query, refresh } = useTransaction(network, id)
  useChainTick(() => {
    if (query.data?.trace?.isComplete !== false) return
    reload('transaction.get', { network, id })
    reload('transaction.event', { network, id: query.data.transaction.hash })
  })
  return (
    <ChainLoaded query={query} of="the transaction">
      {(response) => (
        <Content
          answer={response}
          retry={() => void query.refetch()}
          refresh={() => {
            void refresh()
            reload('transaction.event', { network, id: response.transaction.hash })
          }}
        />
      )}
    </ChainLoaded>
  )
}

type ContentProps = { answer: TransactionResult; retry: () => void; refresh: () => void }

function Content({ answer, retry, refresh }: ContentProps) {
  const [tab, setTab] = useState<Tab>('overview')
  const { transaction, trace, traceProblem, offline, check } = answer
  useReloadOnceAvailable(offline !== null, retry)
  return (
    <Pane>
      <Head answer={answer} refresh={refresh} />
      {check.problem !== null && (
        <Note tone="bad">
          <UntrustedText text={check.problem} /> Do not rely on this transaction. Reload it, or use
          another gateway.
        </Note>
      )}
      <UnsentOrders order={transaction.order} />
      {offline !== null && <StaleNote why={`This is a stored copy. ${offline}`} onRetry={retry} />}
      <Tabs<Tab>
        label="Transaction"
        group={group}
        value={tab}
        onChange={setTab}
        tabs={[
          {
            value: 'overview',
            label: 'Overview',
            panel: (
              <ListSplitter
                left={
                  trace !== null ? (
                    <MessageTree key={transaction.hash} trace={trace} here={transaction.hash} />
                  ) : traceProblem === null ? (
                    <EmptyState
                      title="No trace"
                      detail="The gateway sent no trace for this transaction."
                    />
                  ) : (
                    <FailedState
                      what="Could not load the trace"
                      why={traceProblem}
                      onRetry={retry}
                    />
                  )
                }
                right={<Facts answer={answer} />}
              />
            ),
          },
          {
            value: 'messages',
            label: 'Messages and fees',
            panel: (
              <>
                <Phases transaction={transaction} />
                <Messages transaction={transaction} />
              </>
            ),
          },
          {
            value: 'raw',
            label: 'Raw',
            panel: (
              <BocView
                boc={transaction.raw}
                what="Transaction"
                fileName={`transaction-${transaction.hash.slice(0, 16)}.boc`}
              />
            ),
          },
        ]}
      />
    </Pane>
  )
}

function Head({ answer: { transaction, trace, isPartial }, refresh }: Omit<ContentProps, 'retry'>) {
  const { explorer } = useShownNetwork()
  const { hash } = transaction
  const key = shortcutsOf(group)
  useShortcuts([
    key(['c'], 'Copy the hash', () => void copyText(hash, 'Transaction hash')),
    key(['r'], 'Reload from the gateway', refresh),
  ])
  return (
    <Row as="header" wrap pad="m" line="below" gap="l">
      <Stack gap="none">
        {trace === null || trace.sentence.length === 0 ? (
          <p>
            Account: <AccountLink account={transaction.account} />
          </p>
        ) : (
          <Text as="div" role="heading" aria-level={2} strong size="m">
            <SentenceView key={hash} parts={trace.sentence} clamped />
          </Text>
        )}
      </Stack>
      {transaction.success ? (
        <Tag tone="ok">success</Tag>
      ) : (
        <Tag tone="bad" title={transaction.failure ?? undefined}>
          failed
        </Tag>
      )}
      <Small over="nowrap">
        <Moment at={fromMs(transaction.at)} />
      </Small>
      <Text tone="faint" size="s" over="nowrap" role="status">
        {isPartial && 'Loading jettons…'}
      </Text>
      <Row last>
        <SmallLink href={queryHref(queryTerm('hash', hash))}>Show captures</SmallLink>
        <ExplorerLink template={explorer?.transaction} values={{ hash }} />
        <IconButton icon="refresh" label="Reload from the gateway" onClick={refresh} />
        <IconButton icon="window" label={newWindowLabel()} onClick={() => void openInNewWindow()} />
        <CopyButton text={hash} what="Transaction hash" label="Copy hash" />
      </Row>
    </Row>
  )
}

const checks: Record<RawCheck['state'], string> = {
  agrees: 'The raw data has this hash and the same content.',
  differs: 'The raw data differs from what the gateway reports.',
  unchecked: 'Not verified: the gateway sent no raw data.',
}

function Facts({ answer: { transaction, trace, check } }: { answer: TransactionResult }) {
  const { id } = useShownNetwork()
  // The event is loaded after the transaction.
  const event = useChainData('transaction.event', { network: id, id: transaction.hash })
  const { previous, statusBefore, statusAfter, inMessage, balanceAfter } = transaction
  return (
    <Stack fill scroll gap="none" tabIndex={0} role="region" aria-label="Transaction details">
      <EventActions query={event} transaction={transaction.hash} trace={trace} />
      {trace !== null && (
        <Section title="Value flow">
          <ValueFlowTable flow={trace.flow} />
        </Section>
      )}
      {transaction.order !== null && <OrderSection order={transaction.order} />}
      <Section title="Details">
        <KeyValues
          values={{
            Account: <AccountLink account={transaction.account} />,
            Hash: <HashText hash={transaction.hash} what="Transaction hash" />,
            'Message hash': inMessage && <HashText hash={inMessage.hash} what="Message hash" />,
            Time: <Moment at={fromMs(transaction.at)} absolute="second" />,
            'Logical time': <LtText lt={transaction.lt} />,
            Block: (
              <HashText
                hash={transaction.block}
                href={blockHref(transaction.block, id)}
                what="Block id"
                whole
              />
            ),
            Previous:
              previous === null ? (
                'None: the account’s first transaction'
              ) : (
                <TransactionHash hash={previous.hash} network={id} />
              ),
            Type: describeType(transaction.type),
            'Account state': describeState(statusBefore, statusAfter),
            'Fees with forward fee': <Amount units={transaction.fees} />,
            'Balance after': balanceAfter && <Amount units={balanceAfter} />,
            Verification: checks[check.state],
            'State before': <HashText hash={transaction.stateBefore} what="State hash" />,
            'State after': <HashText hash={transaction.stateAfter} what="State hash" />,
          }}
        />
      </Section>
    </Stack>
  )
}

type OrderedMessage = WalletOrder['messages'][number]

/** Shows the first orders that the wallet did not execute, if there are any. */
function UnsentOrders({ order }: { order: WalletOrder | null }) {
  const unsent = order?.messages.filter(({ isSent }) => isSent === false) ?? []
  const [first] = unsent
  if (first === undefined) return null
  const receiver = first.jetton === null ? first.destination : first.jetton.recipient
  return (
    <Note tone="warn" role="status">
      The owner ordered the wallet to send{' '}
      {first.jetton === null ? <Ordered message={first} /> : <Jettons {...first.jetton} />}
      {receiver !== null && (
        <>
          {' '}
          to <AccountLink account={receiver} canCopy={false} />
        </>
      )}
      {first.jetton !== null && (
        <>
          , attaching <Ordered message={first} />
        </>
      )}
      {unsent.length > 1 && ` and ${formatCount(unsent.length - 1, 'more message')}`}, but the
      wallet did not send {unsent.length > 1 ? 'them' : 'it'}.
    </Note>
  )
}

function OrderSection({ order }: { order: WalletOrder }) {
  const { messages, validUntil } = order
  return (
    <Section title="Wallet order" aria-label="Wallet order">
      <KeyValues
        values={{
          Wallet: order.wallet,
          Seqno: order.seqno === null ? null : String(order.seqno),
          'Query id': order.queryId,
          Subwallet: String(order.subwalletId),
          'Valid until':
            validUntil === null ? 'no limit' : <Moment at={fromMs(validUntil)} absolute="second" />,
        }}
      />
      {messages.length > 0 && (
        <Table
          label="Ordered messages"
          scroll
          rows={messages.map((message, index) => ({ ...message, index }))}
          keyOf={({ index }) => index}
          columns={[
            {
              name: 'To',
              grow: 1,
              width: 100,
              cell: ({ destination }) =>
                destination === null ? (
                  <Text tone="dim">unreadable message</Text>
                ) : (
                  <AccountLink account={destination} canCopy={false} />
                ),
            },
            {
              name: 'Amount',
              look: 'number',
              cell: (message) => <Ordered message={message} />,
            },
            {
              name: 'Outcome',
              hideName: true,
              cell: ({ isSent }) =>
                isSent === null ? null : isSent ? (
                  <Tag tone="ok">sent</Tag>
                ) : (
                  <Tag tone="bad">not sent</Tag>
                ),
            },
          ]}
          more={({ comment, jetton, mode, operation }) => (
            <>
              {jetton !== null && (
                <Text as="div" size="s">
                  Jetton transfer of <Jettons {...jetton} />
                  {jetton.recipient !== null && (
                    <>
                      {' '}
                      to <AccountLink account={jetton.recipient} canCopy={false} />
                    </>
                  )}
                </Text>
              )}
              {jetton === null && comment !== null && (
                <Text as="div" size="s" over="break">
                  “<UntrustedText text={comment} />”
                </Text>
              )}
              {jetton === null && comment === null && operation !== null && (
                <Text as="div" size="s">
                  {operation}
                </Text>
              )}
              <Text as="div" size="s" tone="dim" over="break">
                Mode {mode}: {describeMode(mode)}
              </Text>
            </>
          )}
        />
      )}
    </Section>
  )
}

function Ordered({ message: { amount, value } }: { message: OrderedMessage }) {
  if (amount === 'whole_balance') return 'the whole balance'
  if (amount === 'remaining_value') return 'the remaining value'
  return value === null ? null : <Amount units={value} />
}

function Jettons({ units, asset }: NonNullable<OrderedMessage['jetton']>) {
  if (asset !== null) return <Amount units={units} asset={asset} />
  return `${formatUnits(units, 0)} units of an unknown jetton`
}

const flags = [
  [128, 'sends the whole balance'],
  [64, 'adds the remaining value of the incoming message'],
  [32, 'deletes the account if its balance is 0'],
  [16, 'bounces if an action fails'],
  [2, 'ignores errors of this message'],
  [1, 'pays the fees separately'],
] as const

/** Describes the flags of a send mode. */
function describeMode(mode: number): string {
  const words = flags.flatMap(([flag, text]) => ((mode & flag) === 0 ? [] : [text]))
  return words.length === 0 ? 'the fees are taken from the value' : words.join(', ')
}
