import { Page } from '../../ui/page.tsx'

/** The chain: search, accounts, transactions, blocks, its configuration, sending. */
export function TransactionsPage() {
  return <Page title="Transactions">{null}</Page>
}
