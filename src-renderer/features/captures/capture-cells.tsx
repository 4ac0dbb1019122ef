/** The columns of the list of captures, and the words that describe a capture. */
import type { CaptureRow } from '../../../src-preload/contract/capture.ts'
import { isMoved } from '../../../src-preload/contract/invoice-money.ts'
import type { Network } from '../../../src-preload/contract/network.ts'
import type { ForwardSummary } from '../../../src-preload/domain/capture-values.ts'
import { formatAsset, renameCoin } from '../../components/amount.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { AccountName } from '../../components/chain/account-link.tsx'
import { Amount, symbolOf } from '../../components/chain/chain-text.tsx'
import { NetworkTag } from '../../components/network-tag.tsx'
import { Button } from '../../ui/button.tsx'
import { createHiddenColumns } from '../../ui/data-columns.ts'
import type { DataColumn } from '../../ui/data-list.tsx'
import { formatDuration, formatExact, formatRowTime, shorten, trimZeros } from '../../ui/format.ts'
import { type IconName, Icon } from '../../ui/icons.tsx'
import { Row, type Tone, Tag, Text, Small } from '../../ui/layout.tsx'
import { useNow } from '../../ui/time.tsx'
import { captureList } from './captures-state.ts'

export const hiddenColumns = createHiddenColumns('tondesk.capture-columns')

export function columnsOf(networks: readonly Network[]): DataColumn<CaptureRow>[] {
  const networkOf = ({ network }: CaptureRow) => networks.find(({ id }) => id === network)
  return [
    {
      name: 'Deliveries',
      width: 34,
      hideName: true,
      cell: ({ id }) => <Deliveries id={id} />,
    },
    {
      name: 'Time',
      width: 88,
      cell: (row) => <Time at={row.receivedAt} isUnread={captureList.isUnread(row)} />,
      title: ({ receivedAt }) => formatExact(receivedAt),
    },
    { name: 'Event', width: 92, gives: 3, cell: (row) => <Event row={row} /> },
    {
      name: 'Network',
      width: 76,
      gives: 4,
      cell: (row) =>
        row.network === null ? (
          <Text tone="faint" title="The network of this delivery is unknown.">
            unknown
          </Text>
        ) : (
          <NetworkTag id={row.network} />
        ),
    },
    {
      name: 'Account',
      width: 98,
      gives: 2,
      cell: (row) => row.account !== null && <Account account={row.account} of={networkOf(row)} />,
    },
    {
      name: 'Amount',
      width: 134,
      look: 'amount',
      cell: (row) => <Moved row={row} />,
    },
    {
      name: 'Explanation',
      width: 120,
      grow: 1,
      cell: (row) => <Explanation row={row} of={networkOf(row)} />,
    },
    { name: 'Status', width: 44, gives: 1, cell: (row) => <Status row={row} /> },
    {
      name: 'Forwarded',
      width: 70,
      cell: ({ forward }) => forward !== null && <MarkTag {...forwardMarks[forward]} />,
    },
    {
      name: 'Duration',
      width: 58,
      gives: 5,
      look: 'number',
      cell: ({ durationUs }) => (
        <Small tone="faint">{durationUs === null ? 'unknown' : formatDuration(durationUs)}</Small>
      ),
    },
    {
      name: 'Notes and pins',
      width: 30,
      hideName: true,
      cell: ({ note, pinned }) => (
        <Row as="span" gap="xs" justify="end">
          {note !== '' && <Sign icon="note" label="Has a note" title={note} />}
          {pinned && <Sign icon="pin" label="Pinned" title="Pinned" />}
        </Row>
      ),
    },
  ]
}

function Time({ at, isUnread }: { at: number; isUnread: boolean }) {
  const now = useNow()
  return (
    <Text as="time" mono tone="faint">
      {isUnread && <Text hidden>Unread. </Text>}
      {formatRowTime(at, Math.max(now, at))}
    </Text>
  )
}

function Event({ row: { method, kind } }: { row: CaptureRow }) {
  return (
    <>
      {method !== 'POST' && (
        <Text size="xs" strong tone="dim">
          {method}{' '}
        </Text>
      )}
      {kind ?? (
        <Text tone="faint" title="The event type has not been detected yet.">
          …
        </Text>
      )}
    </>
  )
}

function Account({ account, of: network }: { account: string; of: Network | undefined }) {
  if (network !== undefined) return <AccountName account={{ address: account }} network={network} />
  return (
    <Text mono title={account}>
      {shorten(account)}
    </Text>
  )
}

function Moved({ row }: { row: CaptureRow }) {
  const { amount } = row.meaning
  if (amount === null) return null
  const { units, direction, asset } = amount
  const isOut = direction === 'out' && /[1-9]/.test(units)
  return <Amount units={isOut ? `-${units}` : units} asset={asset} signed={isMoved(row)} aligned />
}

/** The comment or the invoice, else what the delivery is about; then what deserves attention. */
function Explanation({ row, of }: { row: CaptureRow; of: Network | undefined }) {
  const { kind, summary, meaning, message } = row
  const { amount, sender, recipient } = meaning
  // The delivery of an invoice contains the state of the invoice; the comment of a payment is only
  // the invoice's id.
  const content = kind === 'invoice' || kind === 'unknown' ? renameCoin(summary) : meaning.comment
  const said = content ?? ''
  const isDescribed = said === '' && meaning.invoice === null
  const line = isDescribed ? message : said
  const hasEnds = isDescribed && amount !== null
  return (
    <Row as="span" gap="s">
      {meaning.invoice !== null && kind !== 'invoice' && (
        <Text over="cut" title={`Invoice ${meaning.invoice}`}>
          invoice <UntrustedText text={shorten(meaning.invoice, 8, 0).replace('…', '')} />
        </Text>
      )}
      {line !== meaning.invoice && (
        <Text over="cut" tone="dim" title={line}>
          <UntrustedText text={line} />
          {hasEnds && sender !== null && (
            <>
              {' from '}
              <Account account={sender} of={of} />
            </>
          )}
          {hasEnds && recipient !== null && (
            <>
              {' to '}
              <Account account={recipient} of={of} />
            </>
          )}
        </Text>
      )}
      {marksOf(row).map((mark) => (
        <MarkTag key={mark.word} {...mark} />
      ))}
    </Row>
  )
}

/** Opens and closes a payment, and says how many of its deliveries are in the list. */
function Deliveries({ id }: { id: number }) {
  const group = captureList.use(({ shown }) => shown.groups.get(id))
  if (group === undefined) return null
  const { ids, deliveries, isExpanded } = group
  if (ids[0] !== id) return <Text tone="faint">└</Text>
  const isWhole = ids.length === deliveries
  const count = isWhole ? deliveries : `${ids.length}/${deliveries}`
  const why = isWhole
    ? `${deliveries} deliveries of one payment`
    : `${ids.length} of ${deliveries} deliveries of one payment are in this list. The others do not match the query, or are not loaded yet.`
  return (
    <Button
      kind="link"
      tabIndex={-1}
      title={why}
      aria-label={`${isExpanded ? 'Hide' : 'Show'} the deliveries of this payment: ${count}`}
      aria-expanded={isExpanded}
      disabled={ids.length === 1}
      onClick={() => captureList.toggleGroup(id)}
    >
      {isExpanded ? '▾' : '▸'} {count}
    </Button>
  )
}

function Status({ row: { origin, status } }: { row: CaptureRow }) {
  if (status !== null) return <Tag tone={statusTone(status)}>{status}</Tag>
  // Only a received request has a response.
  if (origin !== 'received') return null
  return <Tag title="The sender disconnected before the receiver responded.">none</Tag>
}

function Sign({ icon, label, title }: { icon: IconName; label: string; title: string }) {
  return (
    <span title={title}>
      <Icon name={icon} size={12} />
      <Text hidden>{label}</Text>
    </span>
  )
}

type Mark = { readonly tone: Tone; readonly word: string; readonly why: string }

function MarkTag({ tone, word, why }: Mark) {
  return (
    <Tag tone={tone} title={why}>
      {word}
    </Tag>
  )
}

function marksOf(row: CaptureRow): Mark[] {
  const { origin, token, duplicateOf, kind, meaning, completeness } = row
  const marks: (Mark | false)[] = [
    origin !== 'received' && { tone: 'plain', word: origin, why: originLabels[origin] },
    (token === 'wrong' || token === 'missing') && tokenMarks[token],
    duplicateOf !== null && {
      tone: 'plain',
      word: 'duplicate',
      why: `Capture ${duplicateOf} has the same ${kind === 'unknown' ? 'body' : 'event'}.`,
    },
    row.outOfOrder && {
      tone: 'warn',
      word: 'out of order',
      why: 'A later event of this account arrived before this one.',
    },
    meaning.success === false && {
      tone: 'bad',
      word: meaning.exitCode === null ? 'failed' : `exit ${meaning.exitCode}`,
      why: 'The transaction failed.',
    },
    completeness === 'truncated' && {
      tone: 'bad',
      word: 'truncated',
      why: 'The body exceeds the size limit, so only its beginning is stored.',
    },
    completeness === 'missing' && {
      tone: 'bad',
      word: 'body missing',
      why: 'The imported file does not contain the body of this request.',
    },
    completeness === 'partial' && {
      tone: 'bad',
      word: 'partial',
      why: 'The request was interrupted or too slow, so only the beginning of the body is stored.',
    },
  ]
  return marks.filter((mark) => mark !== false)
}

export const tokenMarks: Readonly<Record<'wrong' | 'missing', Mark>> = {
  wrong: {
    tone: 'warn',
    word: 'wrong token',
    why: 'The bearer token of this capture matches none of your webhook tokens.',
  },
  missing: {
    tone: 'warn',
    word: 'missing token',
    why: 'The gateway sends a bearer token with webhook events, but this capture has none.',
  },
}

const forwardMarks: Readonly<Record<ForwardSummary, Mark>> = {
  waiting: {
    tone: 'plain',
    word: 'waiting',
    why: 'Waiting for the target, or for an earlier delivery of the same account.',
  },
  failed: { tone: 'bad', word: 'failing', why: 'The last attempt failed. Tondesk will retry.' },
  delivered: { tone: 'ok', word: 'delivered', why: 'All targets accepted the delivery.' },
  dropped: { tone: 'warn', word: 'dropped', why: 'Tondesk no longer retries this delivery.' },
}

export const originLabels: Readonly<Record<CaptureRow['origin'], string>> = {
  received: 'This receiver received the request.',
  rebuilt: 'Tondesk rebuilt this delivery from chain data because it never arrived.',
  imported: 'This capture was imported from a file.',
  test: 'Tondesk sent this delivery to test the receiver.',
  watched:
    'Tondesk made this delivery from a new transaction of a watched account. No webhook sent it.',
}

export function statusTone(status: number): Tone {
  if (status < 200) return 'plain'
  if (status < 400) return 'ok'
  return status < 500 ? 'warn' : 'bad'
}

/**
 * Returns the title of a capture. Like all content of a capture it is a claim of the sender.
 * @param account the name of the capture's account
 */
export function titleOf(row: CaptureRow, account: string | null): string {
  const withAccount = (words: string, join: string) =>
    account === null ? words : `${words} ${join} ${account}`
  const { amount } = row.meaning
  if (amount !== null && row.kind !== 'invoice') {
    const moved = `${trimZeros(formatAsset(amount.units, amount.asset))} ${symbolOf(amount.asset)}`
    return withAccount(`${moved} ${amount.direction === 'in' ? 'received' : 'sent'}`, 'by')
  }
  switch (row.kind) {
    case 'account_tx':
      return withAccount('Transaction', 'of')
    case 'opcode_msg':
      return withAccount('Message by opcode', 'to')
    case 'new_contracts':
      return withAccount('New contract', '')
    case 'mempool_msg':
      return withAccount('Message in the mempool', 'to')
    case 'invoice':
      return row.summary === '' ? 'Invoice' : `Invoice: ${renameCoin(row.summary)}`
    case 'unknown':
    case null:
      return `${row.method} ${row.subpath === '' ? '/' : row.subpath}`
  }
}
