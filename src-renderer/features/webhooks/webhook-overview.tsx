/** The first tab of a webhook: its counts and its settings. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Webhook, WebhookUsage } from '../../../src-preload/contract/webhook.ts'
import { useData } from '../../app/bridge.ts'
import { routeHref } from '../../app/route.ts'
import { type WebhookTab, webhookRoute } from '../../app/webhooks-route.ts'
import { useShownNetwork } from '../../components/network-tag.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { Tag, Text, Note, Row, Section, Stack } from '../../ui/layout.tsx'
import { Moment, useNow } from '../../ui/time.tsx'
import { Figure, Stats, KeyValues } from '../../ui/values.tsx'
import { formatDay, formatMinute, formatNumber, fromMs } from '../../ui/format.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Switch } from '../../ui/form.tsx'
import {
  type Flag,
  webhookFlags,
  openDelete,
  revealToken,
  rotateToken,
  setFlag,
} from './webhook-actions.tsx'
import { AddAccountsButton } from './accounts/add-accounts.tsx'
import { MissedFigure } from './missed/headline.tsx'
import { openMove } from './move/move-dialog.tsx'

export function WebhookOverview({
  webhook,
  children,
}: {
  webhook: Webhook
  /** Behind the other subscriptions. */
  children: ReactNode
}) {
  return (
    <>
      <WebhookStats webhook={webhook} />
      <FirstSubscription webhook={webhook} />
      <Section title="Chain-wide events">
        <Stack gap="l">
          <FlagSwitch webhook={webhook} flag="newContracts" />
          <FlagSwitch webhook={webhook} flag="mempool" />
        </Stack>
      </Section>
      {children}
      <TokenSection webhook={webhook} />
      <Section
        title="Endpoint"
        aria-label="Endpoint"
        detail="The gateway cannot change the endpoint of a webhook. To move a webhook, Tondesk creates a new webhook, copies the subscriptions, and deletes this webhook after its last delivery."
      >
        <Row wrap>
          <Text mono over="break">
            {webhook.endpoint}
          </Text>
          <CopyButton text={webhook.endpoint} what="Endpoint" iconOnly kind="quiet" />
          <Button onClick={() => openMove(webhook)}>Move to another endpoint…</Button>
        </Row>
      </Section>
      <UsageSection network={webhook.network} />
      <Section title="Delete">
        <Button kind="danger" icon="trash" onClick={() => openDelete(webhook)}>
          Delete webhook…
        </Button>
      </Section>
    </>
  )
}

function WebhookStats({ webhook }: { webhook: Webhook }) {
  const { accounts, opcodes, failedAttempts, lastOnlineAt } = webhook
  const now = useNow()
  const to = (tab: WebhookTab) => routeHref(webhookRoute(webhook, tab))
  const count = (value: number | null) => (value === null ? undefined : formatNumber(value))
  return (
    <Stats>
      <Figure
        name="Accounts"
        value={count(accounts)}
        href={to('accounts')}
        more={<AccountsState webhook={webhook} />}
      />
      <Figure name="Opcodes" value={count(opcodes)} more="in any message on the chain" />
      <Figure
        name="Failed attempts"
        value={count(failedAttempts)}
        href={to('deliveries')}
        more="in a row"
        bad={(failedAttempts ?? 0) > 0}
      />
      <Figure
        name="Last online"
        value={lastOnlineAt === null ? undefined : formatMinute(fromMs(lastOnlineAt))}
        unit={lastOnlineAt === null ? undefined : formatDay(fromMs(lastOnlineAt), now)}
        more={describeLastOnline(webhook)}
      />
      {webhook.isHere && <MissedFigure webhook={webhook} href={to('missed')} />}
    </Stats>
  )
}

/**
 * Describes when the webhook was last online. The gateway also sets this time when a webhook is
 * created or brought back online.
 */
function describeLastOnline({ status, statusSince, lastOnlineAt }: Webhook): string {
  if (lastOnlineAt === null) return 'not reported by the gateway'
  const isDeliveredTo = status !== 'online' || statusSince === null || lastOnlineAt > statusSince
  return isDeliveredTo ? 'reported by the gateway' : 'went online; nothing delivered since'
}

function AccountsState({ webhook }: { webhook: Webhook }) {
  const { accounts, failing, subscriptionsReadAt } = webhook
  if (failing > 0) {
    return (
      <Text strong tone="bad">
        {formatNumber(failing)} failing
      </Text>
    )
  }
  if (accounts === 0) return 'none subscribed'
  if (subscriptionsReadAt === null) return 'delivery state not loaded yet'
  return (
    <>
      none failing, updated <Moment at={fromMs(subscriptionsReadAt)} />
    </>
  )
}

/** Offers the next step for a webhook that has no subscription. */
function FirstSubscription({ webhook }: { webhook: Webhook }) {
  const { accounts, opcodes, mempool, newContracts } = webhook
  if (accounts !== 0 || opcodes !== 0 || mempool === true || newContracts === true) return null
  return (
    <Note>
      <Row gap="l" justify="between">
        <span>
          <b>This webhook has no subscriptions yet.</b> To receive the transactions of accounts,
          paste a list of accounts or drop a file.
        </span>
        <AddAccountsButton webhook={webhook} kind="main" />
      </Row>
    </Note>
  )
}

function FlagSwitch({ webhook, flag }: { webhook: Webhook; flag: Flag }) {
  const { label, hint } = webhookFlags[flag]
  const network = useShownNetwork()
  const [busy, setBusy] = useState(false)
  const change = async (on: boolean) => {
    if (busy) return
    setBusy(true)
    await setFlag(webhook, { flag, on, network })
    setBusy(false)
  }
  return (
    <Switch
      label={label}
      hint={webhook[flag] === null ? `${hint} The gateway does not report whether it is on.` : hint}
      checked={webhook[flag] === true}
      onChange={(on) => void change(on)}
    />
  )
}

/**
 * Shows the last four characters of the deliveries' bearer token, with a button that copies the
 * whole token.
 */
function TokenSection({ webhook }: { webhook: Webhook }) {
  const network = useShownNetwork()
  const { tokenHint } = webhook
  return (
    <Section
      title="Token"
      detail={
        <>
          Every delivery carries this token in the header <code>Authorization: Bearer</code>. Your
          backend needs the token to tell real deliveries from forged ones.
        </>
      }
    >
      <Row wrap>
        {tokenHint === null ? (
          <Text tone="dim">The gateway does not report the token.</Text>
        ) : (
          <Text mono>…{tokenHint}</Text>
        )}
        <TokenTag webhook={webhook} />
        {tokenHint !== null && (
          <CopyButton text={() => revealToken(webhook)} what="Token" label="Copy token" />
        )}
        <Button icon="key" onClick={() => void rotateToken(webhook, network)}>
          Rotate…
        </Button>
      </Row>
    </Section>
  )
}

function TokenTag({ webhook: { isHere, tokenKnown } }: { webhook: Webhook }) {
  if (!isHere) return tokenKnown && <Tag>stored on this computer</Tag>
  if (tokenKnown) return <Tag tone="ok">verified by this receiver</Tag>
  return (
    <Tag
      tone="warn"
      title="Without the token, this receiver cannot tell real deliveries of this webhook from forged ones."
    >
      not known to this receiver
    </Tag>
  )
}

/** Shows the usage, which the gateway counts for all webhooks of the API key in the current period. */
function UsageSection({ network }: { network: NetworkId }) {
  const usage = useData('webhook.usage', { network })
  const lastAt = useData('sampler.state', { network }).data?.lastAt ?? null
  const before = useRef(lastAt)
  const { refetch } = usage
  useEffect(() => {
    // The usage includes the counters above, so it is loaded again when they are.
    if (before.current !== null && before.current !== lastAt) void refetch()
    before.current = lastAt
  }, [lastAt, refetch])
  return (
    <Section title="Usage by all webhooks of this API key">
      <Loaded query={usage} of="the usage" rows={3}>
        {(counted) => <Usage usage={counted} />}
      </Loaded>
    </Section>
  )
}

function Usage({ usage }: { usage: WebhookUsage }) {
  const { startedAt, endedAt, accounts, delivered, failed } = usage
  return (
    <KeyValues
      pairs={[
        [
          'Period',
          startedAt === null ? (
            'start not reported by the gateway'
          ) : (
            <>
              since <Moment at={fromMs(startedAt)} />
              {endedAt !== null && (
                <>
                  , until <Moment at={fromMs(endedAt)} />
                </>
              )}
            </>
          ),
        ],
        ['Accounts', formatNumber(accounts)],
        ['Delivered', formatNumber(delivered)],
        ['Failed', formatNumber(failed)],
      ]}
    />
  )
}
