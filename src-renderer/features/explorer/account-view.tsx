import { useEffect } from 'react'
import type {
  AccountView as Account,
  HistoryFilter,
  AccountView,
} from '../../../src-preload/contract/chain/account.ts'
import { reload } from '../../app/bridge.ts'
import { queryHref } from '../../app/route.ts'
import { AddressFormButton, copyAddress } from '../../components/address-form.tsx'
import { editLabel } from '../../components/chain/account-card.tsx'
import { assetHref, contractHref } from '../../components/chain/chain-links.ts'
import { AccountName, useAddressText } from '../../components/chain/account-link.tsx'
import { AccountFlags, Amount, HashText } from '../../components/chain/chain-text.tsx'
import { useShownNetwork } from '../../components/network-tag.tsx'
import { ExportHistoryButton } from '../../components/history-export.tsx'
import { WatchButton } from '../../components/watch-form.tsx'
import { ListSplitter } from '../../components/list-splitter.tsx'
import { queryTerm } from '../../components/query-term.ts'
import { IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { shortcutsOf, useShortcuts } from '../../ui/keyboard.ts'
import { Pane, Row, Tag, Text, Note, Section, Stack, SmallLink } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { KeyValues } from '../../ui/values.tsx'
import { ChainLoaded, ExplorerLink, StaleNote, useChainData, useChainTick } from './chain-data.tsx'
import { JettonsSection, AccountWorth } from './account-assets.tsx'
import { AccountHistory, useHistoryOptions } from './history-list.tsx'
import { accountHistory } from './history.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { fromMs } from '../../ui/format.ts'

/** Shows an account: its history, and beside it its state and its balances. */
export function AccountView({ address, filter }: { address: string; filter: HistoryFilter }) {
  const network = useShownNetwork().id
  const query = useChainData('account.get', { network, address })
  const question = JSON.stringify({ network, address, filter, ...useHistoryOptions() })
  useEffect(() => void accountHistory.open(JSON.parse(question) as never), [question])
  useChainTick(() => {
    reload('account.get', { network, address })
    reload('asset.coinRate', { network })
    void accountHistory.poll()
  })
  return (
    <ChainLoaded query={query} of="the account">
      {(account) => (
        <Pane>
          <Head account={account} />
          {account.offline !== null && (
            <StaleNote
              why={`This is the last state that Tondesk loaded. ${account.offline}`}
              onRetry={() => {
                void query.refetch()
                void accountHistory.reload()
              }}
            />
          )}
          <ListSplitter
            left={<AccountHistory account={account} filter={filter} />}
            right={<AccountFacts account={account} />}
          />
        </Pane>
      )}
    </ChainLoaded>
  )
}

const statusTones = { active: 'ok', uninit: 'warn', nonexist: 'plain', frozen: 'bad' } as const
const statusTitles = {
  active: 'The account has code and data.',
  uninit: 'The account may hold a balance, but has no code yet.',
  nonexist: 'Nothing is on the chain at this address.',
  frozen: 'The account could not pay its storage fees. It must be unfrozen first.',
} as const

/** The pages of contracts that are assets, by the interface of the contract. */
const assetPages = [
  ['jetton_master', 'jetton', 'Open the jetton page'],
  ['nft_item', 'nft', 'Open the NFT page'],
  ['nft_collection', 'collection', 'Open the collection page'],
] as const

function Head({ account: view }: { account: Account }) {
  const { account, status, network } = view
  const { explorer } = useShownNetwork()
  const address = useAddressText(account)
  const key = shortcutsOf('Account')
  useShortcuts([
    key(['c'], 'Copy the address', () => void copyAddress(address)),
    key(['l'], 'Edit the label', () => void editLabel(network, account.address)),
  ])
  return (
    <Row as="header" wrap pad="m" line="below">
      <Text as="h2" size="m" over="cut" title={address}>
        <AccountName account={account} />
      </Text>
      <IconButton
        icon="note"
        label={account.label === null ? 'Add a label' : 'Edit the label'}
        onClick={() => void editLabel(network, account.address)}
      />
      <Tag tone={statusTones[status]} title={statusTitles[status]}>
        {status === 'nonexist' ? 'not deployed' : status}
      </Tag>
      {view.walletKind !== null && <Tag>{view.walletKind}</Tag>}
      <AccountFlags {...view} isScam={account.isScam} />
      <Text strong>
        <Amount units={view.balance} />
      </Text>
      <Row last gap="l">
        {status !== 'nonexist' && (
          <SmallLink href={contractHref(account.address, network)}>Contract</SmallLink>
        )}
        <SmallLink href={queryHref(queryTerm('account', account.address))}>Show captures</SmallLink>
        {assetPages.map(
          ([name, page, label]) =>
            view.interfaces.includes(name) && (
              <SmallLink key={page} href={assetHref(page, account.address, network)}>
                {label}
              </SmallLink>
            ),
        )}
        <ExplorerLink template={explorer?.address} values={{ address }} />
        <WatchButton network={network} address={account.address} />
        <ExportHistoryButton network={network} address={account.address} />
        <CopyButton text={address} what="Address" />
      </Row>
    </Row>
  )
}

function AccountFacts({ account: view }: { account: AccountView }) {
  const { forms } = view
  const whole = (address: string) => <HashText hash={address} whole what="Address" />
  return (
    <Stack fill scroll gap="none" tabIndex={0} role="region" aria-label="Account details">
      {view.note !== '' && (
        <Note>
          <UntrustedText as="p" over="lines" text={view.note} />
        </Note>
      )}
      <Section title="Addresses" end={<AddressFormButton />}>
        <KeyValues
          values={{
            Bounceable: whole(forms.bounceable),
            'Non-bounceable': whole(forms.nonBounceable),
            Raw: whole(forms.raw),
          }}
        />
      </Section>
      <Section title="Account">
        <KeyValues values={statePairs(view)} />
      </Section>
      <AccountWorth account={view} />
      <JettonsSection account={view} />
      <Section title="NFTs">
        <a href={assetHref('nfts', view.account.address, view.network)}>Show NFTs</a>
      </Section>
    </Stack>
  )
}

function statePairs(view: AccountView) {
  const { extra, lastActivity, account, interfaces, getMethods } = view
  return {
    Balance: <Amount units={view.balance} />,
    'Extra currencies':
      extra.length === 0
        ? null
        : extra.map(({ asset, units }) => (
            <div key={asset.extraCurrency}>
              <Amount units={units} asset={asset} />
            </div>
          )),
    'Last activity': lastActivity === null ? 'never' : <Moment at={fromMs(lastActivity)} />,
    Name: account.name && <UntrustedText text={account.name} />,
    Wallet: view.walletKind,
    Interfaces: interfaces.length === 0 ? null : <Words words={interfaces} />,
    'Get methods': getMethods.length === 0 ? null : <Words words={getMethods} />,
    Updated: <Moment at={fromMs(view.fetchedAt)} />,
  }
}

function Words({ words }: { words: readonly string[] }) {
  return (
    <Row wrap gap="xs">
      {words.map((word) => (
        <Tag key={word}>
          <UntrustedText text={word} />
        </Tag>
      ))}
    </Row>
  )
}
