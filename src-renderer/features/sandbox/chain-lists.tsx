/** The list of wallets of a chain, and its delivery queue. */
import type {
  SandboxChain,
  SandboxClock,
  SandboxDelivery,
  SandboxNetwork,
  SandboxQueue,
  SandboxWallet,
} from '../../../src-preload/contract/sandbox.ts'
import { coinName } from '../../../src-preload/domain/amount.ts'
import { useData } from '../../app/bridge.ts'
import { openSandboxAction, useSandboxAction } from '../../app/sandbox-action.ts'
import { AddressFormButton, copyAddress, useAddressForm } from '../../components/address-form.tsx'
import { formatAmount } from '../../components/amount.ts'
import { AccountLink } from '../../components/chain/account-link.tsx'
import { HashText } from '../../components/chain/chain-text.tsx'
import { useNetwork } from '../../components/network-tag.tsx'
import { Endpoint, SandboxMoment } from '../../components/webhook.tsx'
import { Button, IconButton, type MenuItem, Menu, menuItem } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { EmptyState, Loaded } from '../../ui/loaded.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Hint, Section, Tag, Text } from '../../ui/layout.tsx'
import { type TableColumn, Table, column } from '../../ui/table.tsx'
import { showRecoveryWords } from './recovery-words.tsx'

/** Lists the wallets. The button with a wallet's name chooses the wallet that pays. */
export function Wallets({ chain: { network, wallets } }: { chain: SandboxChain }) {
  const from = useSandboxAction((state) => state.from)
  return (
    <Section title="Wallets" level={2} end={<AddressFormButton />}>
      <Table<SandboxWallet>
        label="Wallets"
        rows={wallets}
        keyOf={({ name }) => name}
        keys={{ group: 'Sandbox', thing: 'wallet' }}
        isCurrent={({ name }) => name === from}
        columns={[
          column('Wallet', {}, ({ name }) => (
            <Button
              kind="link"
              data-walk
              title={`Pay from ${name}`}
              aria-pressed={name === from}
              onClick={() => useSandboxAction.setState({ from: name })}
            >
              {name}
            </Button>
          )),
          column('Address', {}, (wallet) => (
            <ChainAccount
              network={network}
              address={wallet.address}
              wallet={wallet}
              show="address"
            />
          )),
          column(coinName(), { look: 'amount' }, ({ balance }) => formatAmount(balance, 'TON')),
          column('USDT', { look: 'amount' }, ({ usdt }) => formatAmount(usdt, 'USDT')),
          column('Actions', { hideName: true, width: 46 }, (wallet) => (
            <Menu
              trigger={<IconButton icon="more" label={`Actions of ${wallet.name}`} />}
              items={walletActions(wallet)}
            />
          )),
        ]}
      />
    </Section>
  )
}

function walletActions({ name, address, friendly }: SandboxWallet): MenuItem[] {
  return [
    menuItem('Send from this wallet', { icon: 'send' }, () =>
      openSandboxAction('send', { from: name }),
    ),
    menuItem('Send to this wallet', { icon: 'down' }, () =>
      openSandboxAction('send', { to: name }),
    ),
    menuItem('Use faucet', { icon: 'drop' }, () => openSandboxAction('faucet', { to: name })),
    'line',
    menuItem('Copy the friendly address', { icon: 'copy' }, () => copyAddress(friendly)),
    menuItem('Copy the raw address', { icon: 'copy' }, () => copyAddress(address)),
    'line',
    menuItem('Show recovery words…', { icon: 'eye' }, () => showRecoveryWords(name)),
  ]
}

/**
 * Shows an account with its link. The explorer has pages for the sandbox's main network only, not
 * for its test network.
 */
function ChainAccount({
  network,
  address,
  wallet,
  show,
}: {
  network: SandboxNetwork
  address: string
  wallet: SandboxWallet | undefined
  show: 'name' | 'address'
}) {
  const sandbox = useNetwork('sandbox')
  const form = useAddressForm((state) => state.form)
  const { name = null, friendly = address } = wallet ?? {}
  if (network === 'mainnet') {
    const account = { address, name, isWallet: wallet !== undefined }
    return <AccountLink account={account} network={sandbox} show={show} />
  }
  if (show === 'name' && name !== null) return <Text title={friendly}>{name}</Text>
  return <HashText hash={form === 'raw' ? address : friendly} what="Address" />
}

/** The maximum number of deliveries in the table. */
const limit = 100

/** Lists the deliveries that have not succeeded yet, oldest first. */
export function Queue({ chain }: { chain: SandboxChain }) {
  const { network } = chain
  const query = useData('sandbox.queue', { network, limit })
  const failing = query.data?.failing ?? 0
  return (
    <Section
      title="Delivery queue"
      level={2}
      actions={failing > 0 && <Tag tone="bad">{formatNumber(failing)} failing</Tag>}
    >
      <Loaded query={query} of="the delivery queue" rows={3}>
        {(queue) => <Deliveries queue={queue} chain={chain} />}
      </Loaded>
    </Section>
  )
}

function Deliveries({
  queue: { deliveries, waiting },
  chain,
}: {
  queue: SandboxQueue
  chain: SandboxChain
}) {
  const rest = waiting - deliveries.length
  if (deliveries.length === 0) {
    return (
      <EmptyState
        title="The queue is empty"
        detail="No delivery is waiting. A failed delivery appears here with its last error until it succeeds."
      />
    )
  }
  return (
    <>
      <Table
        label="Deliveries"
        scroll
        rows={deliveries}
        keyOf={({ id }) => id}
        columns={deliveryColumns(chain)}
      />
      {rest > 0 && (
        <Hint>
          The oldest {formatNumber(deliveries.length)} deliveries are shown; {formatNumber(rest)}{' '}
          more are waiting.
        </Hint>
      )}
    </>
  )
}

function deliveryColumns({
  network,
  wallets,
  clock,
}: SandboxChain): TableColumn<SandboxDelivery>[] {
  return [
    column('Event', {}, ({ eventType }) => eventType),
    column('Account', {}, ({ accountId }) => {
      const wallet = wallets.find(({ address }) => address === accountId)
      if (accountId === null) return null
      return <ChainAccount network={network} address={accountId} wallet={wallet} show="name" />
    }),
    column('Endpoint', { look: 'mono', grow: 1, width: 172 }, ({ endpoint }) => (
      <Endpoint url={endpoint} />
    )),
    column('Attempts', { look: 'number' }, ({ attempts }) => formatNumber(attempts)),
    column('Next attempt', {}, ({ nextAttemptAt }) => (
      <NextAttempt at={nextAttemptAt} clock={clock} />
    )),
    column(
      'Last error',
      { grow: 1, width: 150, title: ({ lastError }) => lastError ?? undefined },
      ({ lastError, endpoint }) => (
        <Text tone="bad">{lastError?.replace(`POST ${endpoint}: `, '')}</Text>
      ),
    ),
    column('Actions', { hideName: true }, ({ id, body }) => (
      <CopyButton text={body} what={`Body of delivery ${id}`} iconOnly kind="quiet" />
    )),
  ]
}

function NextAttempt({ at, clock }: { at: number | null; clock: SandboxClock }) {
  if (at === null) {
    return (
      <Tag
        tone="bad"
        title="The webhook is offline. The sandbox sends the delivery once the webhook is online again."
      >
        offline
      </Tag>
    )
  }
  return <SandboxMoment at={at} clock={clock} />
}
