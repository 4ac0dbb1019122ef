import { useCurrentNetwork } from '../../app/networks.ts'
import { useDataOf } from '../../app/bridge.ts'
import { navigate } from '../../app/route.ts'
import { setupHome } from '../../app/setup-route.ts'
import { Button } from '../../ui/button.tsx'
import { Hint, Row, Section } from '../../ui/layout.tsx'

export const openSetup = () => navigate(setupHome)

/** Links to the setup guide on a network whose gateway does not deliver to this receiver yet. */
export function SetupLink() {
  const network = useCurrentNetwork()
  const isReal = network !== null && network.kind !== 'sandbox'
  const list = useDataOf('webhook.list', isReal ? { network: network.id } : null).data
  if (!isReal || list === undefined) return null
  if (network.secrets.api !== null && list.webhooks.some(({ isHere }) => isHere)) return null
  return (
    <Section title={`Set up ${network.name}`} level={2}>
      <Row wrap gap="l">
        <Hint>
          {network.name} does not deliver to this receiver yet. The guide leads from the API key to
          the first delivery.
        </Hint>
        <Button kind="main" onClick={openSetup}>
          Set up {network.name}
        </Button>
      </Row>
    </Section>
  )
}
