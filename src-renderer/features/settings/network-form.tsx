import { useState } from 'react'
import type { CustomNetwork, Network } from '../../../src-preload/contract/network.ts'
import { request } from '../../app/bridge.ts'
import { Switch } from '../../ui/switch.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { EntryForm } from './entry-form.tsx'
import { useEntry } from './use-entry.ts'
import styles from './section.module.css'

const fields = [
  ['query', 'Query API', 'https://gateway.example.com'],
  ['webhooks', 'Webhooks', 'https://rt.gateway.example.com'],
  ['testnetWebhooks', 'Webhooks of a test network (if it has any)', ''],
  ['console', 'Invoices (if it has any)', ''],
] as const
const shown = ['name', ...fields.map(([field]) => `urls.${field}`)]
type UrlField = (typeof fields)[number][0]
type Draft = Readonly<Record<UrlField | 'name', string>> & { readonly testOnly: boolean }

/** Adds a network, or changes one that was added. */
export function NetworkForm({ network, onDone }: { network: Network | null; onDone: () => void }) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(network))
  const change = (part: Partial<Draft>) => setDraft((former) => ({ ...former, ...part }))
  const entry = useEntry(shown, async () => {
    await (network === null ? add(draft) : save(network, draft))
    onDone()
  })

  return (
    <EntryForm
      label={network === null ? 'Add a network' : `Change ${network.name}`}
      action={network === null ? 'Add' : 'Save'}
      entry={entry}
      onCancel={onDone}
    >
      <TextField
        label="Name"
        placeholder="Our gateway"
        autoFocus
        value={draft.name}
        error={entry.errors['name']}
        onChange={(name) => change({ name })}
      />
      {fields.map(([field, label, placeholder]) => (
        <TextField
          key={field}
          label={label}
          type="url"
          placeholder={placeholder}
          mono
          value={draft[field]}
          error={entry.errors[`urls.${field}`]}
          onChange={(value) => change({ [field]: value })}
        />
      ))}
      <Switch
        label="A test network"
        hint="Its friendly addresses carry the test-only flag."
        checked={draft.testOnly}
        onChange={(testOnly) => change({ testOnly })}
      />
      {network !== null && (network.secrets.api !== null || network.secrets.invoices !== null) && (
        <p className={styles['detail']}>
          With an address at another host the key that is sent there is removed: give it again then.
        </p>
      )}
    </EntryForm>
  )
}

function draftOf(network: Network | null): Draft {
  const { urls } = network ?? { urls: null }
  return {
    name: network?.name ?? '',
    query: urls?.query ?? '',
    webhooks: urls?.webhooks ?? '',
    testnetWebhooks: urls?.testnetWebhooks ?? '',
    console: urls?.console ?? '',
    testOnly: network?.testOnly ?? false,
  }
}

function toNetwork({ name, testOnly, query, webhooks, ...others }: Draft): CustomNetwork {
  return {
    name,
    testOnly,
    urls: {
      query,
      webhooks,
      testnetWebhooks: others.testnetWebhooks.trim() === '' ? null : others.testnetWebhooks,
      console: others.console.trim() === '' ? null : others.console,
    },
  }
}

async function add(draft: Draft): Promise<void> {
  const { name } = await request('network.add', toNetwork(draft))
  showToast({ title: `Network “${name}” added` })
}

async function save(before: Network, draft: Draft): Promise<void> {
  const after = await request('network.change', { id: before.id, ...toNetwork(draft) })
  const lost = (['api', 'invoices'] as const).filter(
    (slot) => before.secrets[slot] !== null && after.secrets[slot] === null,
  )
  showToast({
    title: `Network “${after.name}” changed`,
    ...(lost.length > 0 && {
      detail: `${lost.map((slot) => words[slot]).join(' and ')} removed: given for another host, and not sent to a new one. Add it again.`,
      tone: 'bad' as const,
    }),
  })
}

const words = { api: 'Its API key was', invoices: 'Its invoices token was' }
