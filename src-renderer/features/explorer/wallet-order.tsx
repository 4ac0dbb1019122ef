/** The orders of a wallet's owner in an external message, also if the wallet did not carry them out. */
import type { WalletOrder } from '../../../src-preload/contract/chain/transaction.ts'
import { formatUnits } from '../../components/amount.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { AccountLink } from '../../components/chain/account-link.tsx'
import { Amount } from '../../components/chain/chain-text.tsx'
import { formatCount, fromMs } from '../../ui/format.ts'
import { Note, Section, Tag, Text } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { KeyValues } from '../../ui/values.tsx'
import { Table } from '../../ui/table.tsx'

type OrderedMessage = WalletOrder['messages'][number]

/** The first orders that the wallet did not execute; nothing if it executed all. */
export function UnsentOrders({ order }: { order: WalletOrder | null }) {
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

export function OrderSection({ order }: { order: WalletOrder }) {
  const { messages, validUntil } = order
  return (
    <Section title="Wallet order" aria-label="Wallet order">
      <KeyValues
        pairs={[
          ['Wallet', order.wallet],
          ['Seqno', order.seqno === null ? null : String(order.seqno)],
          ['Query id', order.queryId],
          ['Subwallet', String(order.subwalletId)],
          [
            'Valid until',
            validUntil === null ? 'no limit' : <Moment at={fromMs(validUntil)} absolute="second" />,
          ],
        ]}
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
          more={(message) => <Content message={message} />}
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

function Content({ message }: { message: OrderedMessage }) {
  const { comment, jetton, mode, operation } = message
  return (
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
  )
}

const flags = [
  [128, 'sends the whole balance'],
  [64, 'adds the remaining value of the incoming message'],
  [32, 'deletes the account if its balance is 0'],
  [16, 'bounces if an action fails'],
  [2, 'ignores errors of this message'],
  [1, 'pays the fees separately'],
] as const

/** The flags of a mode in words. */
function describeMode(mode: number): string {
  const words = flags.flatMap(([flag, text]) => ((mode & flag) === 0 ? [] : [text]))
  return words.length === 0 ? 'the fees are taken from the value' : words.join(', ')
}
