import { useState } from 'react'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { formatMoment, formatNumber, fromMs } from '../../../ui/format.ts'
import { Moment, useNow } from '../../../ui/moment.tsx'
import { navigate, printRoute } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Figure, Figures } from '../../../ui/figure.tsx'
import pane from '../../../ui/pane.module.css'
import { Switch } from '../../../ui/switch.tsx'
import text from '../../../ui/text.module.css'
import { type WebhookTab, webhookRoute } from '../../../app/webhooks-route.ts'
import { useShownNetwork } from '../../../components/chain/of-network.tsx'
import { accountRoute, addItem } from '../accounts/account-route.ts'
import { openMove } from '../move/move-dialog.tsx'
import { openDelete } from './delete-dialog.tsx'
import { TokenSection } from './token-section.tsx'
import { UsageSection } from './usage-section.tsx'
import { setFlag } from './webhook-commands.tsx'
import styles from './detail.module.css'

/** How a webhook stands, and everything about it that can be changed. */
export function OverviewTab({ webhook }: { webhook: Webhook }) {
  return (
    <div className={styles['overview']}>
      <WebhookFigures webhook={webhook} />
      <FirstSubscription webhook={webhook} />
      <Chainwide webhook={webhook} />
      <TokenSection webhook={webhook} />
      <section className={pane['section']} aria-label="Endpoint">
        <h3>Endpoint</h3>
        <p className={styles['line']}>
          <span className={text['mono']}>{webhook.endpoint}</span>
          <CopyButton text={webhook.endpoint} what="Endpoint" iconOnly kind="quiet" />
        </p>
        <p className={styles['note']}>
          The gateway cannot change it: a new webhook takes over the subscriptions, and this one
          goes once nothing of it is left to deliver.
        </p>
        <Button onClick={() => openMove(webhook)}>Move to another endpoint…</Button>
      </section>
      <UsageSection network={webhook.network} />
      <section className={pane['section']} aria-label="Delete">
        <h3>Delete</h3>
        <Button kind="danger" icon="trash" onClick={() => openDelete(webhook)}>
          Delete this webhook…
        </Button>
      </section>
    </div>
  )
}

function WebhookFigures({ webhook }: { webhook: Webhook }) {
  const { accounts, opcodes, failedAttempts, lastOnlineAt } = webhook
  const now = useNow()
  const to = (tab: WebhookTab) =>
    printRoute({ ...webhookRoute(webhook.id, tab), network: webhook.network })
  const count = (value: number | null) => (value === null ? undefined : formatNumber(value))
  return (
    <Figures>
      <Figure
        name="Accounts"
        value={count(accounts)}
        href={to('accounts')}
        more={accountWords(webhook)}
      />
      <Figure
        name="Opcodes"
        value={count(opcodes)}
        href={to('opcodes')}
        more="of any message on the chain"
      />
      <Figure
        name="Failed attempts"
        value={count(failedAttempts)}
        href={to('failures')}
        more="in a row"
        bad={(failedAttempts ?? 0) > 0}
      />
      <Figure
        name="Last online"
        value={
          lastOnlineAt === null
            ? undefined
            : formatMoment(fromMs(lastOnlineAt), Math.max(now, fromMs(lastOnlineAt)))
        }
        more={describeLastOnline(webhook)}
      />
    </Figures>
  )
}

/** The gateway sets the moment when a webhook is created and when it is brought online, too. */
function describeLastOnline({ status, statusSince, lastOnlineAt }: Webhook): string {
  if (lastOnlineAt === null) return 'not reported by the gateway'
  const isDeliveredTo = status !== 'online' || statusSince === null || lastOnlineAt > statusSince
  return isDeliveredTo ? 'reported by the gateway' : 'went online then, nothing delivered since'
}

function accountWords({ accounts, failing, subscriptionsReadAt }: Webhook) {
  if (failing > 0) {
    return <b className={styles['failing']}>{formatNumber(failing)} failing</b>
  }
  if (accounts === 0) return 'none is subscribed'
  if (subscriptionsReadAt === null) return 'not read one by one yet'
  return (
    <>
      none failing, read <Moment at={fromMs(subscriptionsReadAt)} />
    </>
  )
}

/** What comes next with a webhook that delivers nothing yet. */
function FirstSubscription({ webhook }: { webhook: Webhook }) {
  const { accounts, opcodes, mempool, newContracts } = webhook
  if (accounts !== 0 || opcodes !== 0 || mempool === true || newContracts === true) return null
  return (
    <div className={styles['next']}>
      <p>
        <b>It is subscribed to nothing yet.</b> Subscribe the accounts whose transactions it is to
        deliver: paste them, or drop a file.
      </p>
      <Button kind="main" icon="plus" onClick={() => navigate(accountRoute(webhook, addItem))}>
        Subscribe accounts
      </Button>
    </div>
  )
}

/** What it delivers whichever account it is of. */
function Chainwide({ webhook }: { webhook: Webhook }) {
  return (
    <section className={pane['section']} aria-label="Of the whole chain">
      <h3>Of the whole chain</h3>
      <div className={styles['switches']}>
        <FlagSwitch
          webhook={webhook}
          flag="newContracts"
          label="New contracts"
          hint="Each contract that is deployed."
        />
        <FlagSwitch
          webhook={webhook}
          flag="mempool"
          label="Mempool"
          hint="Each message before it is in a block; on a busy network that is a great many."
        />
      </div>
    </section>
  )
}

function FlagSwitch({
  webhook,
  flag,
  label,
  hint,
}: {
  webhook: Webhook
  flag: 'mempool' | 'newContracts'
  label: string
  hint: string
}) {
  const network = useShownNetwork()
  const [busy, setBusy] = useState(false)
  const change = async (on: boolean) => {
    if (busy) return
    setBusy(true)
    await setFlag(webhook, flag, on, network)
    setBusy(false)
  }
  return (
    <Switch
      label={label}
      hint={webhook[flag] === null ? `${hint} The gateway does not tell whether it is on.` : hint}
      checked={webhook[flag] === true}
      onChange={(on) => void change(on)}
    />
  )
}
