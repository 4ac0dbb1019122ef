import type { CustomNetwork, Network } from '../../src-preload/contract/network.ts'
import { request } from '../app/bridge.ts'
import { useForm } from '../app/use-form.ts'
import { Form, Switch, TextField } from '../ui/form.tsx'
import { Note } from '../ui/layout.tsx'
import { showToast } from '../ui/toast.tsx'
import { secretNames } from './network-secret.tsx'

/** The URLs of a network: the field, the name, and an example for a required URL. */
export const urlFields = [
  ['query', 'Query API', 'https://gateway.example.com'],
  ['webhooks', 'Webhooks API', 'https://rt.gateway.example.com'],
  ['testnetWebhooks', 'Testnet webhooks', null],
  ['console', 'Invoices API', null],
] as const

/** Renders the form that adds a network or edits a custom one. */
export function NetworkForm({
  network,
  onClose,
}: {
  network: Network | null
  /** `saved` is undefined if the user cancelled. */
  onClose: (saved?: Network) => void
}) {
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
    onClose(await (network === null ? addNetwork(next) : saveNetwork(network, next)))
  })
  const hasKeys = network !== null && Object.values(network.secrets).some((kept) => kept !== null)
  return (
    <Form
      inline
      label={network === null ? 'Add a network' : `Edit ${network.name}`}
      action={network === null ? 'Add' : 'Save'}
      form={form}
      onCancel={() => onClose()}
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

async function addNetwork(network: CustomNetwork): Promise<Network> {
  const added = await request('network.add', network)
  showToast({ title: `Network “${added.name}” added` })
  return added
}

async function saveNetwork(before: Network, network: CustomNetwork): Promise<Network> {
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
  return after
}
