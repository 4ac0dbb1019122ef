import { openPalette } from '../app/frame/overlays.ts'
import { routeHref, useRoute } from '../app/route.ts'
import { Button } from '../ui/button.tsx'
import { Kbd } from '../ui/layout.tsx'
import { EmptyState } from '../ui/loaded.tsx'
import { Page } from '../ui/page.tsx'

/** Shows that an address is unknown. */
export function NotFound() {
  const address = useRoute(({ route }) => routeHref(route))
  return (
    <Page title="Page not found">
      <EmptyState
        title="There is no page with this address"
        detail={`The address “${address}” may be misspelled. Search for what you need, or start on the Overview.`}
      >
        <Button kind="main" icon="search" onClick={openPalette}>
          Search <Kbd>/</Kbd>
        </Button>
        <a href={routeHref({ page: 'overview' })}>Show the Overview</a>
      </EmptyState>
    </Page>
  )
}
