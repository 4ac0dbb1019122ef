/** Why the deliveries of a webhook fail: the sentence, the last request and response, the accounts, the next attempt. */
import type { Explanation, FailureSummary } from '../../../../src-preload/contract/failure.ts'
import type { SandboxDelivery } from '../../../../src-preload/contract/sandbox.ts'
import type { WebhookHealth } from '../../../../src-preload/contract/webhook.ts'
import { useDataOf } from '../../../app/bridge.ts'
import { captureHref, navigate } from '../../../app/route.ts'
import { bytesFromBase64, decodeUtf8 } from '../../../components/body/bytes.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { Cause } from '../../../components/cause.tsx'
import { SandboxMoment } from '../../../components/webhook.tsx'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { formatNumber, fromMs } from '../../../ui/format.ts'
import { Row } from '../../../ui/layout.tsx'
import { Moment, useNow } from '../../../ui/time.tsx'
import { useActs } from './explanation-view.tsx'
import { describeFailing, describeSuccess } from './health.ts'
import { type InRange, failuresHref } from './history.tsx'

type LastError = WebhookHealth['lastError']

/** The Accounts tab has all of them. */
const maxAccounts = 5
const maxQueued = 500
const shownBytes = 4096

export function WebhookCause({
  webhook,
  range,
  summary,
  health,
}: InRange & { summary: FailureSummary; health: WebhookHealth | undefined }) {
  const { network, id } = webhook
  const now = useNow()
  const lastError = health?.lastError ?? null
  const failing = describeFailing(webhook, summary, lastError, now)
  const accounts = summary.current.filter(({ account }) => account !== null)
  const account = accounts[0]?.account ?? null
  const explanation = useDataOf(
    'failure.explain',
    failing === null || account === null ? null : { network, webhook: id, account },
  ).data
  const queued = useQueued(webhook, failing !== null)
  if (failing === null) {
    return <Cause isBad={false} sentence={health && describeSuccess(health)} pairs={[]} />
  }
  return (
    <Cause
      sentence={failing}
      action={<Action webhook={webhook} explanation={explanation} />}
      pairs={[
        [
          'Explanation',
          explanation !== undefined && `${explanation.cause} ${explanation.steps[0]?.text ?? ''}`,
        ],
        [
          'Affected accounts',
          accounts.length > 0 && (
            <Row wrap>
              {accounts.slice(0, maxAccounts).map(({ account: address, label }) => (
                <AccountLink
                  key={address}
                  account={{ address: address ?? '', label }}
                  href={failuresHref(webhook, range, address ?? '')}
                  canCopy={false}
                />
              ))}
              {summary.failing > maxAccounts &&
                `and ${formatNumber(summary.failing - maxAccounts)} more`}
            </Row>
          ),
        ],
        ['Next attempt', <NextAttempt webhook={webhook} />],
        ['Last response', <LastResponse error={lastError} isQueued={queued !== undefined} />],
        ['Last request', <LastRequest capture={lastError?.capture ?? null} queued={queued} />],
      ]}
    />
  )
}

/** The oldest delivery of the webhook that failed and waits, which only the sandbox shows. */
function useQueued({ network, id }: InRange['webhook'], isFailing: boolean) {
  const input = { network: 'mainnet', limit: maxQueued } as const
  const queue = useDataOf('sandbox.queue', network === 'sandbox' && isFailing ? input : null).data
  return queue?.deliveries.find(
    ({ target, lastError }) => target === `webhook:${id}` && lastError !== null,
  )
}

/** The first step that is not in the bar above already and does more than open a page. */
function Action({
  webhook,
  explanation,
}: Pick<InRange, 'webhook'> & { explanation: Explanation | undefined }) {
  const acts = useActs(webhook, explanation)
  const act = explanation?.steps.find(
    (step) => step.act !== null && step.act !== 'back-online' && !step.act.startsWith('open-'),
  )?.act
  const openQueue = () => navigate({ page: 'sandbox', network: 'mainnet', tab: 'control' })
  const [label, run] = act
    ? acts[act]
    : webhook.network === 'sandbox'
      ? (['Open delivery queue', openQueue] as const)
      : acts.move
  return (
    <Button kind="main" onClick={() => run?.()}>
      {label}
    </Button>
  )
}

function NextAttempt({ webhook: { network, id, status } }: Pick<InRange, 'webhook'>) {
  const chain = useDataOf(
    'sandbox.chain',
    network === 'sandbox' ? { network: 'mainnet' } : null,
  ).data
  if (network !== 'sandbox') return 'unknown, because the gateway does not report its next attempt'
  if (status !== 'online') return 'none until the webhook is online again'
  if (chain === undefined) return 'not loaded: the sandbox does not respond'
  const retry = chain.webhooks.find((each) => String(each.id) === id)?.retry ?? null
  if (retry === null) return 'none: no failed delivery is waiting in the queue of the sandbox'
  const { clock } = chain
  return (
    <>
      <SandboxMoment at={retry.nextAttemptAt} clock={clock} />. The webhook goes offline if all
      attempts fail until <SandboxMoment at={retry.offlineAt} clock={clock} />.
    </>
  )
}

function LastResponse({ error, isQueued }: { error: LastError; isQueued: boolean }) {
  if (error === null) return 'unknown: neither this receiver nor the gateway’s log has an attempt'
  const source = isQueued
    ? '. The sandbox keeps the status of a response; a test event shows headers and body.'
    : '. The gateway reports no headers and no body.'
  return (
    <>
      <UntrustedText text={error.text} />, <Moment at={fromMs(error.at)} absolute="second" />
      {error.capture !== null && ', sent by this receiver'}
      {error.capture === null && /^\d/.test(error.text) && source}
    </>
  )
}

function LastRequest({
  capture,
  queued,
}: {
  capture: number | null
  queued: SandboxDelivery | undefined
}) {
  const input =
    capture === null ? null : ({ id: capture, form: 'decoded', limit: shownBytes } as const)
  const stored = useDataOf('capture.body', input).data
  const text =
    capture !== null && stored
      ? decodeUtf8(bytesFromBase64(stored.base64), true).text
      : queued?.body
  return (
    <>
      {capture !== null && <a href={captureHref(capture)}>Capture {formatNumber(capture)}</a>}
      {capture === null &&
        (queued
          ? 'that of the oldest failed delivery in the queue of the sandbox'
          : 'unknown: it did not arrive at this receiver, and the gateway does not report requests')}
      {text !== undefined && (
        <CodeBlock label="Body of the last request" rows={6} wrap>
          <UntrustedText text={text} />
        </CodeBlock>
      )}
    </>
  )
}
