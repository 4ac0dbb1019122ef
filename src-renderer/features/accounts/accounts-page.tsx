import { Page } from '../../ui/page.tsx'

/** Bulk lookups, and the person's own labels. */
export function AccountsPage() {
  return <Page title="Accounts">{null}</Page>
}
