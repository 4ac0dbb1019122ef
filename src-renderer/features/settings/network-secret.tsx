import { useState } from 'react'
import type { KeptSecret, Network, SecretSlot } from '../../../src-preload/contract/network.ts'
import { attempt } from '../../app/attempt.ts'
import { request } from '../../app/bridge.ts'
import { fromMs } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { useResource } from '../../app/resource.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { Tag } from '../../ui/tag.tsx'
import { TextField } from '../../ui/text-field.tsx'
import text from '../../ui/text.module.css'
import { showToast } from '../../ui/toast.tsx'
import { useOpener } from '../../ui/use-opener.ts'
import { secretsState } from '../../app/secrets.ts'
import { EntryForm } from './entry-form.tsx'
import { useEntry } from './use-entry.ts'
import styles from './network-entry.module.css'

type Slot = { readonly word: string; readonly none: string }

const slots: Record<SecretSlot, Slot> = {
  api: { word: 'API key', none: 'none: one request in 4 seconds, no webhooks' },
  invoices: { word: 'Invoices token', none: 'none: no invoices' },
}

/** One secret of a network: what is known of it, and the ways to give, replace and remove it. */
export function NetworkSecret({ network, slot }: { network: Network; slot: SecretSlot }) {
  const { isOpen: typing, setOpen: setTyping, button } = useOpener()
  const place = useResource(secretsState)
  const canKeep = place.status === 'ready' && place.value.place !== 'none'
  const kept = network.secrets[slot]
  const { word, none } = slots[slot]
  const what = `the ${word} of ${network.name}`
  return (
    <>
      <dt>{word}</dt>
      <dd>
        {kept === null ? <span className={text['dim']}>{none}</span> : <Kept kept={kept} />}
        {!typing && (
          <Button
            ref={button}
            aria-label={`${kept === null ? 'Add' : 'Replace'} ${what}`}
            aria-disabled={!canKeep}
            title={canKeep ? undefined : 'There is no place to keep a key'}
            onClick={() => canKeep && setTyping(true)}
          >
            {kept === null ? 'Add' : 'Replace'}
          </Button>
        )}
        {kept !== null && !typing && (
          <Button
            kind="quiet"
            aria-label={`Remove ${what}…`}
            onClick={() => void removeSecret(network, slot)}
          >
            Remove…
          </Button>
        )}
      </dd>
      {typing && (
        <dd className={styles['wide']}>
          <SecretForm network={network} slot={slot} onDone={() => setTyping(false)} />
        </dd>
      )}
    </>
  )
}

function Kept({ kept: { hint, addedAt, present, givenFor } }: { kept: KeptSecret }) {
  return (
    <>
      <span className={text['mono']}>…{hint}</span>
      {!present && (
        <Tag
          tone="warn"
          title={
            givenFor === undefined
              ? 'The keychain does not have it: it was deleted there, or kept for an earlier session only.'
              : `It was given for ${givenFor.join(', ') || 'other addresses'}, and is not sent to those above. Enter it again if you trust them.`
          }
        >
          {givenFor === undefined ? 'lost, add it again' : 'not sent: the addresses changed'}
        </Tag>
      )}
      <span className={text['dim']}>
        added <Moment at={fromMs(addedAt)} />
      </span>
    </>
  )
}

function SecretForm({
  network: { id, name },
  slot,
  onDone,
}: {
  network: Network
  slot: SecretSlot
  onDone: () => void
}) {
  const [secret, setSecret] = useState('')
  const { word } = slots[slot]
  const entry = useEntry(['secret'], async () => {
    await request('network.setSecret', { id, slot, secret })
    showToast({ title: `${word} of ${name} kept` })
    onDone()
  })

  return (
    <EntryForm action="Keep" entry={entry} problem={null} onCancel={onDone}>
      <TextField
        label={`New ${word} of ${name}`}
        type="password"
        autoComplete="off"
        mono
        autoFocus
        value={secret}
        error={entry.errors['secret'] ?? entry.problem ?? undefined}
        onChange={setSecret}
      />
    </EntryForm>
  )
}

async function removeSecret({ id, name, secrets }: Network, slot: SecretSlot): Promise<void> {
  const { word } = slots[slot]
  const yes = await confirm({
    title: `Remove the ${word} of ${name}?`,
    detail: `The one that ends in ${secrets[slot]?.hint ?? ''} is deleted from this computer. At the gateway nothing changes: there it opens what it opened.`,
    action: 'Remove',
    destructive: true,
  })
  if (!yes) return
  const done = await attempt('Could not remove it', () =>
    request('network.removeSecret', { id, slot }),
  )
  if (done !== undefined) showToast({ title: `${word} of ${name} removed` })
}
