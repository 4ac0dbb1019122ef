import { useEffect, useMemo, useRef } from 'react'
import type {
  AccountView as Account,
  HistoryFilter,
} from '../../../../src-preload/contract/chain.ts'
import { on } from '../../../app/bridge.ts'
import { useAnswer } from '../../../app/use-answer.ts'
import { useShownNetwork } from '../../../components/chain/of-network.tsx'
import { ListSplitter } from '../../../components/list-splitter.tsx'
import { Answered, StaleBanner } from '../answered.tsx'
import { useChainTick } from '../use-chain-tick.ts'
import { AccountFacts } from './account-facts.tsx'
import { AccountHead } from './account-head.tsx'
import { HistoryPanel } from './history-panel.tsx'
import { createHistory } from './history.ts'
import pane from '../../../ui/pane.module.css'

/** An account: who it is and what it holds beside what it did. */
export function AccountView({ address, filter }: { address: string; filter: HistoryFilter }) {
  const network = useShownNetwork()
  const answer = useAnswer('account.get', { network: network.id, address })
  const { resource } = answer
  useEffect(
    () => on('label.changed', (event) => event.network === network.id && void resource.reload()),
    [network.id, resource],
  )
  return (
    <Answered answer={answer} what="The account">
      {(account) => (
        <Content
          account={account}
          address={address}
          filter={filter}
          reload={() => void resource.reload()}
        />
      )}
    </Answered>
  )
}

function Content({
  account,
  address,
  filter,
  reload,
}: {
  account: Account
  address: string
  filter: HistoryFilter
  reload: () => void
}) {
  const { id: network } = useShownNetwork()
  const key = JSON.stringify(filter)
  const history = useMemo(
    () => createHistory({ network, address, filter: JSON.parse(key) as HistoryFilter }),
    [network, address, key],
  )
  const atTop = useRef(true)
  useEffect(() => void history.load(), [history])
  useChainTick(() => {
    reload()
    void history.poll(() => atTop.current)
  })
  return (
    <div className={pane['pane']}>
      <div>
        <AccountHead account={account} />
        {account.offline !== null && (
          <StaleBanner
            why={`Shown as it was when last seen. ${account.offline}`}
            onRetry={() => {
              reload()
              void history.load()
            }}
          />
        )}
      </div>
      <ListSplitter
        left={
          <HistoryPanel
            history={history}
            account={account}
            onAtTop={(isAtTop) => {
              atTop.current = isAtTop
            }}
          />
        }
        right={<AccountFacts account={account} />}
      />
    </div>
  )
}
