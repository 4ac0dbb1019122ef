import type { ReactNode } from 'react'
import { type TransactionsRoute, transactionsHome } from '../../app/chain-route.ts'
import { navigate, useRoute } from '../../app/route.ts'
import { Button } from '../../ui/button.tsx'
import { NetworkPage } from '../../components/chain/network-page.tsx'
import { AccountView } from './account/account-view.tsx'
import { BlockView } from './block/block-view.tsx'
import { ConfigView } from './config/config-view.tsx'
import { SearchField } from './search/search-field.tsx'
import { SearchHome } from './search/search-home.tsx'
import { SendView } from './send/send-view.tsx'
import { TransactionView } from './transaction/transaction-view.tsx'
import styles from './transactions.module.css'

/** The chain: search, accounts, transactions, blocks, its configuration, sending. */
export function TransactionsPage() {
  const route = useRoute((each) => each.route)
  if (route.page !== 'transactions') return null
  return (
    <NetworkPage
      title="Transactions"
      of={route.network}
      home={transactionsHome}
      stay={(name) => `Search ${name}`}
      scroll={route.view === 'home'}
      beside={<SearchField />}
      actions={() => <Places route={route} />}
    >
      {() => <View route={route} />}
    </NetworkPage>
  )
}

function Places({ route: { view } }: { route: TransactionsRoute }) {
  const go = (next: 'config' | 'send') => navigate({ ...transactionsHome, view: next })
  return (
    <>
      <Button
        aria-current={view === 'config' ? 'page' : undefined}
        className={styles['place']}
        onClick={() => go('config')}
      >
        Configuration
      </Button>
      <Button
        icon="send"
        aria-current={view === 'send' ? 'page' : undefined}
        className={styles['place']}
        onClick={() => go('send')}
      >
        Send a message
      </Button>
    </>
  )
}

function View({ route }: { route: TransactionsRoute }): ReactNode {
  switch (route.view) {
    case 'home':
      return <SearchHome />
    case 'tx':
      return <TransactionView key={route.hash} id={route.hash} />
    case 'account':
      return <AccountView key={route.address} address={route.address} filter={route.filter} />
    case 'block':
      return <BlockView key={route.id} id={route.id} />
    case 'config':
      return <ConfigView />
    case 'send':
      return <SendView />
  }
}
