/** The access to the invoices of a network: its setup. */
import { navigate, routeHref } from '../../../app/route.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { AccessPanel } from '../../../components/invoices/access-list.tsx'
import { useShownNetwork } from '../../../components/network-tag.tsx'
import { Button } from '../../../ui/button.tsx'
import { Hint, Stack, Text } from '../../../ui/layout.tsx'
import { EmptyState } from '../../../ui/loaded.tsx'

export function AccessView() {
  const network = useShownNetwork()
  const { name, kind } = network
  if (network.urls !== null && network.urls.console === null) {
    return (
      <EmptyState
        title={`Invoices are not available on ${name}`}
        detail="The gateway of this network does not offer invoices, or the network settings have no console URL."
      >
        <Button onClick={() => navigate({ page: 'settings', section: 'networks' })}>
          Open the network settings
        </Button>
      </EmptyState>
    )
  }
  return (
    <Stack fill scroll tabIndex={0} role="region" aria-label="Set up">
      <AccessPanel
        network={network}
        head={({ steps }) => {
          const isReady = steps.every(({ state, id }) => state === 'done' || id === 'webhook')
          return (
            <Stack pad="m" line="below" gap="xs">
              <Text as="h2" size="m" strong>
                {isReady ? `Invoices of ${name} are ready` : `Set up invoices on ${name}`}
              </Text>
              <Hint>
                {kind === 'sandbox' ? (
                  <>
                    The sandbox plays the part of the gateway operator. To start again from the
                    first step, or to grant access at once, open{' '}
                    <a href={routeHref({ page: 'sandbox', network: 'mainnet', tab: 'invoices' })}>
                      Sandbox › Invoices
                    </a>
                    .
                  </>
                ) : (
                  'Some steps can be done here. Do the other steps in the gateway’s console, then mark them as done here.'
                )}
              </Hint>
              {isReady && <a href={routeHref(invoicesHome)}>Show the invoices</a>}
            </Stack>
          )
        }}
      />
    </Stack>
  )
}
