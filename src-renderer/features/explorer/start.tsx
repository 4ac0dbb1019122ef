/** The start page of the explorer: your accounts with their latest transactions, and the latest blocks. */
import type { Network } from '../../../src-preload/contract/network.ts'
import { explorerHome } from '../../app/chain-route.ts'
import { reload, useData, useDataOf } from '../../app/bridge.ts'
import { routeHref } from '../../app/route.ts'
import { webhooksHome } from '../../app/webhooks-route.ts'
import { AccountLink } from '../../components/chain/account-link.tsx'
import { blockHref, transactionHref } from '../../components/chain/chain-links.ts'
import { SentenceText } from '../../components/chain/sentence-view.tsx'
import { formatCount, formatNumber, fromMs } from '../../ui/format.ts'
import { Columns, Hint, Row, Section, Small, Stack, Text } from '../../ui/layout.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Moment } from '../../ui/time.tsx'
import { describeChain } from './block-views.tsx'
import { useChainData, useChainTick } from './chain-data.tsx'

export function ExplorerStart({ network }: { network: Network }) {
  return (
    <Columns least={340} gap="none" wideFirst>
      <YourAccounts network={network} />
      <NewBlocks network={network} />
    </Columns>
  )
}

/** Each costs a request. */
const maxAccounts = 6

type Known = { readonly address: string; readonly label?: string | null; readonly version: string }

/**
 * Accounts that the user watches, receives webhooks of or has named, on the sandbox also its wallets. The
 * version changes with each transaction that Tondesk noticed.
 */
function useKnownAccounts({ id, kind }: Network): readonly Known[] | undefined {
  const watches = useData('watch.list').data?.filter(({ network }) => network === id)
  const subscribed = useData('subscription.summary', { network: id }).data?.rows
  const labels = useData('label.list', { network: id, limit: maxAccounts }).data?.labels
  const isSandbox = kind === 'sandbox'
  const chain = useDataOf('sandbox.chain', isSandbox ? { network: 'mainnet' } : null)
  if (watches === undefined || subscribed === undefined || labels === undefined) return undefined
  const wallets = chain.data?.wallets ?? []
  const known = [
    ...watches.map(({ address, label, lastMatch }) => ({
      address,
      label,
      version: lastMatch?.hash ?? '',
    })),
    ...subscribed.map(({ account, label, lastDeliveredLt }) => ({
      address: account,
      label,
      version: lastDeliveredLt,
    })),
    ...labels.map(({ address, name }) => ({ address, label: name, version: '' })),
    ...wallets.map(({ address }) => ({ address, version: '' })),
  ]
  const once = Map.groupBy(known, ({ address }) => address).values()
  return [...once].slice(0, maxAccounts).flatMap(([first]) => first ?? [])
}

function YourAccounts({ network }: { network: Network }) {
  const known = useKnownAccounts(network)
  const watched = routeHref({ ...explorerHome, view: 'watched' })
  return (
    <Section title="Your accounts" level={2} end={<a href={watched}>Watched accounts</a>}>
      {known?.length === 0 ? (
        <Hint>
          Accounts that you watch, label or receive webhooks of appear here with their latest
          transaction. <a href={watched}>Watch an account</a> or{' '}
          <a href={routeHref(webhooksHome)}>subscribe a webhook to it</a>.
        </Hint>
      ) : (
        <Stack as="ul">
          {known?.map(({ version, ...account }) => (
            <LatestTransaction
              key={`${account.address} ${version}`}
              account={account}
              network={network}
            />
          ))}
        </Stack>
      )}
    </Section>
  )
}

function LatestTransaction({
  account,
  network: { id: network, kind },
}: {
  account: Omit<Known, 'version'>
  network: Network
}) {
  const input = { network, address: account.address, limit: 1, view: 'events' as const }
  const query = useChainData('account.history', input)
  useChainTick(() => kind === 'sandbox' && reload('account.history', input))
  const row = query.data?.rows[0]
  const sentence = row?.event?.actions[0]?.sentence
  return (
    <Stack as="li" gap="none">
      <Row>
        <AccountLink account={account} canCopy={false} />
        <Row last>
          <Small tone="faint">{row && <Moment at={fromMs(row.at)} absolute="second" />}</Small>
        </Row>
      </Row>
      <Text size="s" tone="dim" over="cut">
        {row !== undefined ? (
          <a href={transactionHref(row.hash, network)}>
            {sentence ? <SentenceText parts={sentence} /> : (row.operation ?? 'Transaction')}
          </a>
        ) : query.error !== null ? (
          query.error.message
        ) : query.isPending ? (
          'Loading…'
        ) : (
          'No transactions yet'
        )}
      </Text>
    </Stack>
  )
}

const shownBlocks = 8
/** Blocks of the masterchain; those of the shards come beside them. */
const limit = 4

/** Live on the sandbox; elsewhere each block costs a request. */
function NewBlocks({ network: { id: network, kind } }: { network: Network }) {
  const input = { network, before: null, limit }
  const query = useChainData('block.latest', input)
  useChainTick(() => kind === 'sandbox' && reload('block.latest', input))
  return (
    <Section
      title="Latest blocks"
      level={2}
      end={<a href={routeHref({ ...explorerHome, view: 'blocks' })}>All blocks</a>}
    >
      <Loaded query={query} of="the blocks" rows={4}>
        {({ blocks }) => (
          <Stack as="ul" gap="xs">
            {blocks.slice(0, shownBlocks).map(({ id, workchain, seqno, at, transactionCount }) => (
              <Row as="li" key={id}>
                <a href={blockHref(id, network)}>{formatNumber(seqno)}</a>
                <Small>
                  {describeChain(workchain)}
                  {transactionCount !== null && `, ${formatCount(transactionCount, 'transaction')}`}
                </Small>
                <Row last>
                  <Small tone="faint">
                    <Moment at={fromMs(at)} absolute="second" />
                  </Small>
                </Row>
              </Row>
            ))}
          </Stack>
        )}
      </Loaded>
    </Section>
  )
}
