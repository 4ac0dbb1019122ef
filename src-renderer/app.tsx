import { CSPProvider } from '@base-ui/react/csp-provider'
import { useEffect } from 'react'
import { useConnection } from './app/bridge.ts'
import { ErrorBoundary } from './app/error-boundary.tsx'
import { AccountsPage } from './features/lookups/accounts-page.tsx'
import { captureCounts } from './app/capture-counts.ts'
import { Frame } from './app/frame/frame.tsx'
import { SessionEnded } from './app/frame/session-ended.tsx'
import { InspectorPage } from './features/captures/inspector-page.tsx'
import { InvoicesPage } from './features/invoices/invoices-page.tsx'
import { OverviewPage } from './features/overview/overview-page.tsx'
import { SandboxPage } from './features/sandbox/sandbox-page.tsx'
import { SettingsPage } from './features/settings/settings-page.tsx'
import { TransactionsPage } from './features/explorer/transactions-page.tsx'
import { WebhooksPage } from './features/webhooks/webhooks-page.tsx'
import { WorkbenchPage } from './features/delivery/workbench/workbench-page.tsx'
import { useResource, valueOf } from './app/resource.ts'
import { type Route, useRoute } from './app/route.ts'
import { AccountOverlays } from './components/chain/account-card.tsx'
import { ConfirmHost } from './ui/confirm.tsx'
import { LiveRegion } from './ui/live-region.tsx'
import { Toaster } from './ui/toast.tsx'

export function App() {
  const status = useConnection((state) => state.status)
  return (
    // The strict policy allows no <style>: Base UI is told to insert none.
    <CSPProvider disableStyleElements>
      <ErrorBoundary>
        {status === 'ended' ? <SessionEnded /> : <Desk />}
        <LiveRegion />
        <Toaster />
        <AccountOverlays />
        <ConfirmHost />
      </ErrorBoundary>
    </CSPProvider>
  )
}

const titles: Record<Route['page'], string> = {
  overview: 'Overview',
  inspector: 'Inspector',
  workbench: 'Inspector',
  webhooks: 'Webhooks',
  transactions: 'Transactions',
  accounts: 'Accounts',
  invoices: 'Invoices',
  sandbox: 'Sandbox',
  settings: 'Settings',
}

function Desk() {
  const page = useRoute((state) => state.route.page)
  return (
    <Frame>
      <Title page={page} />
      <ErrorBoundary key={page}>
        <CurrentPage page={page} />
      </ErrorBoundary>
    </Frame>
  )
}

/** Apart, for it follows the unread count, and nothing else here is to be drawn ten times a second. */
function Title({ page }: { page: Route['page'] }) {
  const unread = valueOf(useResource(captureCounts))?.unread ?? 0
  const title = `${unread > 0 ? `(${unread}) ` : ''}${titles[page]} · Tondesk`
  useEffect(() => {
    document.title = title
  }, [title])
  return null
}

function CurrentPage({ page }: { page: Route['page'] }) {
  switch (page) {
    case 'overview':
      return <OverviewPage />
    case 'inspector':
      return <InspectorPage />
    case 'workbench':
      return <WorkbenchPage />
    case 'webhooks':
      return <WebhooksPage />
    case 'transactions':
      return <TransactionsPage />
    case 'accounts':
      return <AccountsPage />
    case 'invoices':
      return <InvoicesPage />
    case 'sandbox':
      return <SandboxPage />
    case 'settings':
      return <SettingsPage />
  }
}
