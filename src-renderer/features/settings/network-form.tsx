import { useState } from 'react'
import type { CustomNetwork, Network } from '../../../src-preload/contract/index.ts'
import { request, toAppError } from '../../bridge.ts'
import type { FieldErrors } from '../../form-values.ts'
import { readFieldErrors } from '../../form-values.ts'
import { Button } from '../../ui/button.tsx'
import { Switch } from '../../ui/switch.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { showToast } from '../../ui/toast.tsx'
import styles from './section.module.css'

const fields = [
  ['query', 'Query API', 'https://gateway.example.com'],
  ['webhooks', 'Webhooks', 'https://rt.gateway.example.com'],
  ['testnetWebhooks', 'Webhooks of a test network (if it has any)', ''],
  ['console', 'Invoices (if it has any)', ''],
] as const
type UrlField = (typeof fields)[number][0]
type Draft = Readonly<Record<UrlField | 'name', string>> & { readonly testOnly: boolean }

/** Adds a network, or changes one that was added. */
export function NetworkForm({ network, onDone }: { network: Network | null; onDone: () => void }) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(network))
  const [errors, setErrors] = useState<FieldErrors>({})
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const change = (part: Partial<Draft>) => setDraft((former) => ({ ...former, ...part }))

  const submit = async () => {
    setBusy(true)
    setErrors({})
    setProblem(null)
    try {
      await (network === null ? add(draft) : save(network, draft))
      onDone()
    } catch (error) {
      const known = toAppError(error)
      const found = readFieldErrors(known)
      setErrors(found ?? {})
      if (found === null || found['urls'] !== undefined) setProblem(known.message)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form
      className={styles['form']}
      aria-label={network === null ? 'Add a network' : `Change ${network.name}`}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy) void submit()
      }}
    >
      <TextField
        label="Name"
        placeholder="Our gateway"
        autoFocus
        value={draft.name}
        error={errors['name']}
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
          error={errors[`urls.${field}`]}
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
      {problem !== null && (
        <p className={styles['error']} role="alert">
          {problem}
        </p>
      )}
      <div className={styles['line']}>
        <Button type="submit" kind="main" busy={busy}>
          {network === null ? 'Add' : 'Save'}
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
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
