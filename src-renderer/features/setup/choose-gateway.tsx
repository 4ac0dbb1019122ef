import { useData } from '../../app/bridge.ts'
import { selectNetwork } from '../../app/networks.ts'
import { NetworkForm } from '../../components/network-form.tsx'
import { NetworkTag } from '../../components/network-tag.tsx'
import { Button } from '../../ui/button.tsx'
import { useOpener } from '../../ui/dialog.tsx'
import { Hint, Row, Section, Stack, Text } from '../../ui/layout.tsx'
import { Loaded } from '../../ui/loaded.tsx'

/** On the sandbox, which needs no setup: the gateways that can be set up. */
export function ChooseGateway() {
  const { isOpen, setOpen, button } = useOpener()
  return (
    <Section
      level={2}
      title="Choose a gateway"
      detail="The sandbox on this computer needs no setup. Choose the network whose events you want to receive. Tondesk then shows this network on all pages."
    >
      <Stack gap="l">
        <Loaded query={useData('network.list')} of="the networks" rows={3}>
          {({ networks }) => (
            <Stack as="ul" gap="s">
              {networks
                .filter(({ kind }) => kind !== 'sandbox')
                .map(({ id, name, urls }) => (
                  <Row as="li" key={id} line="box" pad="m" justify="between" wrap>
                    <Stack gap="none">
                      <NetworkTag id={id} />
                      <Text size="s" tone="dim" mono over="break">
                        {urls?.webhooks}
                      </Text>
                    </Stack>
                    <Button kind="main" onClick={() => void selectNetwork(id)}>
                      Set up {name}
                    </Button>
                  </Row>
                ))}
            </Stack>
          )}
        </Loaded>
        {isOpen ? (
          <Section title="Another gateway">
            <NetworkForm
              network={null}
              onClose={(saved) => {
                setOpen(false)
                if (saved !== undefined) void selectNetwork(saved.id)
              }}
            />
          </Section>
        ) : (
          <Row wrap>
            <Button ref={button} icon="plus" onClick={() => setOpen(true)}>
              Add another gateway
            </Button>
            <Hint>For a self-hosted gateway, or one in your own network.</Hint>
          </Row>
        )}
      </Stack>
    </Section>
  )
}
