import { useEffect, useState } from 'react'
import type { TransactionAnswer } from '../../../../src-preload/contract/chain.ts'
import { attempt } from '../../../app/attempt.ts'
import { on, request } from '../../../app/bridge.ts'
import pane from '../../../ui/pane.module.css'
import { Tabs } from '../../../ui/tabs.tsx'
import warning from '../../../ui/warning.module.css'
import { useAnswer } from '../../../app/use-answer.ts'
import { useShownNetwork } from '../../../components/chain/of-network.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { Answered, StaleBanner, useReloadOnceAvailable } from '../answered.tsx'
import { BocView } from '../cells/boc-view.tsx'
import { useChainTick } from '../use-chain-tick.ts'
import { MessagesTab } from './messages-tab.tsx'
import { OverviewTab } from './overview-tab.tsx'
import { PhasesTab } from './phases-tab.tsx'
import { TransactionHead } from './transaction-head.tsx'
import styles from './transaction.module.css'

type Tab = 'overview' | 'messages' | 'phases' | 'raw'

/** One transaction, with the trace it belongs to. `id`: its hash, or that of a message of it. */
export function TransactionView({ id }: { id: string }) {
  const network = useShownNetwork().id
  const answer = useAnswer('transaction.get', { network, id })
  const { state, resource } = answer
  const isMoving = state.status === 'ready' && state.value.trace?.isComplete === false
  useChainTick(() => {
    if (isMoving) void resource.reload()
  })
  useEffect(
    () => on('label.changed', (event) => event.network === network && void resource.reload()),
    [network, resource],
  )
  /** Also where what is stored counts as settled: the gateway may know more by now. */
  const refresh = async () => {
    const fresh = await attempt('The transaction could not be reloaded', () =>
      request('transaction.get', { network, id, refresh: true }),
    )
    if (fresh !== undefined) resource.set(fresh)
  }
  return (
    <Answered answer={answer} what="The transaction">
      {(value) => (
        <Content
          answer={value}
          reload={() => void resource.reload()}
          refresh={() => void refresh()}
        />
      )}
    </Answered>
  )
}

function Content({
  answer,
  reload,
  refresh,
}: {
  answer: TransactionAnswer
  reload: () => void
  refresh: () => void
}) {
  const [tab, setTab] = useState<Tab>('overview')
  const { transaction, offline, check } = answer
  useReloadOnceAvailable(offline !== null, reload)
  const messages = transaction.outMessages.length + (transaction.inMessage === null ? 0 : 1)
  return (
    <div className={pane['pane']}>
      <div>
        <TransactionHead answer={answer} onRefresh={refresh} />
        {check.problem !== null && (
          <p className={warning['bar']} role="alert">
            <UntrustedText text={check.problem} /> Do not rely on this page; reload, or ask another
            gateway.
          </p>
        )}
        {offline !== null && (
          <StaleBanner why={`Shown from this computer’s store. ${offline}`} onRetry={reload} />
        )}
      </div>
      <Tabs<Tab>
        label="Transaction"
        className={styles['tabs']}
        value={tab}
        onChange={setTab}
        tabs={[
          {
            value: 'overview',
            label: 'Overview',
            panel: <OverviewTab answer={answer} reload={reload} />,
          },
          {
            value: 'messages',
            label: 'Messages',
            count: messages,
            panel: <MessagesTab transaction={transaction} />,
          },
          {
            value: 'phases',
            label: 'Phases and fees',
            panel: <PhasesTab transaction={transaction} />,
          },
          {
            value: 'raw',
            label: 'Raw',
            panel: (
              <BocView
                boc={transaction.raw}
                what="Transaction"
                fileName={`transaction-${transaction.hash.slice(0, 16)}.boc`}
              />
            ),
          },
        ]}
      />
    </div>
  )
}
