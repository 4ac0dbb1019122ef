import { useEffect, useRef, useState } from 'react'
import type { CustomNetwork, Network, NetworkCheck } from '../../../src-preload/contract/network.ts'
import { attempt, confirmAndRun, request, put, useData } from '../../app/bridge.ts'
import { selectNetwork } from '../../app/networks.ts'
import { printRoute } from '../../app/route.ts'
import { useForm } from '../../app/use-form.ts'
import { NetworkSecret, secretNames } from '../../components/network-secret.tsx'
import { NetworkTag } from '../../components/network-tag.tsx'
import { ActionButton, Button } from '../../ui/button.tsx'
import { useOpener } from '../../ui/dialog.tsx'
import { announce, showToast } from '../../ui/toast.tsx'
import { Form, Switch, TextField } from '../../ui/form.tsx'
import { KeyValues, type Tone, Tag, Text, Note, Row, Stack } from '../../ui/layout.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Table } from '../../ui/table.tsx'
import { KeychainState } from './keychain-state.tsx'
import { SettingsSection } from '../../components/settings.tsx'

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

/** One network: its URLs and keys, and a test of both. */
function Entry({ network, isCurrent }: { network: Network; isCurrent: boolean }) {
  const { id, kind, name, testOnly, problem } = network
  const { isOpen, setOpen, button } = useOpener()
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
          {!isCurrent && <Button onClick={() => void selectNetwork(id)}>Use {name}</Button>}
          {kind === 'custom' && (
            <>
              <Button
                ref={button}
                aria-label={`Edit ${name}`}
                aria-expanded={isOpen}
                onClick={() => setOpen(!isOpen)}
              >
                Edit
              </Button>
              <Button
                kind="quiet"
                icon="trash"
                aria-label={`Remove ${name}…`}
                onClick={() => void removeNetwork(network)}
              >
                Remove…
              </Button>
            </>
          )}
        </Row>
      </Row>
      {isOpen ? (
        <NetworkForm network={network} onClose={() => setOpen(false)} />
      ) : (
        <Facts network={network} />
      )}
      {problem !== null && <Note tone="warn">{problem}</Note>}
      <ConnectionTest network={network} />
    </Stack>
  )
}

/** The URLs of a network: field, name, and an example where one is required. */
const urlFields = [
  ['query', 'Query API', 'https://gateway.example.com'],
  ['webhooks', 'Webhooks API', 'https://rt.gateway.example.com'],
  ['testnetWebhooks', 'Testnet webhooks', null],
  ['console', 'Invoices API', null],
] as const

function Facts({ network }: { network: Network }) {
  const { kind, urls } = network
  const addresses = urlFields.map(([field, name]) => {
    const url = urls?.[field] ?? null
    return [name, url === null ? null : <Text mono over="break" children={url} />] as const
  })
  if (kind === 'sandbox') {
    const connect = printRoute({ page: 'sandbox', network: 'mainnet', tab: 'connect' })
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

const apis: Readonly<Record<NetworkCheck['root'], string>> = {
  query: 'Query API',
  webhooks: 'Webhooks API',
  invoices: 'Invoices API',
}

const outcomes: Readonly<Record<NetworkCheck['outcome'], readonly [Tone, string]>> = {
  ok: ['ok', 'OK'],
  'no-key': ['warn', 'no key'],
  'wrong-key': ['bad', 'wrong key'],
  'no-capability': ['bad', 'not allowed'],
  limited: ['warn', 'rate limited'],
  unreachable: ['bad', 'unreachable'],
  unexpected: ['bad', 'unexpected response'],
  absent: ['plain', 'none'],
}

type TestResult = { readonly of: string; readonly checks: readonly NetworkCheck[] }

/** The result is shown until the next test, or until a key or a URL changes. */
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
    // A key that was being saved when the test began is the one to be tested.
    return of === latest.current ? { of, checks } : ask()
  }

  const test = async () => {
    const next = await ask()
    if (next === null) return
    setResult(next)
    const described = next.checks.map(
      ({ root, outcome }) => `${apis[root]}: ${outcomes[outcome][1]}`,
    )
    announce(described.join('. '))
  }

  return (
    <>
      {result?.of === tested && (
        <Table
          label={`Connection test of ${name}`}
          rows={result.checks}
          keyOf={({ root }) => root}
          columns={[
            { name: 'API', cell: ({ root }) => apis[root] },
            {
              name: 'Result',
              cell: ({ outcome }) => <Tag tone={outcomes[outcome][0]}>{outcomes[outcome][1]}</Tag>,
            },
            { name: 'Detail', wraps: true, cell: describeCheck },
          ]}
        />
      )}
      <Row>
        <ActionButton icon="refresh" aria-label={`Test connection to ${name}`} action={test}>
          Test connection
        </ActionButton>
      </Row>
    </>
  )
}

function describeCheck({ outcome, message, milliseconds }: NetworkCheck): string {
  return outcome === 'ok' && milliseconds !== null ? `${milliseconds} ms` : message
}

/** Adds a network, or edits one that was added. */
function NetworkForm({ network, onClose }: { network: Network | null; onClose: () => void }) {
  const urls = network?.urls
  const initial = {
    name: network?.name ?? '',
    'urls.query': urls?.query ?? '',
    'urls.webhooks': urls?.webhooks ?? '',
    'urls.testnetWebhooks': urls?.testnetWebhooks ?? '',
    'urls.console': urls?.console ?? '',
    testOnly: network?.testOnly ?? false,
  }
  const form = useForm(initial, async (values) => {
    const orNone = (url: string) => (url.trim() === '' ? null : url)
    const next = {
      name: values.name,
      testOnly: values.testOnly,
      urls: {
        query: values['urls.query'],
        webhooks: values['urls.webhooks'],
        testnetWebhooks: orNone(values['urls.testnetWebhooks']),
        console: orNone(values['urls.console']),
      },
    }
    await (network === null ? addNetwork(next) : saveNetwork(network, next))
    onClose()
  })
  const hasKeys = network !== null && Object.values(network.secrets).some((kept) => kept !== null)
  return (
    <Form
      inline
      label={network === null ? 'Add a network' : `Edit ${network.name}`}
      action={network === null ? 'Add' : 'Save'}
      form={form}
      onCancel={onClose}
    >
      <TextField label="Name" placeholder="Staging gateway" autoFocus {...form.field('name')} />
      {urlFields.map(([field, name, example]) => (
        <TextField
          key={field}
          label={example === null ? `${name} (optional)` : name}
          type="url"
          placeholder={example ?? ''}
          mono
          {...form.field(`urls.${field}`)}
        />
      ))}
      <Switch
        label="This is a test network"
        hint="Friendly addresses carry the test-only flag."
        checked={form.values.testOnly}
        onChange={(testOnly) => form.change({ testOnly })}
      />
      {hasKeys && (
        <Note>
          If you change the host in a URL, Tondesk removes the key for that URL. Add the key again
          afterwards.
        </Note>
      )}
    </Form>
  )
}

async function addNetwork(network: CustomNetwork): Promise<void> {
  const { name } = await request('network.add', network)
  showToast({ title: `Network “${name}” added` })
}

async function saveNetwork(before: Network, network: CustomNetwork): Promise<void> {
  const after = await request('network.change', { id: before.id, ...network })
  const lost = (['api', 'invoices'] as const).filter(
    (slot) => before.secrets[slot] !== null && after.secrets[slot] === null,
  )
  const names = lost.map((slot) => secretNames[slot]).join(' and ')
  showToast({
    title: `Network “${after.name}” saved`,
    ...(lost.length > 0 && {
      detail: `The host changed, so Tondesk removed the ${names} of the network. Add ${lost.length === 1 ? 'it' : 'both'} again for the new host.`,
      tone: 'bad' as const,
    }),
  })
}
