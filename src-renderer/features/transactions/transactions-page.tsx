import type { ReactNode } from 'react'
import type { TransactionsRoute } from '../../chain-route.ts'
import { transactionsHome } from '../../chain-route.ts'
import { navigate, useRoute } from '../../route.ts'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { ForeignLink } from '../chain/foreign-link.tsx'
import { OfNetwork } from '../chain/of-network.tsx'
import { NetworksAwaited } from '../networks-awaited.tsx'
import { useCurrentNetwork } from '../networks.ts'
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
  const network = useCurrentNetwork()
  const route = useRoute((each) => each.route)
  if (route.page !== 'transactions') return null
  if (network === null) {
    return (
      <Page title="Transactions">
        <NetworksAwaited />
      </Page>
    )
  }
  const isForeign = route.network !== null && route.network !== network.id
  return (
    <OfNetwork key={network.id} network={network}>
      <Page
        title="Transactions"
        scroll={route.view === 'home' || isForeign}
        beside={<SearchField />}
        actions={<Places route={route} />}
      >
        {isForeign ? (
          <ForeignLink
            id={route.network}
            shown={network}
            stay={`Search ${network.name}`}
            onStay={() => navigate(transactionsHome)}
          />
        ) : (
          <View route={route} />
        )}
      </Page>
    </OfNetwork>
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
