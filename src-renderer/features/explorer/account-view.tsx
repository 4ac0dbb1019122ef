import { useEffect } from 'react'
import type { AccountView as Account, HistoryFilter } from '../../../src-preload/contract/chain.ts'
import { reload } from '../../app/bridge.ts'
import { queryHref } from '../../app/route.ts'
import { copyAddress } from '../../components/address-form.ts'
import { editLabel } from '../../components/chain/account-card.tsx'
import { AccountName, useAddressText } from '../../components/chain/account-link.tsx'
import { Amount } from '../../components/chain/amount.tsx'
import { useShownNetwork } from '../../components/network-tag.tsx'
import { ListSplitter } from '../../components/list-splitter.tsx'
import { queryTerm } from '../../components/query-term.ts'
import { IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { shortcutsOf, useShortcuts } from '../../ui/keyboard.ts'
import { Pane, Row, Tag, Text } from '../../ui/layout.tsx'
import { AccountFacts } from './account-facts.tsx'
import { ChainLoaded, ExplorerLink, StaleNote, useChainData, useChainTick } from './chain-data.tsx'
import { AccountHistory } from './history-list.tsx'
import { history } from './history.ts'

/** An account: its history beside its state and balances. */
export function AccountView({ address, filter }: { address: string; filter: HistoryFilter }) {
  const network = useShownNetwork().id
  const query = useChainData('account.get', { network, address })
  const question = JSON.stringify({ network, address, filter })
  useEffect(() => void history.open(JSON.parse(question) as never), [question])
  useChainTick(() => {
    reload('account.get', { network, address })
    void history.poll()
  })
  return (
    <ChainLoaded query={query} of="the account">
      {(account) => (
        <Pane>
          <Head account={account} />
          {account.offline !== null && (
            <StaleNote
              why={`You see the last known state. ${account.offline}`}
              onRetry={() => {
                void query.refetch()
                void history.reload()
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
      {account.isScam && (
        <Tag tone="bad" title="The gateway lists this account as a scam.">
          scam
        </Tag>
      )}
      {view.isSuspended && (
        <Tag tone="bad" title="The network does not allow this account to send messages.">
          suspended
        </Tag>
      )}
      {view.memoRequired && (
        <Tag tone="warn" title="A transfer without a comment may be lost.">
          comment required
        </Tag>
      )}
      <Text strong>
        <Amount units={view.balance} />
      </Text>
      <Row last gap="l">
        <Text as="a" size="s" over="nowrap" href={queryHref(queryTerm('account', account.address))}>
          Captures
        </Text>
        <ExplorerLink template={explorer?.address} values={{ address }} />
        <CopyButton text={address} what="Address" />
      </Row>
    </Row>
  )
}
