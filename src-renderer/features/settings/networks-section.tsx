import { useEffect, useRef, useState } from 'react'
import type { Network, NetworkCheck, NetworkId } from '../../../src-preload/contract/network.ts'
import { attempt, confirmAndRun, request, put, useData } from '../../app/bridge.ts'
import { selectNetwork } from '../../app/networks.ts'
import { navigate, routeHref } from '../../app/route.ts'
import { setupHome } from '../../app/setup-route.ts'
import { ConnectionChecks, describeChecks } from '../../components/connection-checks.tsx'
import { KeychainState } from '../../components/keychain-state.tsx'
import { NetworkForm, urlFields } from '../../components/network-form.tsx'
import { NetworkSecret, secretNames } from '../../components/network-secret.tsx'
import { NetworkTag } from '../../components/network-tag.tsx'
import { ActionButton, Button } from '../../ui/button.tsx'
import { useOpener } from '../../ui/dialog.tsx'
import { announce, showToast } from '../../ui/toast.tsx'
import { Tag, Text, Note, Row, Stack } from '../../ui/layout.tsx'
import { KeyValues } from '../../ui/values.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { EntryButtons, SettingsSection } from '../../components/settings.tsx'

export function NetworksSection() {
  const { isOpen, setOpen, button } = useOpener()
  return (
    <SettingsSection
      id="networks"
      detail="A network’s API key gives access to its query and webhooks APIs. The invoices API token gives access to its invoices. Tondesk sends a key only to the URLs of its network, and shows only the last four characters."
    >
      <KeychainState what="Keys" />
      <Loaded query={useData('network.list')} of="the networks" rows={4}>
        {({ networks, current }) => (
          <>
            {networks.map((network) => (
              <Entry key={network.id} network={network} isCurrent={network.id === current} />
            ))}
          </>
        )}
      </Loaded>
      {isOpen ? (
        <NetworkForm network={null} onClose={() => setOpen(false)} />
      ) : (
        <Row>
          <Button ref={button} icon="plus" onClick={() => setOpen(true)}>
            Add a network
          </Button>
        </Row>
      )}
    </SettingsSection>
  )
}

/** Shows one network: its URLs, its keys, and a connection test. */
function Entry({ network, isCurrent }: { network: Network; isCurrent: boolean }) {
  const { id, kind, name, testOnly, problem } = network
  const editor = useOpener()
  const title = `network-${id}`
  return (
    <Stack line="box" pad="l" role="group" aria-labelledby={title}>
      <Row wrap>
        <Text as="h3" id={title} size="m" over="break">
          <NetworkTag id={id} />
        </Text>
        {isCurrent && <Tag tone="ok">in use</Tag>}
        {testOnly && (
          <Tag title="Friendly addresses carry the test-only flag.">test-only addresses</Tag>
        )}
        <Row last gap="s">
          {kind !== 'sandbox' && (
            <Button onClick={() => void setUp(id)} aria-label={`Set up ${name}`}>
              Set up
            </Button>
          )}
          {!isCurrent && <Button onClick={() => void selectNetwork(id)}>Use {name}</Button>}
          {kind === 'custom' && (
            <EntryButtons
              name={name}
              editor={editor}
              onRemove={() => void removeNetwork(network)}
            />
          )}
        </Row>
      </Row>
      {editor.isOpen ? (
        <NetworkForm network={network} onClose={() => editor.setOpen(false)} />
      ) : (
        <Facts network={network} />
      )}
      {problem !== null && <Note tone="warn">{problem}</Note>}
      <ConnectionTest network={network} />
    </Stack>
  )
}

function Facts({ network }: { network: Network }) {
  const { kind, urls } = network
  const addresses = urlFields.map(([field, name]) => {
    const url = urls?.[field] ?? null
    return [name, url === null ? null : <Text mono over="break" children={url} />] as const
  })
  if (kind === 'sandbox') {
    const connect = routeHref({ page: 'sandbox', network: 'mainnet', tab: 'connect' })
    const keys = (
      <p>
        The sandbox has its own keys. <a href={connect}>Connect your backend</a>
      </p>
    )
    return <KeyValues pairs={[...addresses, ['Keys', keys]]} />
  }
  const slots = urls?.console === null ? (['api'] as const) : (['api', 'invoices'] as const)
  const secrets = slots.map(
    (slot) => [secretNames[slot], <NetworkSecret network={network} slot={slot} />] as const,
  )
  return <KeyValues pairs={[...addresses, ...secrets]} />
}

/** Opens the setup guide, which is about the chosen network. */
async function setUp(id: NetworkId): Promise<void> {
  await selectNetwork(id)
  navigate(setupHome)
}

async function removeNetwork({ id, name, secrets }: Network): Promise<void> {
  const hasKeys = secrets.api !== null || secrets.invoices !== null
  const next = await confirmAndRun({
    title: `Remove the network “${name}”?`,
    detail: `The network’s URLs${hasKeys ? ' and keys' : ''} are deleted from this computer. Lookups on this network stay, and nothing changes at the gateway.`,
    action: 'Remove',
    failure: 'Could not remove the network',
    run: () => request('network.remove', { id }),
  })
  if (next === undefined) return
  put('network.list', undefined, next)
  showToast({ title: `Network “${name}” removed` })
}

type TestResult = { readonly of: string; readonly checks: readonly NetworkCheck[] }

/** Shows the result of a test until the next test starts or a key or URL changes. */
function ConnectionTest({ network }: { network: Network }) {
  const { id, name, urls, secrets } = network
  const tested = JSON.stringify([urls, secrets.api?.addedAt, secrets.invoices?.addedAt])
  const [result, setResult] = useState<TestResult | null>(null)
  const latest = useRef(tested)
  useEffect(() => {
    latest.current = tested
  })

  const ask = async (): Promise<TestResult | null> => {
    const of = latest.current
    const checks = await attempt(`Could not test ${name}`, () => request('network.test', { id }))
    if (checks === undefined) return null
    // If a key was being saved when the test began, the new key is tested.
    return of === latest.current ? { of, checks } : ask()
  }

  const test = async () => {
    const next = await ask()
    if (next === null) return
    setResult(next)
    announce(describeChecks(next.checks))
  }

  return (
    <>
      {result?.of === tested && (
        <ConnectionChecks label={`Connection test of ${name}`} checks={result.checks} />
      )}
      <Row>
        <ActionButton icon="refresh" aria-label={`Test connection to ${name}`} action={test}>
          Test connection
        </ActionButton>
      </Row>
    </>
  )
}
