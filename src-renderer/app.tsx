import { showCoinAs } from '../src-preload/domain/amount.ts'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { type ComponentType, type ReactNode, Suspense, lazy, useEffect, Component } from 'react'
import { reloadAll, useConnection, useData } from './app/bridge.ts'
import { useCoin } from './app/networks.ts'
import { Frame } from './app/frame/frame.tsx'
import { pages as railPages, railPageOf } from './app/frame/pages.ts'
import { type Route, useRoute } from './app/route.ts'
import { applyDisplay } from './app/theme.ts'
import { NotFound } from './components/not-found.tsx'
import { AccountOverlays } from './components/chain/account-card.tsx'
import { ConfirmHost } from './ui/dialog.tsx'
import { LiveRegion, CopyButton } from './ui/toast.tsx'
import { FailedState, Skeleton } from './ui/loaded.tsx'
import { Row, Stack, Text } from './ui/layout.tsx'
import styles from './app/frame/frame.module.css'

// Toasts come after the first page.
const Toaster = lazy(async () => ({ default: (await import('./ui/toaster.tsx')).Toaster }))

export function App() {
  const status = useConnection((state) => state.status)
  const coin = useCoin()
  const display = applyDisplay(useData('settings.get').data?.appearance)
  // The name is set while rendering, so that everything below shows it.
  if (coin !== undefined) showCoinAs(coin)
  // Texts that come from the main process contain the name of the coin, so they are loaded again.
  useEffect(() => coin && (() => void reloadAll([])), [coin])
  return (
    // The strict security policy allows no <style>: this prop keeps Base UI from inserting any.
    <CSPProvider disableStyleElements>
      <ErrorBoundary>
        {status === 'ended' ? <SessionEnded /> : <Desk display={display} />}
        <LiveRegion />
        <Suspense>
          <Toaster />
        </Suspense>
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
  jobs: page(async () => (await import('./features/jobs/jobs-page.tsx')).JobsPage),
  unknown: NotFound,
  settings: page(async () => (await import('./features/settings/settings-page.tsx')).SettingsPage),
}

function Desk({ display }: { display: string }) {
  const page = useRoute((state) => state.route.page)
  const CurrentPage = pages[page]
  return (
    <Frame>
      <Title page={page} />
      {/* Parts of a page may keep texts in the earlier format, so the page is rendered again.
          The settings contain no such texts. */}
      <ErrorBoundary key={page === 'settings' ? page : `${page} ${display}`}>
        <Suspense fallback={<Skeleton rows={8} />}>
          <CurrentPage />
        </Suspense>
      </ErrorBoundary>
    </Frame>
  )
}

/**
 * This is a component of its own because the unread count changes ten times a second, and nothing
 * else on the page should be rendered that often.
 */
function Title({ page }: { page: Route['page'] }) {
  const unread = useData('capture.counts').data?.unread ?? 0
  const name =
    railPages.find(({ route }) => route.page === railPageOf(page))?.name ?? 'Page not found'
  const title = `${unread > 0 ? `(${unread}) ` : ''}${name} · Tondesk`
  useEffect(() => {
    document.title = title
  }, [title])
  return null
}

/**
 * Shows an error in place of a page that failed, and leaves the rest of the window in use. React
 * offers this to classes only.
 */
class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    return (
      <FailedState
        what="This page has failed"
        why={`A bug in Tondesk caused this error: ${error instanceof Error ? error.message : 'unknown error'}. Your captures are safe.`}
        onRetry={() => this.setState({ error: null })}
      />
    )
  }
}

const command = 'tondesk open'

function SessionEnded() {
  return (
    <main className={styles['ended']}>
      <Stack gap="l" pad="xl">
        <h1>This tab’s session has ended</h1>
        <Text as="p" tone="dim">
          A link to Tondesk works once, and only until Tondesk restarts. Your captures are safe. To
          get a new link, run this command on the computer that runs Tondesk:
        </Text>
        <Row>
          <code className={styles['command']}>{command}</code>
          <CopyButton text={command} what="Command" />
        </Row>
      </Stack>
    </main>
  )
}
