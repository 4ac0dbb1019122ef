import type { Explanation } from '../../../../src-preload/contract/failure.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { useData } from '../../../app/bridge.ts'
import { startReceiver } from '../../../app/receiver-state.ts'
import { captureHref, navigate, parseRoute } from '../../../app/route.ts'
import { Cause } from '../../../components/cause.tsx'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { transactionHref } from '../../../components/chain/chain-links.ts'
import { LtText, TransactionHash } from '../../../components/chain/chain-text.tsx'
import { useShownNetwork } from '../../../components/network-tag.tsx'
import { RangeLinks } from '../../../components/charts/range-links.tsx'
import { type Tone, Hint, Tag, Text, Row, Section, Stack } from '../../../ui/layout.tsx'
import { Moment } from '../../../ui/time.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { formatCount, formatNumber, fromMs } from '../../../ui/format.ts'
import { Icon } from '../../../ui/icons.tsx'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { Loaded } from '../../../ui/loaded.tsx'
import { bringBackOnline, rotateToken } from '../webhook-actions.tsx'
import { Captures } from '../missed/events.tsx'
import { checkAccount } from '../missed/checks.ts'
import { openMove } from '../move/move-dialog.tsx'
import {
  type InRange,
  AccountCharts,
  failuresHref,
  failuresRoute,
  rangeChoices,
  useFailingAccounts,
} from './history.tsx'
import { LogTable, Outages } from './outages.tsx'

type OfAccount = InRange & { account: string }

/** Why the deliveries of one account fail, and what to do. */
export function ExplanationView({ webhook, account, range }: OfAccount) {
  const { network, id } = webhook
  const query = useData('failure.explain', { network, webhook: id, account })
  return (
    <section aria-label="Why deliveries fail">
      <Head webhook={webhook} account={account} label={query.data?.label ?? null} range={range} />
      <Loaded query={query} of="the cause" rows={10}>
        {(explanation) => <Explained webhook={webhook} explanation={explanation} />}
      </Loaded>
      <AccountCharts webhook={webhook} account={account} range={range} />
      <Outages webhook={webhook} account={account} range={range} />
    </section>
  )
}

/** The account, and the way to the next failing one. */
function Head({ webhook, account, label, range }: OfAccount & { label: string | null }) {
  const failing = useFailingAccounts(webhook)
  const accounts = failing?.accounts ?? []
  const index = accounts.indexOf(account)
  const go = (at: number) => {
    const next = accounts[at]
    if (next !== undefined) navigate(failuresRoute(webhook, range, next), { replace: true })
  }
  const goBack = () => go(index === -1 ? 0 : index - 1)
  const leave = () => navigate(failuresRoute(webhook, range))
  const group = 'Failures'
  useShortcuts([
    {
      keys: ['j', 'ArrowDown'],
      label: 'Next failing account',
      group,
      run: () => go(index + 1),
    },
    { keys: ['k', 'ArrowUp'], label: 'Previous failing account', group, run: goBack },
    { keys: ['Escape'], label: 'Back to all failures', group, run: leave },
  ])
  return (
    <Row wrap pad="m" line="below">
      <Button kind="quiet" icon="left" onClick={leave}>
        All failures
      </Button>
      <AccountLink account={{ address: account, label }} />
      <Row last wrap>
        <RangeLinks
          ranges={rangeChoices}
          current={range}
          hrefOf={(name) => failuresHref(webhook, name, account)}
        />
        {failing !== undefined && failing.total > 0 && (
          <Row gap="xs">
            <Text size="s" tone="dim" number>
              {describeSource(index, failing.total)}
            </Text>
            <IconButton
              icon="left"
              label="Previous failing account (k)"
              disabled={index === 0}
              onClick={goBack}
            />
            <IconButton
              icon="right"
              label="Next failing account (j)"
              disabled={index >= accounts.length - 1}
              onClick={() => go(index + 1)}
            />
          </Row>
        )}
      </Row>
    </Row>
  )
}

/** `3 of 12 failing`, or their number. */
const describeSource = (index: number, total: number): string =>
  index < 0
    ? formatCount(total, 'failing account')
    : `${formatNumber(index + 1)} of ${formatCount(total, 'failing account')}`

const receptions: Record<Explanation['seen']['what'], { word: string; tone: Tone }> = {
  elsewhere: { word: 'sent to another endpoint', tone: 'plain' },
  nothing: { word: 'no request received', tone: 'warn' },
  taken: { word: 'accepted', tone: 'ok' },
  unauthorized: { word: 'rejected with HTTP 401', tone: 'bad' },
  'too-large': { word: 'rejected with HTTP 413', tone: 'bad' },
  slow: { word: 'timed out', tone: 'bad' },
  other: { word: 'rejected', tone: 'bad' },
}

function Explained({ webhook, explanation }: { webhook: Webhook; explanation: Explanation }) {
  const { failedAt, failedLt, failedAttempts, logs, logsProblem, seen, cause } = explanation
  const { word, tone } = receptions[seen.what]
  return (
    <>
      <Cause
        sentence={cause}
        isBad={false}
        pairs={[
          ['Failed', failedAt === null ? 'unknown' : <Moment key="time" at={fromMs(failedAt)} />],
          ['Logical time', failedLt === null ? null : <LtText key="lt" lt={failedLt} />],
          ['Attempts', formatNumber(failedAttempts)],
        ]}
      >
        <Steps webhook={webhook} explanation={explanation} />
      </Cause>
      <Section title="Transaction">
        <Transaction webhook={webhook} explanation={explanation} />
      </Section>
      <Section title="Received by Tondesk">
        <Text as="p" size="s">
          <Tag tone={tone}>{word}</Tag> {seen.message}
        </Text>
        {seen.captures.length > 0 && <Captures captures={seen.captures} />}
      </Section>
      <Section title="Gateway delivery log">
        {logsProblem === null ? (
          <LogTable logs={logs} none="The log has no entry near this failure." />
        ) : (
          <Unread why={logsProblem} />
        )}
      </Section>
    </>
  )
}

function Transaction({ webhook, explanation }: { webhook: Webhook; explanation: Explanation }) {
  const { network } = webhook
  const { transaction, transactionProblem } = explanation
  if (transaction !== null) {
    const { hash, at, sentence } = transaction
    return (
      <>
        {sentence !== null && (
          <Text as="p" size="s">
            {sentence}
          </Text>
        )}
        <Text as="p" size="s">
          <TransactionHash hash={hash} network={network} />{' '}
          <Text tone="dim">
            <Moment at={fromMs(at)} />
          </Text>
        </Text>
      </>
    )
  }
  if (transactionProblem !== null) return <Unread why={transactionProblem} />
  return <Hint>The gateway does not report which transaction could not be delivered.</Hint>
}

function Unread({ why }: { why: string }) {
  return (
    <Text as="p" tone="warn" over="break">
      <Icon name="warning" size={13} /> Could not load: {why}
    </Text>
  )
}

type Act = NonNullable<Explanation['steps'][number]['act']>

/** The labels and actions of the steps' buttons; null where the page that a button opens is not known. */
export function useActs(
  webhook: Webhook,
  explanation: Explanation | undefined,
): Record<Act, readonly [label: string, run: (() => void) | null]> {
  const network = useShownNetwork()
  const { seen, transaction } = explanation ?? { seen: { captures: [] }, transaction: null }
  const capture = seen.captures[0] && captureHref(seen.captures[0].id)
  const shown = transaction && transactionHref(transaction.hash, webhook.network)
  return {
    'back-online': ['Bring webhook back online', () => void bringBackOnline(webhook)],
    'start-receiver': ['Start the receiver', () => void startReceiver()],
    'receiver-settings': [
      'Receiver settings',
      () => navigate({ page: 'settings', section: 'receiver' }),
    ],
    'sandbox-settings': [
      'Sandbox settings',
      () => navigate({ page: 'settings', section: 'sandbox' }),
    ],
    move: ['Move to another endpoint…', () => openMove(webhook)],
    'rotate-token': ['Rotate token…', () => void rotateToken(webhook, network)],
    'check-missed': [
      'Check for missed events',
      explanation ? () => checkAccount(webhook, explanation) : null,
    ],
    'open-capture': ['Open the capture', open(capture)],
    'open-transaction': ['Open the transaction', open(shown)],
  }
}

/** The most useful first, each with its button where there is one. */
function Steps({ webhook, explanation }: { webhook: Webhook; explanation: Explanation }) {
  const acts = useActs(webhook, explanation)
  const { steps } = explanation
  if (steps.length === 0) return null
  return (
    <Stack as="ol" gap="s" aria-label="What to do">
      {steps.map(({ text, act }, index) => {
        const [label, run] = act === null ? ['', null] : acts[act]
        return (
          <Row as="li" key={text}>
            <Text tone="faint">{index + 1}.</Text>
            <Text size="s" over="break">
              {text}
            </Text>
            {run !== null && (
              <Row last>
                <Button kind={index === 0 ? 'main' : 'plain'} onClick={run}>
                  {label}
                </Button>
              </Row>
            )}
          </Row>
        )
      })}
    </Stack>
  )
}

const open = (href: string | null | undefined): (() => void) | null =>
  href === null || href === undefined ? null : () => navigate(parseRoute(href))
