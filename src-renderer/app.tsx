import { showCoinAs } from '../src-preload/domain/amount.ts'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { type ComponentType, Suspense, lazy, useEffect } from 'react'
import { reloadAll, useConnection, useData } from './app/bridge.ts'
import { useCoin } from './app/networks.ts'
import { ErrorBoundary } from './app/error-boundary.tsx'
import { Frame } from './app/frame/frame.tsx'
import { pages as railPages, railPageOf } from './app/frame/pages.ts'
import { SessionEnded } from './app/frame/session-ended.tsx'
import { type Route, useRoute } from './app/route.ts'
import { applyDisplay } from './app/theme.ts'
import { AccountOverlays } from './components/chain/account-card.tsx'
import { ConfirmHost } from './ui/dialog.tsx'
import { LiveRegion, Toaster } from './ui/toast.tsx'
import { Skeleton } from './ui/loaded.tsx'

export function App() {
  const status = useConnection((state) => state.status)
  const coin = useCoin()
  const display = applyDisplay(useData('settings.get').data?.appearance)
  // While rendering, so that everything below shows this name.
  if (coin !== undefined) showCoinAs(coin)
  // Texts of the main process name the coin, too.
  useEffect(() => coin && (() => void reloadAll([])), [coin])
  return (
    // The strict policy allows no <style>: this prop keeps Base UI from inserting any.
    <CSPProvider disableStyleElements>
      <ErrorBoundary>
        {status === 'ended' ? <SessionEnded /> : <Desk display={display} />}
        <LiveRegion />
        <Toaster />
        <AccountOverlays />
        <ConfirmHost />
      </ErrorBoundary>
    </CSPProvider>
  )
}

/** A page's code is loaded when the page is first shown. */
const page = (load: () => Promise<ComponentType>) => lazy(async () => ({ default: await load() }))

const pages: Record<Route['page'], ComponentType> = {
  overview: page(async () => (await import('./features/overview/overview-page.tsx')).OverviewPage),
  captures: page(async () => (await import('./features/captures/captures-page.tsx')).CapturesPage),
  delivery: page(async () => (await import('./features/delivery/delivery-page.tsx')).DeliveryPage),
  webhooks: page(async () => (await import('./features/webhooks/webhooks-page.tsx')).WebhooksPage),
  explorer: page(async () => (await import('./features/explorer/explorer-page.tsx')).ExplorerPage),
  lookups: page(async () => (await import('./features/lookups/lookups-page.tsx')).LookupsPage),
  invoices: page(async () => (await import('./features/invoices/invoices-page.tsx')).InvoicesPage),
  sandbox: page(async () => (await import('./features/sandbox/sandbox-page.tsx')).SandboxPage),
  setup: page(async () => (await import('./features/setup/setup-page.tsx')).SetupPage),
  settings: page(async () => (await import('./features/settings/settings-page.tsx')).SettingsPage),
}

function Desk({ display }: { display: string }) {
  const page = useRoute((state) => state.route.page)
  const CurrentPage = pages[page]
  return (
    <Frame>
      <Title page={page} />
      {/* Parts of a page may keep texts in the earlier format, so the page is rendered again; the settings contain no texts. */}
      <ErrorBoundary key={page === 'settings' ? page : `${page} ${display}`}>
        <Suspense fallback={<Skeleton rows={8} />}>
          <CurrentPage />
        </Suspense>
      </ErrorBoundary>
    </Frame>
  )
}

/** Apart, for it follows the unread count, and nothing else here is to be drawn ten times a second. */
function Title({ page }: { page: Route['page'] }) {
  const unread = useData('capture.counts').data?.unread ?? 0
  const name = railPages.find(({ route }) => route.page === railPageOf(page))?.name ?? ''
  const title = `${unread > 0 ? `(${unread}) ` : ''}${name} · Tondesk`
  useEffect(() => {
    document.title = title
  }, [title])
  return null
}
